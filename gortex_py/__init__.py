"""Local hybrid code search: BM25 and static vectors, ranked by explainable signals."""

__version__ = "0.1.0"
