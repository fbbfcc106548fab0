from __future__ import annotations

import os
from pathlib import Path

import pytest

from gortex_py.embed.variants import VARIANTS
from gortex_py.settings.load import Layer, Loaded, environment_layers, load, load_settings
from gortex_py.settings.paths import Paths
from gortex_py.settings.schema import build_settings


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths.from_environment({"GORTEX_HOME": str(tmp_path / "g")}, tmp_path)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    (tmp_path / "g").mkdir()
    return tmp_path / "repo"


def from_file(paths: Paths, repo: Path, content: bytes | str) -> Loaded:
    raw = content.encode() if isinstance(content, str) else content
    (repo / ".gortex.yaml").write_bytes(raw)
    return load(paths, {}, repo=repo)


def test_nothing_said_gives_the_defaults(paths: Paths) -> None:
    loaded = load(paths, {})
    assert loaded.settings == build_settings({})
    assert loaded.warnings == ()
    assert set(loaded.sources.values()) == {"default"}


def test_the_highest_place_that_speaks_wins_field_by_field(paths: Paths, repo: Path) -> None:
    paths.config_file.write_text(
        "watch: {settle_ms: 1, max_wait_ms: 1, poll_interval_s: 1, enabled: false}\ndaemon: {port: 1}\n"
    )
    (repo / ".gortex.yaml").write_text("watch:\n  settle_ms: 2\n  max_wait_ms: 2\n  poll_interval_s: 2\n")
    environ = {"GORTEX_WATCH_MAX_WAIT_MS": "3", "GORTEX_WATCH_POLL_INTERVAL_S": "3"}
    loaded = load(paths, environ, repo=repo, flags={"watch.poll_interval_s": 4})
    watch = loaded.settings.watch
    assert (watch.enabled, watch.settle_ms, watch.max_wait_ms, watch.poll_interval_s) == (False, 2, 3, 4.0)
    assert loaded.settings.daemon.port == 1
    assert loaded.sources["watch.enabled"] == str(paths.config_file)
    assert loaded.sources["watch.settle_ms"] == str(repo / ".gortex.yaml")
    assert loaded.sources["watch.max_wait_ms"] == "environment"
    assert loaded.sources["watch.poll_interval_s"] == "command line"
    assert loaded.sources["index.workers"] == "default"


@pytest.mark.parametrize(
    ("repo_says", "global_says", "effective"),
    [("", "false", False), ("null", "false", False), ("true", "false", True), ("false", "true", False), ("", "", None)],
)
def test_enabled_has_three_states(
    paths: Paths, repo: Path, repo_says: str, global_says: str, effective: bool | None
) -> None:
    paths.config_file.write_text(f"embedding:\n  enabled: {global_says}\n")
    loaded = from_file(paths, repo, f"embedding:\n  enabled: {repo_says}\n")
    assert loaded.settings.embedding.enabled is effective
    assert loaded.warnings == ()


@pytest.mark.parametrize(("text", "value"), [("0", False), ("off", False), ("1", True), (" Yes ", True)])
def test_the_short_variable_wins_over_the_long_one(text: str, value: bool) -> None:
    environ = {"GORTEX_EMBEDDINGS": text, "GORTEX_EMBEDDING_ENABLED": "false" if value else "true"}
    assert load_settings(environment_layers(environ)).settings.embedding.enabled is value


def test_an_empty_variable_says_nothing() -> None:
    loaded = load_settings(environment_layers({"GORTEX_DAEMON_PORT": " ", "GORTEX_EMBEDDINGS": ""}))
    assert loaded.settings == build_settings({})
    assert loaded.warnings == ()


def test_an_unknown_variable_of_a_section_is_named_with_the_nearest() -> None:
    loaded = load_settings(environment_layers({"GORTEX_DAEMON_PROT": "1", "GORTEX_HOME": "/x", "PATH": "/bin"}))
    (warning,) = loaded.warnings
    assert "GORTEX_DAEMON_PROT (did you mean GORTEX_DAEMON_PORT?)" in warning.what


def test_unknown_keys_make_one_warning_a_file_with_near_matches(paths: Paths, repo: Path) -> None:
    loaded = from_file(paths, repo, "embeding: {provider: api}\nembedding: {providr: api}\nxyzzy: 1\n")
    (warning,) = loaded.warnings
    line = f"{warning.where} {warning.what}"
    assert line.startswith(f"{repo / '.gortex.yaml'} contains keys gortex does not recognize: ")
    assert "embeding (did you mean embedding?)" in line
    assert "embedding.providr (did you mean embedding.provider?)" in line
    assert line.endswith("xyzzy")
    assert loaded.settings == build_settings({})


@pytest.mark.parametrize(
    ("content", "given", "expected"),
    [
        ("daemon: {port: 70000}", "70000", "a whole number from 0 to 65535"),
        ("daemon: {port: '7411'}", "'7411'", "a whole number"),
        ("daemon: {port: true}", "True", "a whole number"),
        ("daemon: {host: ''}", "''", "text"),
        ("watch: {enabled: 1}", "1", "true or false"),
        ("watch: {poll_interval_s: .nan}", "nan", "a number of at least 0.1"),
        ("watch: {poll_interval_s: .inf}", "inf", "a number of at least 0.1"),
        ("embedding: {chunk_window_lines: [1]}", "[1]", "a whole number of at least 2"),
        ("search: {keyword_soup_rewrite: never}", "'never'", "one of split, nudge, off"),
        ("index: 5", "5", "a section of settings"),
        ("- a", "['a']", "expected sections"),
    ],
)
def test_a_wrong_value_is_named_and_the_default_holds(
    paths: Paths, repo: Path, content: str, given: str, expected: str
) -> None:
    paths.config_file.write_text(content)
    loaded = load(paths, {})
    (warning,) = loaded.warnings
    assert given in warning.what
    assert expected in warning.what
    assert loaded.settings == build_settings({})


