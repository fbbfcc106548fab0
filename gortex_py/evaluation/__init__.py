"""How good and how fast: score an engine on labelled queries, compare two results."""
