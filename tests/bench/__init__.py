"""Benchmarks: scripts that measure, run by ``make bench``; none is part of the default test run."""