def test_a_wrong_variable_is_called_by_its_own_name() -> None:
    (warning,) = load_settings(environment_layers({"GORTEX_DAEMON_PORT": "http"})).warnings
    assert warning.what == "GORTEX_DAEMON_PORT is 'http', expected a whole number from 0 to 65535"


def test_a_wrong_value_leaves_the_field_to_the_next_place() -> None:
    loaded = load_settings([Layer("high", {"daemon.port": "x"}), Layer("low", {"daemon.port": 99})])
    assert loaded.settings.daemon.port == 99
    assert loaded.sources["daemon.port"] == "low"


def test_a_repository_may_not_open_the_daemon_to_the_network(paths: Paths, repo: Path) -> None:
    loaded = from_file(paths, repo, "daemon: {host: 0.0.0.0}\nindex: {max_file_bytes: 10}\n")
    assert loaded.settings.daemon.host == "127.0.0.1"
    assert loaded.settings.index.max_file_bytes == 10
    assert "a repository's own file may not set it" in loaded.warnings[0].what


BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("watch:\n  settle_ms: [1\n", "at line 3, column 1"),
        ("watch:\n\tsettle_ms: 1\n", "at line 2, column 1"),
        (b"watch:\n  settle_ms: \xff\n", "is not UTF-8 at line 2"),
        ("a: 1\n---\nb: 2\n", "is not valid YAML"),
        ("a: !!python/object/apply:os.system [ls]\n", "could not determine a constructor"),
        ("a: 2024-13-45\n", "is not valid YAML"),
        ("a: \x00\n", "is not valid YAML"),
        (BOMB, "over 16 aliases"),
        ("[" * 5000, "nests deeper than 20 levels"),
        ("# " + "x" * 300_000, "expected at most 262,144"),
    ],
    ids=["flow", "tab", "bytes", "documents", "tag", "date", "nul", "aliases", "depth", "size"],
)
def test_a_bad_file_is_named_and_the_other_places_hold(
    paths: Paths, repo: Path, content: bytes | str, complaint: str
) -> None:
    paths.config_file.write_text("watch: {settle_ms: 7}\n")
    loaded = from_file(paths, repo, content)
    (warning,) = loaded.warnings
    assert warning.where == str(repo / ".gortex.yaml")
    assert complaint in warning.what
    assert loaded.settings.watch.settle_ms == 7


def test_a_key_that_stands_twice_is_named_and_the_last_counts(paths: Paths, repo: Path) -> None:
    loaded = from_file(paths, repo, "watch:\n  settle_ms: 1\n  settle_ms: 2\n")
    assert loaded.settings.watch.settle_ms == 2
    assert [w.what for w in loaded.warnings] == ["has 'settle_ms' twice, again at line 3; the last counts"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_part_of_the_first_key(paths: Paths, repo: Path, encoding: str) -> None:
    loaded = from_file(paths, repo, "watch: {settle_ms: 9}\n".encode(encoding))
    assert loaded.settings.watch.settle_ms == 9
    assert loaded.warnings == ()


@pytest.mark.parametrize("content", ["", "# nothing\n", "watch:\n"])
def test_an_empty_file_says_nothing(paths: Paths, repo: Path, content: str) -> None:
    loaded = from_file(paths, repo, content)
    assert loaded.warnings == ()
    assert loaded.settings == build_settings({})


def test_a_directory_or_a_pipe_of_that_name_is_not_opened(paths: Paths, repo: Path) -> None:
    (repo / ".gortex.yaml").mkdir()
    os.mkfifo(paths.config_file)
    first, second = load(paths, {}, repo=repo).warnings
    assert first.what == "is a directory, expected a file"
    assert second.what == "is not a regular file"


def test_a_value_that_shares_its_parts_is_shown_short(paths: Paths, repo: Path) -> None:
    shared = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nwatch: {settle_ms: [*c, *c, *c, *c]}\n"
    loaded = from_file(paths, repo, shared)
    assert all(len(warning.what) < 400 for warning in loaded.warnings)


def test_the_variant_has_a_short_variable_and_an_unknown_one_is_named_with_the_choices() -> None:
    chosen = load_settings(environment_layers({"GORTEX_EMBEDDINGS_VARIANT": "glove-50d"}))
    assert (chosen.settings.embedding.variant, chosen.warnings) == ("glove-50d", ())
    refused = load_settings(environment_layers({"GORTEX_EMBEDDINGS_VARIANT": "glove-300d"}))
    assert refused.settings.embedding.variant == ""
    choices = ", ".join(VARIANTS)
    assert refused.warnings[0].what == f"GORTEX_EMBEDDINGS_VARIANT is 'glove-300d', expected one of {choices}"


def test_an_empty_variant_is_the_default_and_no_mistake(paths: Paths, repo: Path) -> None:
    (repo / ".gortex.yaml").write_text('embedding:\n  variant: ""\n')
    loaded = load(paths, {}, repo=repo)
    assert (loaded.settings.embedding.variant, loaded.warnings) == ("", ())
