"""What the ranking promises, kept through the real index and engine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gortex_py.rank.profiles import PROSE
from gortex_py.search.engine import Engine
from gortex_py.search.options import SearchOptions
from gortex_py.settings.paths import bundled
from gortex_py.text.concepts import read_concepts
from gortex_py.types import Corpus, Query, QueryClass
from tests.regression.conftest import Indexed

RUN = "def settle_invoice(order):\n    return order.total\n"
TEST = "from pay import settle_invoice\n\n\ndef test_settle_invoice():\n    assert settle_invoice(order) == 3\n"


def engine(repo: Indexed, **options: object) -> Engine:
    concepts = read_concepts(bundled("data"))
    return Engine("here", repo.reader, None, options=replace(SearchOptions(concepts=concepts), **options))


def paths(found: Engine, text: str, corpus: Corpus = Corpus.CODE) -> list[str]:
    return [hit.path for hit in found.search(Query(text, corpus=corpus)).hits]


@pytest.mark.parametrize(
    ("query", "name"), [("login", "authenticate_user"), ("remove", "destroy_x")], ids=["login", "remove"]
)
def test_a_synonym_is_found_unless_that_is_switched_off(repo: Indexed, query: str, name: str) -> None:
    repo.write({"a.py": f"def {name}(it):\n    return it\n", "b.py": "def paint():\n    pass\n"})
    assert paths(engine(repo), query) == ["a.py"]
    assert paths(engine(repo, equivalence_classes=False), query) == []


def test_words_in_three_names_are_a_concept_and_in_two_are_not_and_fillers_never(repo: Indexed) -> None:
    names = [f"quokka_wombat_{i}x" for i in ("ab", "cd", "ef")] + [f"ibis_heron_{i}x" for i in ("ab", "cd")]
    files = {f"{name}.py": f"def {name}():\n    pass\n" for name in names}
    files |= {f"get{i}.py": f"def get_zebra_{i}x():\n    pass\n" for i in ("gh", "kl", "mn")}
    files |= {f"noise{i}.py": f"def noise_{i}_tree_{i}():\n    pass\n" for i in range(12)}
    files["w.py"] = "def wombat():\n    pass\n"
    files["lone.py"] = "def get_lone():\n    pass\n"
    files["h.py"] = "def heron():\n    pass\n"
    repo.write(files)
    mined, plain = engine(repo, mined_concepts=True), engine(repo)
    assert "w.py" in paths(mined, "quokka") and "w.py" not in paths(plain, "quokka")
    assert "h.py" not in paths(mined, "ibis")
    assert "lone.py" not in paths(mined, "zebra")


def test_a_generated_namesake_is_below_the_written_one_and_alone_it_is_first(repo: Indexed) -> None:
    repo.write({"foo.pb.go": "package foo\n\nfunc Settle() {}\n", "other.go": "package foo\n\nfunc Paint() {}\n"})
    assert repo.hits("Settle")[0] == "foo.pb.go"
    repo.write({"foo.go": "package foo\n\nfunc Settle() {}\n"})
    assert repo.hits("Settle")[:2] == ["foo.go", "foo.pb.go"]


def test_code_is_above_its_test_and_a_test_alone_is_found(repo: Indexed) -> None:
    repo.write({"tests/test_pay.py": TEST, "paint.py": "def paint():\n    pass\n"})
    assert repo.hits("settle invoice")[0] == "tests/test_pay.py"
    repo.write({"pay.py": RUN})
    hits = repo.hits("settle invoice")
    assert hits[0] == "pay.py" and "tests/test_pay.py" in hits


def test_editing_a_section_keeps_all_ids_and_embeds_only_what_changed(repo: Indexed) -> None:
    page = "# Guide\n\nHello there.\n\n## Setup\n\nInstall the {} wheel.\n\n## Build\n\nRun the maker.\n"
    repo.write({"README.md": page.format("red")})
    (ids,) = repo.reader.file_symbols(repo.reader.file_facts().ids.tolist())
    (repo.root / "README.md").write_text(page.format("blue and heavy"))
    report = repo.index()
    (after,) = repo.reader.file_symbols(repo.reader.file_facts().ids.tolist())
    assert [symbol.id for symbol in after] == [symbol.id for symbol in ids]
    assert report.embedded == 1


def test_docs_are_only_docs_and_all_shows_the_best_of_both(repo: Indexed) -> None:
    code = {f"src/pay{i}.py": f"def settle_invoice_{i}(order):\n    return order.total\n" for i in range(12)}
    repo.write({**code, "docs/billing.md": "# Billing\n\nHow to settle an invoice for an order.\n"})
    assert [hit.path for hit in repo.ask("settle an invoice for an order", corpus=Corpus.DOCS).hits] == [
        "docs/billing.md"
    ]
    first = repo.hits("settle an invoice for an order", limit=2)
    assert "docs/billing.md" in first and any(path.startswith("src/") for path in first)
    assert "docs/billing.md" not in [h.path for h in repo.ask("settle an invoice", corpus=Corpus.CODE).hits]


def test_an_exact_name_is_first_though_documents_say_it_more(repo: Indexed) -> None:
    repo.write({"pay.py": RUN, **{f"docs/p{i}.md": "# settle\n\n" + "settle_invoice " * 20 for i in range(3)}})
    assert repo.hits("settle_invoice")[0] == "pay.py"


def test_prose_is_not_weighed_by_the_structure_of_code() -> None:
    structural = {"defined_identifier", "defined_word", "programming", "test", "generated", "depth"}
    assert not structural & set(PROSE)


def test_advice_comes_with_split_and_nudge_and_a_nudge_changes_nothing(repo: Indexed) -> None:
    repo.write({"pay.py": RUN, "b.py": "def refund():\n    pass\n"})
    text = "settle OR refund OR invoice"
    split, nudge, off = (
        engine(repo, keyword_soup_rewrite=mode).search(Query(text)) for mode in ("split", "nudge", "off")
    )
    assert split.shape.query_class is nudge.shape.query_class is QueryClass.KEYWORD_SOUP
    assert split.shape.advice == nudge.shape.advice is not None
    assert split.shape.soup_terms == ("settle", "refund", "invoice")
    assert off.shape.advice is None
    assert [(hit.path, hit.score) for hit in nudge.hits] == [(hit.path, hit.score) for hit in off.hits]
