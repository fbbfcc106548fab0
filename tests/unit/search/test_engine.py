"""What an answer promises: order, pages, explanations, and an answer to any text whatever."""

from __future__ import annotations

import pytest

from gortex_py.rank.profiles import CODE
from gortex_py.search.engine import NOTHING_TO_SEARCH
from gortex_py.types import Corpus, FileCategory, QueryClass, SymbolKind
from tests.fakes import HashEmbedder
from tests.unit.search.conftest import Ask, Asking

SHOP = {
    "shop/cart.py": "class Cart:\n    def add_item(self, item):\n"
    "        # put the item into the basket\n        self.items.append(item)\n",
    "shop/price.py": "def total_price(items):\n    return sum(item.price for item in items)\n",
    "shop/ship.go": "package shop\n\n// Ship sends the basket to the customer.\n"
    "func Ship(basket []string) error {\n\treturn nil\n}\n",
    "web/app.ts": "export function renderBasket(items: string[]): string {\n  return items.join(',');\n}\n",
    "tests/test_cart.py": "def test_add_item_puts_the_item_into_the_basket():\n    add_item('item', 'basket')\n",
    "docs/basket.md": "# Basket\n\nHow the basket is kept.\n\n## Price\n\nThe total price of all items.\n",
    "settings.yaml": "basket:\n  limit: 3\n",
}


@pytest.fixture(scope="module")
def shop(ask: Ask) -> Asking:
    return ask(SHOP)


ODD = [
    "std::vector", "don't", "a-b", "foo:bar", '"', "'", "AND", "OR NOT", "NEAR(", "NEAR(basket, item)",
    "*", "basket*",
    "C++", "$x", "🙂", "basket 🙂", "", "   \n\t", "basket " * 2_000, "x" * 10_000, "\ud800",
    "basket \udfff", "\0", "a\0b",
    "%s %d", "[]()", "::", "->", "/", "//", "\\", ".", "..", "^title", "{a b}", "col : basket", "-basket", "+basket",
    "a" * 70 + "::b", "<script>", "\u202ebasket", "é" * 300, "--", "; DROP TABLE files;", "ﷺ", "٣", "ǅ",
]  # fmt: skip


@pytest.mark.parametrize("text", ODD, ids=lambda text: repr(text[:20]).replace("\\", "/"))
def test_no_text_is_engine_syntax_or_an_error(shop: Asking, text: str) -> None:
    for corpus in Corpus:
        result = shop.search(text, corpus=corpus)
        assert len(result.hits) <= result.total
        for hit in result.hits:
            hit.snippet.encode()


@pytest.mark.parametrize(
    "text", ["basket*", "basket 🙂", "-basket", '"basket', "basket AND", "(basket", "basket \ud800"]
)
def test_what_can_be_used_of_an_odd_text_is_answered(shop: Asking, text: str) -> None:
    assert "shop/ship.go" in shop.paths(text)


@pytest.mark.parametrize("text", ["", "   \n", "*", "🙂", '"'])
def test_a_query_without_letters_says_that_there_is_nothing_to_search_for(shop: Asking, text: str) -> None:
    result = shop.search(text)
    assert (result.hits, result.total, result.warnings) == ((), 0, (NOTHING_TO_SEARCH,))


def test_a_query_of_absent_words_has_no_hits_and_no_warning(shop: Asking) -> None:
    result = shop.search("zyzzyva quixotry")
    assert (result.hits, result.total, result.warnings) == ((), 0, ())


def test_explanations_sum_to_the_score_and_come_only_when_asked_for(shop: Asking) -> None:
    plain = shop.search("put item into basket")
    explained = shop.search("put item into basket", explain=True)
    assert all(hit.contributions == () for hit in plain.hits)
    assert [hit.path for hit in plain.hits] == [hit.path for hit in explained.hits]
    for hit in explained.hits:
        assert hit.contributions
        assert sum(part.score for part in hit.contributions) == pytest.approx(hit.score, abs=1e-9)


def test_scores_fall_and_each_file_comes_once(shop: Asking) -> None:
    scores = [hit.score for hit in shop.hits("basket item price", limit=50)]
    assert scores == sorted(scores, reverse=True)
    hits = shop.hits("basket item price", corpus=Corpus.ALL, limit=50)
    assert len({hit.path for hit in hits}) == len(hits)


def test_corpora_are_kept_apart_unless_all_is_asked_for(shop: Asking) -> None:
    docs = shop.hits("basket price", corpus=Corpus.DOCS)
    assert [hit.path for hit in docs] == ["docs/basket.md"]
    assert docs[0].kind is SymbolKind.DOC
    assert all(hit.category is not FileCategory.DOCS for hit in shop.hits("basket price", limit=50))
    both = shop.paths("basket price", corpus=Corpus.ALL, limit=50)
    assert {"docs/basket.md", "shop/price.py"} <= set(both)


