"""Several repositories answer as one."""

from __future__ import annotations

import pytest

from gortex_py.search.merge import search_repositories
from gortex_py.types import Query, QueryClass
from tests.fakes import HashEmbedder
from tests.unit.search.conftest import Ask, Asking

LEFT = {
    f"a{i}.py": f"def paint_{i}(wall):\n    return 'paint the wall {more}'\n"
    for i, more in enumerate(["wall " * i for i in range(8)])
}
RIGHT = {f"b{i}.py": f"# paint a wall\nwall_{i} = {i}\n" for i in range(8)} | {
    "brush.py": "class PaintBrush:\n    pass\n"
}


@pytest.fixture(scope="module")
def both(ask: Ask) -> list[Asking]:
    return [ask(LEFT, name="left"), ask(RIGHT, name="right")]


def merged(both: list[Asking], text: str, **options: int):  # type: ignore[no-untyped-def]
    return search_repositories([asking.engine for asking in both], Query(text, **options))


def test_hits_of_both_come_best_first_and_say_where_from(both: list[Asking]) -> None:
    result = merged(both, "paint the wall", limit=50)
    assert {hit.repo for hit in result.hits} == {"left", "right"}
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    assert result.total == sum(asking.search("paint the wall").total for asking in both)


def test_each_repository_keeps_its_own_order(both: list[Asking]) -> None:
    result = merged(both, "paint the wall", limit=50)
    for asking, name in zip(both, ("left", "right"), strict=True):
        own = [hit.path for hit in result.hits if hit.repo == name]
        assert own == asking.paths("paint the wall", limit=50)


@pytest.mark.parametrize("size", [1, 3, 5])
def test_pages_of_the_merged_answer_neither_repeat_nor_lose(both: list[Asking], size: int) -> None:
    whole = merged(both, "paint the wall", limit=50)
    pages = [merged(both, "paint the wall", limit=size, offset=at) for at in range(0, 25, size)]
    keys = [(hit.repo, hit.path) for page in pages for hit in page.hits]
    assert keys == [(hit.repo, hit.path) for hit in whole.hits]
    assert len(set(keys)) == len(keys)


def test_an_exact_name_in_one_comes_before_everything_in_the_other(both: list[Asking]) -> None:
    result = merged(both, "PaintBrush", limit=1)
    assert [(hit.repo, hit.path) for hit in result.hits] == [("right", "brush.py")]
    assert result.shape.query_class is QueryClass.SYMBOL


def test_a_name_known_to_one_repository_makes_it_a_name(ask: Ask) -> None:
    knows = ask({"a.py": "def settle():\n    pass\n"}, name="knows")
    does_not = ask({"b.py": "# settle\nx = 1\n"}, name="other")
    assert merged([does_not, knows], "settle").shape.query_class is QueryClass.SYMBOL


def test_one_repository_answers_by_itself(both: list[Asking]) -> None:
    alone = merged(both[:1], "paint the wall", limit=3)
    assert [hit.path for hit in alone.hits] == both[0].paths("paint the wall", limit=3)


def test_equal_files_of_two_repositories_come_by_repository_then_path(ask: Ask) -> None:
    files = {"x.py": "# oak\nv = 1\n", "y.py": "# oak\nv = 1\n"}
    pair = [ask(files, name="b"), ask(files, name="a")]
    assert [(h.repo, h.path) for h in merged(pair, "oak").hits] == [
        ("a", "x.py"),
        ("a", "y.py"),
        ("b", "x.py"),
        ("b", "y.py"),
    ]


def test_a_warning_that_both_give_is_given_once(ask: Ask) -> None:
    embedder = HashEmbedder()
    pair = [ask(LEFT, embedder=embedder, name="a"), ask(RIGHT, embedder=embedder, name="b")]
    embedder.fails = True
    assert len(merged(pair, "paint").warnings) == 1


def test_deep_pages_of_two_long_answers_neither_repeat_nor_lose(ask: Ask) -> None:
    files = {
        f"{'d/' * (i % 4)}f{i:03}.py": f"# {'lookup ' * (i % 7 + 1)}\n" + f"table_{i} = {i}\n" * (i % 23 + 1)
        for i in range(300)
    }
    pair = [ask(files, name="a"), ask({path: text + "\n# more\n" for path, text in files.items()}, name="b")]
    keys = [
        (h.repo, h.path) for at in range(0, 700, 100) for h in merged(pair, "lookup table", limit=100, offset=at).hits
    ]
    assert len(keys) == len(set(keys)) == 600
