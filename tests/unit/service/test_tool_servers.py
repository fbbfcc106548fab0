"""The tools of MCP servers in the tool desk: hidden, found, called, withheld, kept over a restart."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gortex_py.discovery.modes import SEARCH_TOOL_NAME, DiscoveryMode, DiscoveryOptions
from gortex_py.errors import Conflict, NotFound, UpstreamFailed
from gortex_py.service.events import EventBus
from gortex_py.service.tool_options import ToolOptions
from gortex_py.service.tool_sessions import SessionRequest
from gortex_py.service.tools import ToolDesk
from gortex_py.service.upstream.server import ServerState
from gortex_py.settings.mcp_servers import ServerConfig, ServerList
from tests.mcp_servers import config
from tests.unit.service.test_tools import listing

LIMIT_S = 20.0
HIDING = SessionRequest(DiscoveryOptions(DiscoveryMode.MCP_ONLY), servers_only=True)


class Desk:
    """A desk over servers that a test can change."""

    def __init__(self, folder: Path, servers: list[ServerConfig], **options: Any) -> None:
        self.servers = servers
        self.problems: tuple[Any, ...] = ()
        load = lambda: ServerList(tuple(self.servers), self.problems)  # noqa: E731
        self.desk = ToolDesk(folder / "tools.db", EventBus(), options=ToolOptions(**options), load_servers=load)

    def listed(self, name: str = "small") -> ToolDesk:
        self.desk.servers.refresh(name).result(LIMIT_S)
        return self.desk


Make = Callable[..., Desk]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Desk] = []

    def build(*servers: ServerConfig, **options: Any) -> Desk:
        made.append(Desk(tmp_path, list(servers), **options))
        return made[-1]

    yield build
    for each in made:
        each.desk.close()


def test_a_hidden_tool_is_found_called_and_active_from_then_on(make: Make) -> None:
    desk = make(config()).listed()
    session = desk.open_session(HIDING)
    assert (session.active, session.discoverable) == ((SEARCH_TOOL_NAME,), 8)
    result = desk.call(session.id, "mcp__small_shout", {"text": "a"}).result(LIMIT_S)
    assert result["structuredContent"] == {"said": "A"}
    assert desk.session(session.id).active == (SEARCH_TOOL_NAME, "mcp__small_shout")
    definition = desk.definition(session.id, "mcp__small_shout")
    assert definition.extras["annotations"] == {"readOnlyHint": True}
    found = desk.search(session.id, "refuse fail")
    assert found.activated == ("mcp__small_refuse",)


def test_tools_stay_known_over_a_restart_without_starting_anything(make: Make, tmp_path: Path) -> None:
    log = tmp_path / "log"
    first = make(config("small", "--log", str(log)))
    session = first.listed().open_session(HIDING).id
    first.desk.search(session, "shout")
    first.desk.close()
    again = make(config("small", "--log", str(log))).desk
    assert again.session(session).active == (SEARCH_TOOL_NAME, "mcp__small_shout")
    (view,) = again.servers.views()
    assert (view.status.state, view.tools, view.status.pid) == (ServerState.KNOWN, 8, None)
    assert log.read_text().splitlines() == ["start"]
    assert again.call(session, "mcp__small_shout", {"text": "b"}).result(LIMIT_S)["content"][0]["text"] == "B"


def test_a_server_that_fails_hides_no_other_and_is_named(make: Make) -> None:
    whole = make(config(), config("bad", "--mood", "exits"))
    desk = whole.listed()
    with pytest.raises(UpstreamFailed):
        whole.listed("bad")
    assert [(each.name, each.state) for each in desk.servers.troubled()] == [("bad", ServerState.FAILED)]
    assert desk.rank(None, "capitals").matches[0].card.name == "mcp__small_shout"


def test_an_explanation_names_a_server_that_failed(make: Make) -> None:
    desk = make(config()).listed()
    session = desk.open_session(HIDING).id
    assert desk.explain(session, "mcp__small_die").reasons == (
        "mode mcp-only hides it; search for it, or activate it by name",
    )
    with pytest.raises(UpstreamFailed):
        desk.call(session, "mcp__small_die", {}).result(LIMIT_S)
    assert desk.explain(session, "mcp__small_shout").reasons[-1] == (
        "its server failed: it ended with status 3; a call starts it again"
    )


def test_blocked_tools_are_neither_seen_nor_called(make: Make) -> None:
    desk = make(config(block=("shout",))).listed()
    session = desk.open_session(HIDING)
    assert session.registered == 7
    with pytest.raises(Conflict, match="mcp__small_shout is withheld: the setup of small blocks it") as raised:
        desk.call(session.id, "mcp__small_shout", {})
    assert raised.value.code == "tool-withheld"
    assert desk.explain(session.id, "mcp__small_shout").state == "withheld"
    assert desk.servers.view("small").withheld == 1


@pytest.mark.parametrize(
    ("how", "usable"),
    [({"allow": ("shout", "die")}, {"shout", "die"}), ({"read_only": True}, {"shout"}), ({"allow": ()}, set())],
)
def test_a_setup_can_leave_few_tools(make: Make, how: dict[str, Any], usable: set[str]) -> None:
    desk = make(config(**how)).listed()
    assert {tool.card.mcp_tool_name for _, tool in desk.usable()} == usable


def test_default_servers_and_essential_tools_are_never_hidden(make: Make) -> None:
    whole = make(config("open", default=True), config("small", essential=("shout",)))
    whole.listed("open")
    active = whole.listed().open_session(HIDING).active
    assert "mcp__small_shout" in active
    assert "mcp__small_die" not in active
    assert "mcp__open_die" in active


def test_a_changed_definition_waits_for_approval(make: Make) -> None:
    whole = make(config(), pin_definitions=True)
    session = whole.listed().open_session(HIDING).id
    whole.desk.activate(session, ["mcp__small_shout"])
    whole.servers[:] = [config("small", "--changed", "--tools", "1")]
    whole.desk.servers.reload()
    desk = whole.listed()
    assert desk.servers.view("small").changed == ("shout",)
    with pytest.raises(Conflict, match="small changed its definition since it was approved"):
        desk.call(session, "mcp__small_shout", {})
    assert desk.session(session).active == (SEARCH_TOOL_NAME,)
    assert desk.definition(session, "mcp__small_extra_0").name == "mcp__small_extra_0"
    with pytest.raises(NotFound):
        desk.servers.approve("small", ["nobody"])
    assert desk.servers.approve("small").changed == ()
    assert desk.session(session).active == (SEARCH_TOOL_NAME, "mcp__small_shout")
    desk.close()
    again = make(config("small", "--changed"), pin_definitions=True).desk
    assert again.servers.view("small").changed == ()


def test_without_pins_a_changed_definition_counts_at_once(make: Make) -> None:
    whole = make(config())
    whole.listed()
    whole.servers[:] = [config("small", "--changed")]
    whole.desk.servers.reload()
    assert whole.listed().rank(None, "stranger").matches[0].card.name == "mcp__small_shout"


def test_a_posted_catalogue_never_stands_before_a_server(make: Make) -> None:
    desk = make(config()).listed()
    desk.put_catalogue("a", listing("shout"), server="small")
    session = desk.open_session(SessionRequest(DiscoveryOptions(DiscoveryMode.MCP_ONLY))).id
    assert desk.call(session, "mcp__small_shout", {"text": "c"}).result(LIMIT_S)["content"][0]["text"] == "C"
    desk.put_catalogue("a", listing("other"), server="small")
    with pytest.raises(Conflict) as raised:
        desk.call(session, "mcp__small_other", {})
    assert raised.value.code == "not-callable"
    with pytest.raises(Conflict):
        desk.delete_catalogue("mcp:small")


def test_a_server_that_is_gone_from_the_setup_is_forgotten(make: Make) -> None:
    whole = make(config(), config("other"))
    whole.listed("other")
    session = whole.listed().open_session(HIDING).id
    whole.desk.activate(session, ["mcp__small_shout"])
    whole.servers[:] = []
    whole.problems = ("the file cannot be read",)
    whole.desk.servers.reload()
    assert [each.name for each in whole.desk.catalogues()] == ["mcp:other", "mcp:small"]
    assert whole.desk.session(session).registered == 0
    whole.problems = ()
    whole.desk.servers.reload()
    assert whole.desk.catalogues() == []
    whole.servers[:] = [config()]
    whole.desk.servers.reload()
    assert whole.listed().session(session).selected == ("mcp__small_shout",)


def test_a_long_result_is_cut_and_says_so(make: Make) -> None:
    desk = make(config(), max_result_bytes=2048).listed()
    session = desk.open_session(HIDING).id
    result = desk.call(session, "mcp__small_recite", {"text": "5000"}).result(LIMIT_S)
    first, note = result["content"]
    assert first["text"].startswith("la la ")
    assert len(first["text"]) <= 1024
    assert note["text"].startswith("[cut: the result has ")


def test_the_protocol_library_is_loaded_by_the_first_start_alone(tmp_path: Path) -> None:
    import subprocess

    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from gortex_py.service.compose import Places, compose\n"
        "from gortex_py.settings.paths import Paths\n"
        "from gortex_py.settings.schema import build_settings\n"
        "from gortex_py.surfaces.http.app import make_app\n"
        "import gortex_py.surfaces.http.server, gortex_py.surfaces.cli.commands.search\n"
        f"home = Path({str(tmp_path)!r})\n"
        "service = compose(Paths.from_environment({}, home), build_settings({}), Places(home))\n"
        "make_app(service)\n"
        "service.tools.catalogues()\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('mcp', 'mcp_types', 'httpx2', 'jsonschema')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "[]"
