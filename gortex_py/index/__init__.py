"""The write path: files on disk become rows in the store."""
