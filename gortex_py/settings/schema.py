"""Every setting, declared once. Flags, environment names, config/default.yaml and the docs derive from it.

``python -m gortex_py.settings.schema`` writes the text of config/default.yaml to stdout.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from gortex_py.embed.variants import VARIANTS

WordLists: TypeAlias = Mapping[str, tuple[str, ...]]  # label -> words
Value: TypeAlias = bool | int | float | str | tuple[str, ...] | WordLists | None


class ValueType(StrEnum):
    """The type of a setting's value; the value is what messages call it."""

    TRISTATE = "true, false or nothing"
    BOOL = "true or false"
    INT = "a whole number"
    FLOAT = "a number"
    STR = "text"
    NAMES = "a list of names"
    WORD_LISTS = "a list of words for each label"


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that can be set."""

    key: str  # "section.name"
    type: ValueType
    default: Value
    help: str  # one sentence, no trailing stop
    minimum: float | None = None  # inclusive
    maximum: float | None = None  # inclusive
    choices: tuple[str, ...] = ()
    flag: str | None = None  # of the command that has it
    override_env: str | None = None  # an older, shorter name that wins as flags do
    stales_index: bool = False  # another value makes what is on disk wrong
    per_repo: bool = True  # a repository's own file may set it

    @property
    def section(self) -> str:
        return self.key.split(".", 1)[0]

    @property
    def name(self) -> str:
        return self.key.split(".", 1)[1]

    @property
    def env(self) -> str:
        return "GORTEX_" + self.key.upper().replace(".", "_")


# A repository is other people's text: what it may set concerns its own index, never the machine or the network.
SETTINGS: tuple[Setting, ...] = (
    Setting(
        "embedding.enabled",
        ValueType.TRISTATE,
        None,
        "whether vectors are made and searched; nothing said means yes",
        flag="--embeddings",
        override_env="GORTEX_EMBEDDINGS",
    ),
    Setting("embedding.provider", ValueType.STR, "static", "what makes the vectors", stales_index=True),
    Setting(
        "embedding.variant",
        ValueType.STR,
        "",
        "which of the provider's models makes them; nothing said means its default",
        choices=VARIANTS,
        override_env="GORTEX_EMBEDDINGS_VARIANT",
        stales_index=True,
    ),
    Setting(
        "embedding.chunk_threshold_lines",
        ValueType.INT,
        60,
        "symbols of more lines than this are cut into windows",
        minimum=2,
        stales_index=True,
    ),
    Setting(
        "embedding.chunk_window_lines",
        ValueType.INT,
        40,
        "the most lines of such a window",
        minimum=2,
        stales_index=True,
    ),
    Setting(
        "index.max_file_bytes",
        ValueType.INT,
        8 * 1024 * 1024,
        "larger files are not indexed, and listed as too large",
        minimum=1,
        stales_index=True,
    ),
    Setting(
        "index.workers",
        ValueType.INT,
        0,
        "processes that read and parse files; 0 is one a core",
        minimum=0,
        maximum=256,
        per_repo=False,
    ),
    Setting("watch.enabled", ValueType.BOOL, True, "whether edits are followed without being asked"),
    Setting("watch.settle_ms", ValueType.INT, 150, "how long a change must rest before it is indexed", minimum=0),
    Setting(
        "watch.max_wait_ms",
        ValueType.INT,
        600,
        "the longest a change waits while others keep coming",
        minimum=0,
    ),
    Setting(
        "watch.poll_interval_s",
        ValueType.FLOAT,
        15.0,
        "seconds between looks at the files where the system cannot report changes",
        minimum=0.1,
    ),
    Setting("daemon.host", ValueType.STR, "127.0.0.1", "address the daemon listens on", flag="--host", per_repo=False),
    Setting(
        "daemon.port",
        ValueType.INT,
        7411,
        "port the daemon listens on; 0 takes a free one",
        minimum=0,
        maximum=65_535,
        flag="--port",
        per_repo=False,
    ),
    Setting(
        "daemon.http_token",
        ValueType.STR,
        None,
        "what clients must send as a bearer token; needed to listen on other than this machine",
        per_repo=False,
    ),
    Setting(
        "search.keyword_soup_rewrite",
        ValueType.STR,
        "split",
        "what is done with a list of keywords that is not a question",
        choices=("split", "nudge", "off"),
    ),
    Setting(
        "search.equivalence_classes",
        ValueType.BOOL,
        True,
        "whether a word also finds what others call the same (login, authenticate)",
    ),
    Setting(
        "search.equivalence_extra",
        ValueType.WORD_LISTS,
        {},
        "more words that mean one thing here, as label: [word, word]; they join the built-in ones",
    ),
    Setting(
        "search.mined_concepts",
        ValueType.BOOL,
        False,
        "whether words that names here often put together find each other, too",
    ),
    Setting(
        "search.task_memory",
        ValueType.BOOL,
        True,
        "whether what is opened after a search is learned, on this machine alone, and lifts it in later ones",
        per_repo=False,
    ),
    Setting(
        "search.git_history",
        ValueType.BOOL,
        True,
        "whether the subjects of a file's past commits are read from git and speak for it",
    ),
    Setting(
        "search.latent",
        ValueType.BOOL,
        True,
        "whether files count that are about the same as the query, by the words that go together here",
    ),
    Setting(
        "search.graph",
        ValueType.BOOL,
        False,
        "whether a file counts for more when much of the code, or what answers best, leans on it",
    ),
    Setting(
        "tools.discovery_mode",
        ValueType.STR,
        "auto",
        "which tools are hidden until a search finds them; auto hides those of MCP servers when there are more than 40",
        choices=("auto", "off", "mcp-only", "all"),
        per_repo=False,
    ),
    Setting(
        "tools.essential_override",
        ValueType.NAMES,
        (),
        "built-in tools that are never hidden, in place of the default ones",
        per_repo=False,
    ),
    Setting(
        "tools.activate",
        ValueType.BOOL,
        True,
        "whether a search switches on what it finds; without it a search only ranks",
        per_repo=False,
    ),
    Setting(
        "tools.min_coverage",
        ValueType.FLOAT,
        0.0,
        "the share of a query's words, without such as 'the', that a tool must have to be found",
        minimum=0,
        maximum=1,
        per_repo=False,
    ),
    Setting(
        "tools.relative_floor",
        ValueType.FLOAT,
        0.0,
        "the share of the best score that a tool must have to be found",
        minimum=0,
        maximum=1,
        per_repo=False,
    ),
    Setting(
        "tools.exact_name_first",
        ValueType.BOOL,
        False,
        "whether a tool whose name is the query comes first",
        per_repo=False,
    ),
    Setting(
        "tools.max_active",
        ValueType.INT,
        0,
        "the most tools that searches keep switched on in a session, those unused for longest go; 0 is no limit",
        minimum=0,
        per_repo=False,
    ),
    Setting(
        "tools.compact_signatures",
        ValueType.BOOL,
        False,
        "whether a search answers with a one-line signature of each tool",
        per_repo=False,
    ),
    Setting(
        "tools.frozen_description",
        ValueType.BOOL,
        False,
        "whether the search tool describes itself the same all through a session, which keeps prompt caches valid",
        per_repo=False,
    ),
    Setting(
        "tools.count_tokens",
        ValueType.BOOL,
        False,
        "whether answers say how many tokens the definitions of the active and the hidden tools take",
        per_repo=False,
    ),
    Setting(
        "tools.pin_definitions",
        ValueType.BOOL,
        False,
        "whether a tool whose definition its MCP server changed is withheld until the change is approved",
        per_repo=False,
    ),
    Setting(
        "tools.deep_search",
        ValueType.BOOL,
        False,
        "whether searches read whole descriptions and those of parameters, and take the forms of a word as one",
        per_repo=False,
    ),
    Setting(
        "mcp.discovery_mode",
        ValueType.BOOL,
        False,
        "the older switch: on hides the tools of MCP servers where tools.discovery_mode does not say otherwise",
        per_repo=False,
    ),
    Setting(
        "mcp.discovery_default_servers",
        ValueType.NAMES,
        (),
        "MCP servers whose tools are never hidden",
        per_repo=False,
    ),
    Setting(
        "mcp.start_timeout_s",
        ValueType.FLOAT,
        30.0,
        "seconds that an MCP server may take to start and list its tools",
        minimum=0.1,
        maximum=3600,
        per_repo=False,
    ),
    Setting(
        "mcp.call_timeout_s",
        ValueType.FLOAT,
        60.0,
        "seconds that a call of a tool may take where its server sets nothing else",
        minimum=0.1,
        maximum=86_400,
        per_repo=False,
    ),
    Setting(
        "mcp.idle_stop_s",
        ValueType.FLOAT,
        600.0,
        "seconds without a call after which an MCP server is stopped; 0 is never",
        minimum=0,
        per_repo=False,
    ),
    Setting(
        "mcp.max_result_bytes",
        ValueType.INT,
        4 * 1024 * 1024,
        "a longer result of a tool is cut, and says so",
        minimum=1024,
        per_repo=False,
    ),
)

BY_KEY: Mapping[str, Setting] = {setting.key: setting for setting in SETTINGS}
SECTIONS: tuple[str, ...] = tuple(dict.fromkeys(setting.section for setting in SETTINGS))


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    enabled: bool | None
    provider: str
    variant: str  # empty for the provider's default
    chunk_threshold_lines: int
    chunk_window_lines: int


@dataclass(frozen=True, slots=True)
class IndexSettings:
    max_file_bytes: int
    workers: int  # 0 is one a core


@dataclass(frozen=True, slots=True)
class WatchSettings:
    enabled: bool
    settle_ms: int
    max_wait_ms: int
    poll_interval_s: float


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    host: str
    port: int
    http_token: str | None


@dataclass(frozen=True, slots=True)
class SearchSettings:
    keyword_soup_rewrite: str  # "split", "nudge" or "off"
    equivalence_classes: bool
    equivalence_extra: WordLists
    mined_concepts: bool
    task_memory: bool
    git_history: bool
    latent: bool
    graph: bool


@dataclass(frozen=True, slots=True)
class ToolSettings:
    discovery_mode: str  # "auto", "off", "mcp-only" or "all"
    essential_override: tuple[str, ...]
    activate: bool
    min_coverage: float
    relative_floor: float
    exact_name_first: bool
    max_active: int  # 0 is no limit
    compact_signatures: bool
    frozen_description: bool
    count_tokens: bool
    pin_definitions: bool
    deep_search: bool


@dataclass(frozen=True, slots=True)
class McpSettings:
    discovery_mode: bool
    discovery_default_servers: tuple[str, ...]
    start_timeout_s: float
    call_timeout_s: float
    idle_stop_s: float  # 0 is never
    max_result_bytes: int


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its value; what each means is in SETTINGS."""

    embedding: EmbeddingSettings
    index: IndexSettings
    watch: WatchSettings
    daemon: DaemonSettings
    search: SearchSettings
    tools: ToolSettings
    mcp: McpSettings


