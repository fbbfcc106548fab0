"""One module a command; each exports ``command``."""
