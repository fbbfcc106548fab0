"""Texts to vectors: the word table, the default embedder, and the choice among providers."""
