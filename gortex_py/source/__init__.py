"""Files: which there are, what is in them, what they are for, and which changed."""
