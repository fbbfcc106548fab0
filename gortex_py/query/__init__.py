"""What a query is, before the repository is looked at."""
