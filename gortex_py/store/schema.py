"""What is on disk: tables, the format number with its history, and the numbered migrations.

``docs/index-format.md`` says the same in prose; a change here is a change there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlite_utils import Database

from gortex_py.types import Field

# History:
#   1  the first: one single-column FTS5 table a field, packed bags, vectors beside the database
#   2  a table of enrichments: facts about the whole repository, made of its files after a pass
FORMAT_VERSION = 2
APPLICATION_ID = 0x67_6F_72_78  # "gorx": tells our database from anybody else's
PAGE_BYTES = 8192  # bags and sources are a few KB; at 4096 most of them spill to overflow pages

# A unit's or symbol's row id is its file's id and its ordinal, so that a text match names file and unit
# without a join and the rows of one file are neighbours.
ORDINAL_BITS = 20
ORDINALS = 1 << ORDINAL_BITS

ENRICHMENTS = """
CREATE TABLE enrichments (
    name TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    behind INTEGER NOT NULL,
    inputs TEXT NOT NULL,
    data BLOB NOT NULL
)
"""

TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    language TEXT,
    category TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    digest TEXT NOT NULL,
    lines INTEGER NOT NULL,
    units INTEGER NOT NULL,
    symbols INTEGER NOT NULL,
    len_name INTEGER NOT NULL,
    len_scope INTEGER NOT NULL,
    len_signature INTEGER NOT NULL,
    len_doc INTEGER NOT NULL,
    len_body INTEGER NOT NULL,
    degraded TEXT
);
CREATE TABLE sources (file_id INTEGER PRIMARY KEY, text BLOB NOT NULL);
CREATE TABLE bags (
    file_id INTEGER PRIMARY KEY,
    data BLOB NOT NULL,
    terms BLOB NOT NULL,
    stem TEXT NOT NULL,
    dir TEXT NOT NULL
);
CREATE TABLE symbols (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    squashed TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    symbol_id TEXT,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    start_byte INTEGER NOT NULL,
    end_byte INTEGER NOT NULL,
    signature TEXT NOT NULL,
    doc TEXT NOT NULL,
    parent INTEGER,
    name_line INTEGER NOT NULL,
    unit INTEGER NOT NULL
);
CREATE INDEX symbols_name ON symbols(name);
CREATE INDEX symbols_squashed ON symbols(squashed);
CREATE INDEX symbols_kind ON symbols(kind);
CREATE TABLE units (
    id INTEGER PRIMARY KEY,
    symbol INTEGER,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    start_byte INTEGER NOT NULL,
    end_byte INTEGER NOT NULL,
    text_hash BLOB NOT NULL
);
CREATE INDEX units_text_hash ON units(text_hash);
CREATE TABLE refs (file_id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE vocabulary (term TEXT PRIMARY KEY, files INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE skipped (
    path TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE vectors (text_hash BLOB PRIMARY KEY, row INTEGER) WITHOUT ROWID;
CREATE INDEX vectors_row ON vectors(row) WHERE row IS NOT NULL;
{ENRICHMENTS};
"""

CONTENT_TABLES = ("files", "sources", "bags", "symbols", "units", "refs", "vocabulary", "skipped")

FIELD_NAMES = tuple(field.name.lower() for field in Field)
FILE_FIELDS = ("stem", "dir", *FIELD_NAMES)
# Units of code have no tables: their terms are in the bags, which rank them exactly and faster than
# FTS5 can (docs/decisions/0034). Sections of prose are few, and the docs corpus finds them by these.
SECTION_FIELDS = ("title", "prose")

FILE_TABLES = tuple(f"file_{field}" for field in FILE_FIELDS)
SECTION_TABLES = tuple(f"section_{field}" for field in SECTION_FIELDS)
TEXT_TABLES = (*FILE_TABLES, *SECTION_TABLES)

# With many small segments every look-up opens each of them; with merging during a bulk load the same
# rows are written several times. Passes end with optimize(), so merging is left for it and for the
# rare pass of hundreds of commits.
FTS_OPTIONS: Mapping[str, int] = {"automerge": 8, "crisismerge": 64, "hashsize": 16 << 20, "pgsz": 8000}


def id_range(file_id: int) -> tuple[int, int]:
    """Return the first and the last row id that a file's units or symbols can have."""
    first = int(file_id) << ORDINAL_BITS
    return first, first | ORDINALS - 1


def text_table_sql(table: str) -> str:
    """Return the statement that makes one field's table: text is split beforehand and kept as postings only."""
    return f"CREATE VIRTUAL TABLE {table} USING fts5(text, content='', tokenize='ascii', detail=full, columnsize=1)"


def create(db: Database) -> None:
    """Make all tables of the current format in an empty database, inside the caller's transaction."""
    for statement in TABLES.split(";"):
        if statement.strip():
            db.execute(statement)
    for table in TEXT_TABLES:
        db.execute(text_table_sql(table))
        for option, value in FTS_OPTIONS.items():
            db.execute(f"INSERT INTO {table}({table}, rank) VALUES (?, ?)", [option, value])
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {FORMAT_VERSION}")


Migration = Callable[[Database], None]


def _add_enrichments(db: Database) -> None:
    db.execute(ENRICHMENTS)


# A migration's number is the format it starts from; it leaves the next one.
MIGRATIONS: Mapping[int, Migration] = {1: _add_enrichments}


def migrate(db: Database) -> bool:
    """Bring an older format up to the current one inside the caller's transaction; False if a step is missing."""
    for version in range(format_version(db), FORMAT_VERSION):
        step = MIGRATIONS.get(version)
        if step is None:
            return False
        step(db)
        db.execute(f"PRAGMA user_version = {version + 1}")
    return True


def format_version(db: Database) -> int:
    """Return the format number written in the database's header; 0 for an empty one."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])
