"""The daemon's inside: repositories, the writer thread, the watcher, readiness, the process."""
