"""Words: splitting, stop words, and what terms mean to each other."""