def build_settings(values: Mapping[str, Value]) -> Settings:
    """Return the record of values by key; a key that is left out has its default. Values are checked before."""

    # Any, because the registry holds the types; a test holds registry and records together.
    def section(name: str) -> dict[str, Any]:
        return {s.name: values.get(s.key, s.default) for s in SETTINGS if s.section == name}

    return Settings(
        embedding=EmbeddingSettings(**section("embedding")),
        index=IndexSettings(**section("index")),
        watch=WatchSettings(**section("watch")),
        daemon=DaemonSettings(**section("daemon")),
        search=SearchSettings(**section("search")),
        tools=ToolSettings(**section("tools")),
        mcp=McpSettings(**section("mcp")),
    )


def render_default() -> str:
    """Return the text of config/default.yaml: every setting, commented out, with its default."""
    lines = [
        "# Every setting with its default. Generated by python -m gortex_py.settings.schema; do not edit.",
        "# Copy what you change, without the leading '#', to ~/.gortex/config.yaml or a repository's .gortex.yaml.",
    ]
    for name in SECTIONS:
        lines += ["", f"# {name}:"]
        for setting in SETTINGS:
            if setting.section == name:
                lines += [f"#   # {_remark(setting)}", f"#   {setting.name}: {_yaml_scalar(setting.default)}"]
    return "\n".join(lines) + "\n"


def _yaml_scalar(value: Value) -> str:
    if value is None:
        return "null"
    if value == "":
        return '""'
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _remark(setting: Setting) -> str:
    parts = [setting.help]
    if setting.choices:
        parts.append("one of " + ", ".join(setting.choices))
    if not setting.per_repo:
        parts.append("not from a repository's file")
    return "; ".join(parts)


if __name__ == "__main__":
    sys.stdout.write(render_default())
