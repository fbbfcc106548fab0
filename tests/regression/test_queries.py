"""What a user types is never engine syntax, whatever it looks like; asked over HTTP."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from gortex_py.service.compose import Places, compose
from gortex_py.service.service import Service
from gortex_py.settings.paths import Paths
from gortex_py.settings.schema import build_settings
from gortex_py.surfaces.http.app import make_app
from gortex_py.types import Corpus, Query
from tests.regression.test_odd_files import NAMES

FILES = {
    "vector.cpp": "std::vector<int> make_vector() { return {}; }\n",
    "speech.py": "# they don't care\ndef shrug():\n    pass\n",
    "dash.css": ".a-b { color: red }\n",
    "colon.yaml": "foo:bar: 1\n",
    "shell.sh": "x=1\necho $x\n",
    "logic.sql": "SELECT needleword FROM t WHERE a AND b OR NOT c\n",
    "party.md": "# Party\n\nWe celebrate 🎉 needleparty.\n",
}
ODD = {
    "std::vector": "vector.cpp",
    "don't": "speech.py",
    "a-b": "dash.css",
    "foo:bar": "colon.yaml",
    "$x": "shell.sh",
    "AND needleword": "logic.sql",
    "NEAR(needleword": "logic.sql",
    '"needleword': "logic.sql",
    "needleword*": "logic.sql",
    "*needleword": "logic.sql",
    "body:needleword": "logic.sql",
    "(needleword OR": "logic.sql",
    "^needleword -": "logic.sql",
    "🎉 needleparty": "party.md",
    "needleword " + "z" * 10_240: "logic.sql",
    "C++ vector": "vector.cpp",
}
NOTHING = [
    "AND",
    "NEAR(",
    '"',
    "*",
    "🎉",
    "%",
    "_",
    "\\",
    "')--",
    ";",
    "\u202e",
    "\ufeff",
    "-",
    "--",
    "C++",
    "x" * 10_240,
]


def ready(service: Service, name: str) -> None:
    limit = time.monotonic() + 30
    while service.repository(name).is_busy or service.repository(name).state != "ready":
        assert time.monotonic() < limit
        time.sleep(0.01)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    base = tmp_path_factory.mktemp("queries")
    (base / "home").mkdir()
    paths = Paths.from_environment({"GORTEX_HOME": str(base / "gortex")}, base / "home")
    paths.ensure()
    made = compose(paths, build_settings({"index.workers": 1, "watch.enabled": False}), Places(base / "home"))
    made.start()
    for name, content in FILES.items():
        (base / "odd").mkdir(exist_ok=True)
        (base / "odd" / name).write_text(content)
    (base / "names").mkdir()
    for number, odd_name in enumerate(NAMES):
        (base / "names" / os.fsdecode(odd_name)).write_text(f"def oddly_named_{number}():\n    pass\n")
    (base / "many").mkdir()
    write_many(base / "many", "old")
    for name in ("odd", "names", "many"):
        made.track(str(base / name))
    for name in ("odd", "names", "many"):
        ready(made, name)
    yield made
    assert made.stop()


@pytest.fixture(scope="module")
def client(service: Service) -> Iterator[TestClient]:
    with TestClient(make_app(service), base_url="http://127.0.0.1:7411", raise_server_exceptions=False) as made:
        yield made


def write_many(root: Path, version: str) -> None:
    for i in range(80):
        (root / f"m{i}.py").write_text(f"def load_{version}_{i % 9}(item):\n    '''Load {version} item {i}.'''\n")


@pytest.mark.parametrize(("text", "path"), ODD.items(), ids=[text[:20] for text in ODD])
def test_what_looks_like_syntax_is_text(client: TestClient, text: str, path: str) -> None:
    """Quotes, colons, operators and stars gave an error or silently nothing; now the rest is answered."""
    asked = {"q": text, "repo": "odd", "corpus": "all"}
    for answer in (client.get("/v1/search", params=asked), client.post("/v1/search", json={**asked, "repo": ["odd"]})):
        assert answer.status_code == 200, answer.text
        assert answer.json()["results"][0]["path"] == path


@pytest.mark.parametrize("text", NOTHING, ids=[ascii(text)[:20] for text in NOTHING])
def test_what_holds_no_word_is_still_answered(client: TestClient, text: str) -> None:
    answer = client.get("/v1/search", params={"q": text, "repo": "odd", "corpus": "all"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["query"] == text
    if not any(char.isalnum() for char in text):
        assert answer.json()["results"] == [] and "nothing to search for" in str(answer.json()["warnings"])


@pytest.mark.parametrize("text", ["", " ", "\t\n "])
def test_an_empty_query_is_one_clear_refusal(client: TestClient, text: str) -> None:
    answer = client.get("/v1/search", params={"q": text})
    assert (answer.status_code, answer.json()["code"]) == (400, "empty-query")


def test_oddly_named_files_go_through_the_answer_and_back(client: TestClient) -> None:
    """A path with a newline, `#`, `%` or a quote is the same path in the answer, and its id leads to its source."""
    for number, name in enumerate(NAMES):
        found = client.get("/v1/search", params={"q": f"oddly_named_{number}", "repo": "names"}).json()["results"][0]
        assert (found["path"], found["symbol"]) == (os.fsdecode(name), f"oddly_named_{number}")
        symbol_id = f"{os.fsdecode(name)}::oddly_named_{number}"
        # The test client decodes a path twice, a server once.
        target = quote(symbol_id.replace("%", "%25"), safe="")
        source = client.get(f"/v1/symbols/{target}", params={"repo": "names"})
        assert source.status_code == 200, source.text
        assert source.json()["source"].startswith("def oddly_named_")


def shown(service: Service, text: str) -> list[tuple[object, ...]]:
    hits = service.search(Query(text, corpus=Corpus.ALL, limit=100), ["many"]).result(30).result.hits
    # By path and without scores: what is learned of all files together follows in commits of its own.
    return sorted((hit.path, hit.start_line, hit.snippet) for hit in hits)


def test_searches_during_a_pass_answer_from_the_old_or_the_new_state(service: Service) -> None:
    """Fifty at once while everything is indexed again: no error, no mixture of two states."""
    texts = [f"load item {i % 9}" for i in range(50)]
    before = [shown(service, text) for text in texts]
    write_many(service._registry.get("many").root, "new")
    started = threading.Event()
    answers: list[tuple[int, list[tuple[object, ...]]]] = []

    def ask(number: int) -> None:
        started.wait()
        answers.append((number, shown(service, texts[number])))

    with ThreadPoolExecutor(50) as threads:
        asked = [threads.submit(ask, number) for number in range(50)]
        service.reindex("many")
        started.set()
        while service.repository("many").is_busy:
            answers.append((0, shown(service, texts[0])))
        for each in asked:
            each.result(30)
    ready(service, "many")
    after = [shown(service, text) for text in texts]
    assert before[0] != after[0] and len(answers) >= 50
    assert all(answer in (before[number], after[number]) for number, answer in answers)
    assert answers[-1][1] in after or answers[-1][1] in before
