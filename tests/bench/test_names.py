"""What the exact-name matrix and the typo set ask, and how they count."""

from __future__ import annotations

from random import Random

import pytest

from tests.bench.names import Asked, Wanted, failure_line, format_names, is_as_required, spell, summarize_names
from tests.bench.typos import AS_IT_IS, MIN_CHARS, SLIPS, Typed, format_typos, misspell, summarize_typos

LEDGER = Wanted("settleAll", "LedgerBook", "::")


def asked(spelling: str, rank: int | None, *, own_rank: int | None = None, pages_agree: bool = True) -> Asked:
    return Asked("q", LEDGER, spelling, False, rank, own_rank, pages_agree, "a.py:1 x")


@pytest.mark.parametrize(
    ("spelling", "alone", "qualified"),
    [
        ("own", "settleAll", "LedgerBook::settleAll"),
        ("camel", "settleAll", "ledgerBook::settleAll"),
        ("snake", "settle_all", "ledger_book::settle_all"),
        ("kebab", "settle-all", "ledger-book::settle-all"),
        ("lower", "settleall", "ledgerbook::settleall"),
        ("spaced", "settle all", "ledger book settle all"),
    ],
)
def test_a_symbol_is_asked_for_as_its_language_writes_it(spelling: str, alone: str, qualified: str) -> None:
    assert LEDGER.text(spelling, qualified=False) == alone
    assert LEDGER.text(spelling, qualified=True) == qualified


def test_acronyms_and_digits_are_parts_of_a_name() -> None:
    assert spell("HTTPServer2", "snake") == "http_server_2"
    assert spell("http_server", "camel") == "httpServer"


def test_the_own_spelling_must_be_first_and_another_in_the_first_three() -> None:
    assert asked("own", 1, own_rank=1).is_right
    assert not asked("own", 1, own_rank=2).is_right  # a name that only differs in case came first
    assert asked("snake", 3).is_right
    assert not asked("snake", 4).is_right
    assert not asked("snake", None).is_right
    assert not asked("snake", 1, pages_agree=False).is_right


def test_the_figures_are_by_spelling_and_failures_make_the_whole_fail() -> None:
    outcomes = [asked("own", 1, own_rank=1), asked("snake", 2, own_rank=2), asked("spaced", None)]
    figures = summarize_names(outcomes)
    assert (figures["queries"], figures["own"], figures["others"]) == (3, 1.0, 0.5)
    snake = figures["spellings"]["snake"]
    assert (snake["first"], snake["first_three"]) == (0.0, 1.0)
    assert not is_as_required(figures)
    assert is_as_required(summarize_names(outcomes[:2]))
    text = format_names(figures | {"symbols": 1, "corpora": 1, "revision": "r"})
    assert "another in the first 3: 0.5000" in text
    assert failure_line("shop", outcomes[2]).split("\t")[:4] == ["shop", "spaced", "q", "LedgerBook.settleAll"]


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_changes_the_longest_word_in_one_place_and_never_its_first_letter(slip: str) -> None:
    for seed in range(20):
        changed = misspell("retrieve_user", slip, Random(seed))
        assert changed is not None
        assert changed != "retrieve_user"
        assert changed[0] == "r"
        lengths = {"left out": -1, "doubled": 1}
        assert len(changed) - len("retrieve_user") == lengths.get(slip, 0)
    assert misspell("abcd"[: MIN_CHARS - 1], slip, Random(1)) is None


def test_a_struck_letter_lies_beside_the_right_one() -> None:
    assert {misspell("ppppp", "beside", Random(seed)) for seed in range(9)} == {"poppp", "ppopp", "pppop"}


def test_typos_are_counted_with_and_without_rescue() -> None:
    outcomes = [Typed(AS_IT_IS, True, (1,)), Typed(AS_IT_IS, False, (1,))]
    outcomes += [Typed("swapped", True, (4,)), Typed("swapped", False, (None,))]
    figures = summarize_typos(outcomes)
    assert (figures["queries"], figures["unmutated"]["recall_at_1"]) == (1, 1.0)
    assert figures["slips"]["swapped"]["with"] == {"recall_at_1": 0.0, "recall_at_5": 1.0}
    assert figures["slips"]["all"]["without"]["recall_at_5"] == 0.0
    assert "swapped, no rescue     0.0000 0.0000" in format_typos(figures | {"revision": "r"})
