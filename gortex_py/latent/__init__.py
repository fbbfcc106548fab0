"""A repository's own latent space: which of its words go together, learned from its units."""
