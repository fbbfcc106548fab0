"""Tool discovery: hidden tools are ranked by their metadata and switched on for a session."""
