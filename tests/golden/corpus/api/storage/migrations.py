"""Numbered changes of the database schema."""

MIGRATIONS = (
    "CREATE TABLE accounts (id serial PRIMARY KEY, email text UNIQUE, password text)",
    "CREATE TABLE parcels (code text PRIMARY KEY, sender integer, state text, weight_grams integer)",
    "ALTER TABLE parcels ADD COLUMN price_cents integer NOT NULL DEFAULT 0",
)


def migrate(connection):
    """Bring the schema up to date, one transaction a step; answer how many steps were needed."""
    connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version integer)")
    row = connection.execute("SELECT max(version) AS version FROM schema_version").fetchone()
    done = row["version"] or 0
    for number, statement in enumerate(MIGRATIONS[done:], done + 1):
        connection.execute(statement)
        connection.execute("INSERT INTO schema_version VALUES (%s)", (number,))
        connection.commit()
    return len(MIGRATIONS) - done
