"""The user's MCP servers as the tool desk sees them: their tools are catalogues, their calls are passed on."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial

from gortex_py.discovery.catalog import Tool
from gortex_py.discovery.savings import total_tokens
from gortex_py.discovery.shapes import read_catalogue
from gortex_py.errors import NotFound
from gortex_py.service.events import EventBus
from gortex_py.service.tool_catalogues import Catalogue, CatalogueShelf
from gortex_py.service.tool_options import ToolOptions
from gortex_py.service.tool_policy import ToolPolicy, catalogue_of, digest_of, first_pins, server_of
from gortex_py.service.tool_results import bounded, then
from gortex_py.service.upstream.fleet import Fleet, ServerStatus
from gortex_py.service.upstream.server import ServerState
from gortex_py.settings.mcp_servers import ServerConfig, ServerList
from gortex_py.store.tools import ToolStore
from gortex_py.types import JsonObject, Problem

logger = logging.getLogger(__name__)

SERVER_EVENT = "tool-server"


@dataclass(frozen=True, slots=True)
class ServerView:
    """A server with what is known of its tools."""

    status: ServerStatus
    tools: int  # that can be used
    withheld: int
    changed: tuple[str, ...]  # own names of tools whose definition awaits approval
    tokens: int  # estimate of the definitions that can be used


@dataclass(frozen=True, slots=True)
class Shared:
    """What the desk shares with its servers. Its lock is always taken before one of the fleet's."""

    lock: threading.RLock
    shelf: CatalogueShelf
    open_store: Callable[[], ToolStore]
    on_change: Callable[[ToolStore], None]  # the tools are others now
    events: EventBus


