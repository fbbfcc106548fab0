from __future__ import annotations

from pathlib import Path

import pytest

from gortex_py.errors import UsageError
from gortex_py.settings.paths import bundled
from gortex_py.text.concepts import CLASSES_FILE, RELATEDNESS_FILE, Concepts, concept_term, read_concepts
from gortex_py.text.stopwords import STOP_WORDS


@pytest.fixture(scope="module")
def shipped() -> Concepts:
    return read_concepts(bundled("data"))


def read(folder: Path, classes: str, relatedness: str = "") -> Concepts:
    (folder / CLASSES_FILE).write_text(classes, encoding="utf-8")
    (folder / RELATEDNESS_FILE).write_text(relatedness, encoding="utf-8")
    return read_concepts(folder)


def test_a_head_finds_its_members_and_a_member_its_head_each_less_by_place(tmp_path: Path) -> None:
    concepts = read(tmp_path, "fetch: get retrieve load\n")
    assert dict(concepts.synonyms["fetch"]) == pytest.approx({"get": 0.5, "retriev": 0.47, "load": 0.44})
    assert dict(concepts.synonyms["get"]) == pytest.approx({"fetch": 0.4})
    assert dict(concepts.synonyms["load"]) == pytest.approx({"fetch": 0.34})


def test_words_are_compared_by_their_stems_and_compounds_as_one_word(tmp_path: Path) -> None:
    concepts = read(tmp_path, "permissions: rate_limits privilege\n")
    assert [term for term, _ in concepts.synonyms[concept_term("permission")]] == ["ratelimits", "privileg"]


def test_comments_headings_and_a_member_that_is_the_head_again_are_left_out(tmp_path: Path) -> None:
    concepts = read(tmp_path, "# about\n\n[web]\nretry: retries backoff  # and so on\n")
    assert dict(concepts.synonyms["retri"]) == pytest.approx({"backoff": 0.5})


def test_lines_that_share_a_word_are_not_merged(tmp_path: Path) -> None:
    concepts = read(tmp_path, "request: query\nsearch: query find\n")
    assert "search" not in dict(concepts.synonyms["request"])
    assert set(dict(concepts.synonyms["queri"])) == {"request", "search"}


def test_a_related_word_weighs_less_than_the_weakest_direct_one(shipped: Concepts) -> None:
    many = shipped.with_extra({"gizmo": ("token", "limit", *(f"zap{c}k" for c in "abcdefghijklmnopqrstuvwxyz"))})
    direct = min(weight for others in many.synonyms.values() for _, weight in others)
    assert max(weight for others in shipped.related.values() for _, weight in others) < direct


def test_what_stands_for_a_word_is_not_related_to_it_as_well(tmp_path: Path) -> None:
    concepts = read(tmp_path, "session: cookie\n", "session: cookie user\n")
    assert [term for term, _ in concepts.related["session"]] == ["user"]


def test_relatedness_holds_backwards_with_the_least_weight(tmp_path: Path) -> None:
    concepts = read(tmp_path, "a: b\n", "auth: token user\n")
    assert dict(concepts.related["auth"]) == pytest.approx({"token": 0.18, "user": 0.171})
    assert dict(concepts.related["token"]) == pytest.approx({"auth": 0.135})


@pytest.mark.parametrize("line", ["fetch get", "fetch:", ": get", "two words: get", "x: a b c d e f g h i", "x: ?"])
def test_a_line_of_another_form_is_refused_by_number(tmp_path: Path, line: str) -> None:
    with pytest.raises(UsageError, match="line 2"):
        read(tmp_path, f"# first\n{line}\n")


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("auth", "authentication"),
        ("auth", "login"),
        ("login", "authenticate"),
        ("delete", "remove"),
        ("remove", "destroy"),
        ("find", "search"),
        ("config", "settings"),
        ("error", "exception"),
        ("serialize", "marshal"),
        ("throttle", "rate_limit"),
    ],
)
def test_the_shipped_classes_join_what_programmers_call_the_same(shipped: Concepts, word: str, other: str) -> None:
    assert concept_term(other) in dict(shipped.synonyms[concept_term(word)])


def test_auth_and_token_are_related_but_not_merged(shipped: Concepts) -> None:
    assert "token" in dict(shipped.related["auth"])
    assert "session" in dict(shipped.related["auth"])
    assert "token" not in dict(shipped.synonyms["auth"])
    assert "auth" not in dict(shipped.synonyms["token"])


def test_the_shipped_table_is_large_and_has_no_stop_words() -> None:
    lines = (bundled("data") / CLASSES_FILE).read_text(encoding="utf-8").splitlines()
    classes = [line.partition(":") for line in lines if line and line[0] not in "#["]
    assert len({head for head, _, _ in classes}) >= 325
    assert not {word for _, _, members in classes for word in members.split()} & STOP_WORDS


def test_an_extra_class_joins_its_words_and_label_to_each_other(shipped: Concepts) -> None:
    concepts = shipped.with_extra({"parcel": ("consignment", "freight")})
    for word, others in (("parcel", "consignment freight"), ("freight", "parcel consignment")):
        assert set(map(concept_term, others.split())) <= set(dict(concepts.synonyms[concept_term(word)]))
    assert "parcel" not in shipped.synonyms


def test_an_extra_class_with_a_known_word_joins_that_words_class(shipped: Concepts) -> None:
    concepts = shipped.with_extra({"tenant": ("account",)})
    assert {"account", "user"} <= set(dict(concepts.synonyms["tenant"]))
    assert "tenant" in dict(concepts.synonyms["user"])
    assert dict(concepts.synonyms["tenant"])["user"] < dict(concepts.synonyms["tenant"])["account"]
