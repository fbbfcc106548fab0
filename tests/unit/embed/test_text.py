from __future__ import annotations

from gortex_py.embed.text import MAX_BODY_CHARS, MAX_DOC_CHARS, unit_text
from gortex_py.types import SymbolKind


def test_names_stand_first_and_all_parts_are_there() -> None:
    text = unit_text(
        SymbolKind.METHOD,
        "Client.send",
        path="src/http/client.py",
        signature="def send(self, request)",
        doc="Send one request.",
        body_head="return self.pool.send(request)",
    )
    assert text.splitlines() == [
        "method Client.send Client.send http client",
        "def send(self, request)",
        "Send one request.",
        "return self.pool.send(request)",
    ]


def test_a_gap_and_a_file_at_the_root_have_fewer_parts() -> None:
    assert unit_text(None, "", path=".profile", signature="", doc="", body_head="umask 077") == ".profile\numask 077"


def test_long_parts_are_cut() -> None:
    text = unit_text(None, "", path="a.py", signature="", doc="d" * 10_000, body_head="b" * 10_000)
    assert text.count("d") == MAX_DOC_CHARS
    assert text.count("b") == MAX_BODY_CHARS
