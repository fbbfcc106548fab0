"""Where the write path and the read path meet: one SQLite database and one vector file a repository."""

from gortex_py.store.database import IndexVerdict, Store, StoreIdentity
from gortex_py.store.reader import SqliteReader
from gortex_py.store.schema import FILE_FIELDS, FORMAT_VERSION, SECTION_FIELDS
from gortex_py.store.writer import SqliteWriter

__all__ = [
    "FILE_FIELDS",
    "FORMAT_VERSION",
    "SECTION_FIELDS",
    "IndexVerdict",
    "SqliteReader",
    "SqliteWriter",
    "Store",
    "StoreIdentity",
]
