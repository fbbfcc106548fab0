"""The tools of the user's MCP servers as one MCP server that shows few of them until they are needed."""
