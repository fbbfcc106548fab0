"""The read path: a query becomes ranked hits."""
