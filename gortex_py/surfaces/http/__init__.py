"""The daemon over HTTP."""
