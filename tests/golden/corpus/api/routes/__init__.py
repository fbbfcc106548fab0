"""Handlers by resource; each module registers its own."""
