"""MCP servers of the user: started when a tool is called, listed, proxied, stopped when idle."""
