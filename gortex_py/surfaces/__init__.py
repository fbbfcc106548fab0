"""Ways in: the command line, HTTP, and what they share."""
