"""SQL: tables with columns, views, functions, indexes; a broken statement costs itself only."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r"""-- Who buys.
CREATE TABLE IF NOT EXISTS shop.users (
  id INT PRIMARY KEY,
  land INT REFERENCES lands(id)
);

CREATE VIEW adults AS SELECT * FROM shop.users;

CREATE FUNCTION add(a INT, b INT) RETURNS INT AS $$ SELECT a + b; $$ LANGUAGE sql;

CREATE INDEX users_by_country ON shop.users (country);
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TRIGGER audit BEFORE INSERT ON shop.users FOR EACH ROW EXECUTE FUNCTION add();
SELECT round(1) FROM adults;
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("sql", SOURCE) == [
        "table shop.users 2-5",
        "field shop.users.id 3-3",
        "field shop.users.land 4-4",
        "table adults 7-7",
        "function add 9-9",
        "variable users_by_country 11-11",
        "type mood 12-12",
        "function audit 13-13",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "shop.users": "CREATE TABLE IF NOT EXISTS shop.users (id INT PRIMARY KEY, land INT REFERENCES lands(id))",
        "add": "CREATE FUNCTION add(a INT, b INT) RETURNS INT",
        "adults": "CREATE VIEW adults AS SELECT * FROM shop.users",
    }
    assert {name: symbol("sql", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("sql", SOURCE, "shop.users").doc == "Who buys."


def test_mentions_are_told_apart() -> None:
    assert references("sql", SOURCE) == {
        "use lands 4",
        "use users 7",
        "use users 11",
        "call round 14",
        "use adults 14",
    }


def test_comments_are_known() -> None:
    assert comments("sql", SOURCE) == [
        "-- Who buys.",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {s.name for s in parse("sql", "CREATE TABLE a (;\n\nCREATE TABLE b (id INT);\n").symbols}
    assert "b" in names