class ServerDesk:
    """The servers. Every method may be called from any thread."""

    def __init__(self, options: ToolOptions, load: Callable[[], ServerList], shared: Shared) -> None:
        self._options = options
        self._shared = shared
        self._pins: dict[tuple[str, str], str] = {}
        self._policy = ToolPolicy()
        self._counted: dict[str, tuple[Catalogue | None, ToolPolicy, ServerView]] = {}  # what counting takes long
        self._fleet = Fleet(
            load,
            options.upstream,
            on_listed=self._take_listing,
            on_state=self._tell,
            is_known=lambda name: shared.shelf.find(catalogue_of(name)) is not None,
        )

    @property
    def policy(self) -> ToolPolicy:
        """What is withheld, and what is never hidden."""
        return self._policy

    def begin(self, store: ToolStore) -> None:
        """Apply the user's setup to what is on disk; called once it is loaded."""
        self._pins = store.pins() if self._options.pin_definitions else {}
        self._apply_policy()

    def close(self) -> None:
        """Stop every server. The desk's lock must be free: a server may be handing in its tools."""
        self._fleet.close()

    def views(self) -> list[ServerView]:
        """Return the servers by name."""
        with self._shared.lock:
            self._shared.open_store()
            return [self._view(status) for status in self._fleet.statuses()]

    def view(self, name: str) -> ServerView:
        """Return one server.

        :raises NotFound: when there is none of that name.
        """
        with self._shared.lock:
            self._shared.open_store()
            return self._view(self._fleet.status(name))

    def problems(self) -> tuple[Problem, ...]:
        """Return what of the user's file could not be used."""
        with self._shared.lock:
            return self._fleet.problems()

    def troubled(self) -> list[ServerStatus]:
        """Return the servers that failed, or of whose tools nothing is known yet."""
        with self._shared.lock:
            return [
                status
                for status in self._fleet.statuses()
                if status.state in (ServerState.FAILED, ServerState.CONFIGURED, ServerState.STARTING)
                and (status.state is ServerState.FAILED or not self._is_known(status.name))
            ]

    def trouble_of(self, catalogue: str) -> list[str]:
        """Return what is wrong with the server that fills a catalogue, as sentences."""
        failed = {status.name: status for status in self.troubled() if status.state is ServerState.FAILED}
        status = failed.get(server_of(catalogue) or "")
        return [] if status is None else [f"its server failed: {status.error}; a call starts it again"]

    def reload(self) -> list[ServerView]:
        """Read the user's file anew; what is gone from it is forgotten, unless the file cannot be read."""
        with self._shared.lock:
            store = self._shared.open_store()
            self._fleet.reload()
            names = {config.name for config in self._fleet.configs()}
            for catalogue in self._shared.shelf.all() if not self._fleet.problems() else ():
                server = server_of(catalogue.name)
                if server is not None and server not in names:
                    self._shared.shelf.delete(store, catalogue.name)
            self._apply_policy()
            self._shared.on_change(store)
            return self.views()

    def refresh(self, name: str) -> Future[ServerView]:
        """List a server's tools anew; the future raises UpstreamFailed when it cannot be reached.

        :raises NotFound: when there is none of that name.
        """
        with self._shared.lock:
            self._shared.open_store()
            work = self._fleet.refresh(name)
        return then(work, lambda _: self.view(name))

    def refresh_unknown(self) -> list[Future[None]]:
        """List the servers of whose tools nothing is known and that were not tried yet."""
        with self._shared.lock:
            self._shared.open_store()
            return self._fleet.refresh_unknown()

    def approve(self, name: str, tools: Collection[str] | None = None) -> ServerView:
        """Take the definitions of changed tools, all when None, as approved.

        :raises NotFound: when there is no such server, or a tool of it is not known.
        """
        with self._shared.lock:
            store = self._shared.open_store()
            self._fleet.status(name)
            catalogue = self._shared.shelf.find(catalogue_of(name))
            known = {tool.card.mcp_tool_name: tool for tool in catalogue.tools} if catalogue else {}
            unknown = [each for each in tools or () if each not in known]
            if unknown:
                raise NotFound(f"{name} has no tool {unknown[0][:80]!r}; nothing was approved", code="unknown-tool")
            chosen = known.values() if tools is None else [known[each] for each in tools]
            pins = {(catalogue_of(name), tool.name): digest_of(tool) for tool in chosen}
            store.put_pins(pins)
            if self._options.pin_definitions:
                self._pins.update(pins)
            self._apply_policy()
            self._shared.on_change(store)
            return self.view(name)

    def call(self, server: str, tool: Tool, arguments: JsonObject) -> Future[JsonObject]:
        """Pass a call on; the answer is the server's own, cut where it is too long.

        :raises NotFound: when there is no server of that name.
        """
        may_repeat = tool.hints("readOnlyHint") or tool.hints("idempotentHint")
        with self._shared.lock:
            work = self._fleet.call(server, tool.card.mcp_tool_name or tool.name, arguments, may_repeat=may_repeat)
        return then(work, partial(bounded, max_bytes=self._options.max_result_bytes))

    # --- inside -----------------------------------------------------------------------------

    def _apply_policy(self) -> None:
        pins = self._pins if self._options.pin_definitions else None
        self._policy = ToolPolicy(self._fleet.configs(), pins)
        self._shared.shelf.set_policy(self._policy)

    def _take_listing(self, config: ServerConfig, tools: list[JsonObject]) -> None:
        name = catalogue_of(config.name)
        read = read_catalogue({"tools": tools}, server=config.name)
        for error in read.errors:
            logger.warning("%s: its tool %r is left out: %s", config.name, error.name[:80], error.message)
        with self._shared.lock:
            store = self._shared.open_store()
            before = self._shared.shelf.find(name)
            change = self._shared.shelf.put(store, name, read)
            if self._options.pin_definitions:
                fresh = first_pins(name, change.catalogue.tools, self._pins)
                store.put_pins(fresh)
                self._pins.update(fresh)
            if before is None or before.version != change.catalogue.version:
                self._apply_policy()
                self._shared.on_change(store)

    def _is_known(self, name: str) -> bool:
        return self._shared.shelf.find(catalogue_of(name)) is not None

    def _tell(self, name: str) -> None:
        self._shared.events.publish(SERVER_EVENT, server=name)

    def _view(self, status: ServerStatus) -> ServerView:
        name = catalogue_of(status.name)
        catalogue = self._shared.shelf.find(name)
        kept = self._counted.get(name)
        if kept is None or kept[0] is not catalogue or kept[1] is not self._policy:
            tools = catalogue.tools if catalogue else ()
            usable = [tool for tool in tools if self._policy.reason(name, tool) is None]
            changed = tuple(tool.card.mcp_tool_name or "" for tool in tools if self._policy.is_changed(name, tool))
            view = ServerView(status, len(usable), len(tools) - len(usable), changed, total_tokens(usable))
            self._counted[name] = kept = (catalogue, self._policy, view)
        return replace(kept[2], status=status)