def test_code_comes_before_its_test_unless_the_test_is_asked_for(shop: Asking) -> None:
    paths = shop.paths("put the item into the basket")
    assert paths.index("shop/cart.py") < paths.index("tests/test_cart.py")
    assert shop.paths("test add item basket")[0] == "tests/test_cart.py"


def test_a_definition_comes_before_tests_that_define_the_name_too(ask: Ask) -> None:
    tests = {
        f"tests/test_{i}.py": f"def run():\n    return {i}\n\ndef test_{i}():\n    assert run()\n" for i in range(30)
    }
    asking = ask({"src/app.py": "def run(argv):\n    return 0\n"} | tests)
    assert asking.paths("run", limit=1) == ["src/app.py"]
    assert asking.paths("Run", limit=1) == ["src/app.py"]
    assert any(path.startswith("tests/") for path in asking.paths("test run"))


def test_asking_for_tests_finds_them_first(ask: Ask) -> None:
    source = {f"src/m{i}.py": f"def step_{i}(queue):\n    queue.run({i})\n" for i in range(20)}
    asking = ask(
        source
        | {"src/queue.py": "class Queue:\n    pass\n", "tests/test_queue.py": "def test_queue_runs():\n    Queue()\n"}
    )
    assert asking.first("test that the queue runs").path == "tests/test_queue.py"


@pytest.mark.parametrize("generated", ["src/order_pb2.py", "vendor/lib/order.py", "third_party/order.py"])
def test_a_hand_written_file_comes_before_its_generated_or_vendored_namesake(ask: Ask, generated: str) -> None:
    text = "class OrderLine:\n    def amount(self):\n        return 1\n"
    asking = ask({"src/z/order.py": text, generated: text, "src/other.py": "x = 1\n"})
    for query in ("OrderLine", "order line amount"):
        assert asking.paths(query)[:2] == ["src/z/order.py", generated]


def test_a_generated_header_marks_a_file_too(ask: Ask) -> None:
    text = "class OrderLine:\n    def amount(self):\n        return 1\n"
    asking = ask({"b/order.py": text, "a/order.py": "# Code generated by tool. DO NOT EDIT.\n" + text})
    assert asking.paths("OrderLine") == ["b/order.py", "a/order.py"]


def test_each_file_is_one_hit_that_lists_its_further_places(ask: Ask) -> None:
    text = "".join(f"def flush_buffer_{i}(buffer):\n    buffer.flush()\n\n\n" for i in range(12))
    other = "def unrelated():\n    pass\n"
    (hit,) = ask({"a.py": text + other, "b.py": other}).hits("flush buffer")
    assert hit.path == "a.py"
    assert 1 <= len(hit.also) <= 5
    places = [(hit.start_line, hit.end_line), *((place.start_line, place.end_line) for place in hit.also)]
    assert len(set(places)) == len(places)
    assert all(place.symbol and place.symbol.startswith("flush_buffer") for place in hit.also)


def test_two_definitions_on_one_line_are_one_place(ask: Ask) -> None:
    hit = ask({"a.js": "function spool() {} function spoolAgain() { return spool }\n"}).first("spool again")
    assert (hit.start_line, hit.end_line) == (1, 1)
    assert hit.also == ()


def test_identical_files_are_ordered_by_path_on_every_run(ask: Ask) -> None:
    names = [f"m{i:02}.py" for i in range(50)]
    text = "def same():\n    return 'nothing else'\n"
    asking = ask(dict.fromkeys(reversed(names), text))
    for _ in range(3):
        assert asking.paths("nothing else", limit=50) == names


@pytest.mark.parametrize("size", [1, 7, 10])
def test_pages_neither_repeat_nor_lose(ask: Ask, size: int) -> None:
    words = ["alpha", "beta", "gamma"]
    files = {f"f{i:02}.py": f"# {' '.join(words[: i % 3 + 1])}\nvalue = {i % 5}\n" for i in range(40)}
    asking = ask(files)
    whole = asking.search("alpha gamma value", limit=100)
    pages = [asking.search("alpha gamma value", limit=size, offset=at) for at in range(0, 45, size)]
    assert [hit.path for page in pages for hit in page.hits] == [hit.path for hit in whole.hits]
    assert {page.total for page in pages} == {whole.total} == {40}


def test_pages_deep_in_a_long_answer_neither_repeat_nor_lose(ask: Ask) -> None:
    # The text channel ranks by one measure and the signals by another; both differ from file to file.
    files = {
        f"{'d/' * (i % 4)}f{i:03}.py": f"# {'lookup ' * (i % 7 + 1)}\n" + f"table_{i} = {i}\n" * (i % 23 + 1)
        for i in range(420)
    }
    asking = ask(files)
    pages = [asking.paths("lookup table", limit=60, offset=at) for at in range(0, 480, 60)]
    seen = [path for page in pages for path in page]
    assert len(seen) == len(set(seen))
    assert set(seen) == set(files)
    assert asking.paths("lookup table", limit=500) == seen


