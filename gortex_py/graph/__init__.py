"""Which file leans on which, and how much of the repository leans on a file."""