def test_an_offset_beyond_the_end_is_an_empty_page(shop: Asking) -> None:
    result = shop.search("basket", offset=1_000)
    assert result.hits == ()
    assert result.total > 0


def test_a_hit_says_what_and_where_it_is(shop: Asking) -> None:
    hit = shop.first("add_item")
    assert (hit.repo, hit.path, hit.language, hit.category) == ("repo", "shop/cart.py", "python", FileCategory.SOURCE)
    assert (hit.symbol, hit.qualified_name, hit.kind) == ("add_item", "Cart.add_item", SymbolKind.METHOD)
    assert hit.symbol_id == "shop/cart.py::Cart.add_item"
    assert (hit.start_line, hit.end_line) == (2, 4)


def test_the_vector_channel_finds_files_that_share_no_word(ask: Ask) -> None:
    class Synonyms(HashEmbedder):
        def embed(self, texts: list[str], /):  # type: ignore[no-untyped-def,override]
            return super().embed([text.replace("dog", "hound") for text in texts])

    files = {f"m{i}.py": f"def walk_{i}():\n    return {i}\n" for i in range(10)} | {
        "pets.py": "def hound():\n    return hound\n"
    }
    found = ask(files, embedder=Synonyms(64)).search("dog")
    assert found.hits[0].path == "pets.py"
    assert found.warnings == ()
    assert ask(files).search("dog").hits == ()


def test_a_provider_that_fails_costs_a_warning_and_not_the_answer(ask: Ask) -> None:
    embedder = HashEmbedder()
    asking = ask(SHOP, embedder=embedder)
    embedder.fails = True
    result = asking.search("basket")
    assert result.hits
    (warning,) = result.warnings
    assert "the provider is away" in warning


def test_a_list_of_keywords_is_answered_with_advice_by_the_setting(ask: Ask) -> None:
    text = "basket, price, customer"
    split, nudge, off = (ask(SHOP, keyword_soup_rewrite=mode).search(text) for mode in ("split", "nudge", "off"))
    assert split.shape.query_class is QueryClass.KEYWORD_SOUP
    assert split.shape.advice is not None and nudge.shape.advice is not None
    assert off.shape.advice is None
    assert split.hits
    assert [(hit.path, hit.score) for hit in nudge.hits] == [(hit.path, hit.score) for hit in off.hits]


def test_the_answer_names_the_state_it_is_from_and_where_the_time_went(shop: Asking) -> None:
    result = shop.search("basket")
    assert result.generation == 1
    assert set(result.elapsed_ms) == {"query", "candidates", "evidence", "rank", "present"}
    assert all(ms >= 0 for ms in result.elapsed_ms.values())


def test_an_empty_repository_answers(ask: Ask) -> None:
    result = ask({}).search("basket")
    assert (result.hits, result.total) == ((), 0)


def signals(asking: Asking, text: str) -> set[str]:
    return {part.signal for hit in asking.hits(text, explain=True) for part in hit.contributions}


def test_a_signal_that_is_left_out_contributes_nothing(ask: Ask) -> None:
    everything = signals(ask(SHOP), "add_item basket")
    assert {"body", "programming"} <= everything
    left = signals(ask(SHOP, without_signals=frozenset({"body", "programming"})), "add_item basket")
    assert left == everything - {"body", "programming"}


def test_the_vector_channel_can_be_left_out(ask: Ask) -> None:
    embedder = HashEmbedder()
    assert "cosine" in signals(ask(SHOP, embedder=embedder), "basket")
    assert "cosine" not in signals(ask(SHOP, embedder=embedder, vectors=False), "basket")


def test_a_fixed_share_of_the_channels_takes_the_place_of_the_shape(ask: Ask) -> None:
    shaped, fixed = ask(SHOP), ask(SHOP, shape=False)
    assert [shaped.search(text).shape.alpha for text in ("total_price", "total price")] == [0.3, 0.5]
    assert [fixed.search(text).shape.alpha for text in ("total_price", "total price")] == [0.5, 0.5]


def test_near_spellings_can_be_left_out(ask: Ask) -> None:
    assert "shop/ship.go" in ask(SHOP).paths("baskte")
    assert ask(SHOP, near_spellings=False).paths("baskte") == []


def test_the_wording_of_a_question_can_be_left_out(ask: Ask) -> None:
    def weights(asking: Asking) -> set[float]:
        hits = asking.hits("how is the basket sent", explain=True)
        return {round(part.weight, 3) for hit in hits for part in hit.contributions if part.signal == "depth"}

    depth = CODE["depth"]
    assert weights(ask(SHOP)) == {round(depth.base + depth.ask, 3)}
    assert weights(ask(SHOP, wording=False)) == {depth.base}
