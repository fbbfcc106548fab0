"""The catalogues in memory: put, merged, deleted, and what sessions share of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from gortex_py.discovery.catalog import Tool
from gortex_py.discovery.registry import ToolRegistry
from gortex_py.discovery.shapes import ItemError, ReadCatalogue, read_catalogue, write_tool
from gortex_py.errors import Conflict, NotFound, UsageError
from gortex_py.service.tool_policy import ToolPolicy, server_of
from gortex_py.store.tools import StoredCatalogue, ToolStore

SHOWN_ERRORS = 5


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A catalogue as it is now."""

    name: str
    version: int  # counts the changes of content
    digest: str
    tools: tuple[Tool, ...]


@dataclass(frozen=True, slots=True)
class CatalogueChange:
    """What putting a catalogue changed; names in the order of the catalogue."""

    catalogue: Catalogue
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    errors: tuple[ItemError, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose tools a session sees."""

    catalogues: tuple[str, ...] | None = None  # all when None, those that come later too
    servers_only: bool = False  # only what can be called: the catalogues of MCP servers


class CatalogueShelf:
    """The catalogues. Its owner sees to it that one thread at a time is in here."""

    def __init__(self, *, is_deep: bool = False) -> None:
        self._is_deep = is_deep
        self._catalogues: dict[str, Catalogue] = {}
        self._registries: dict[Scope, ToolRegistry] = {}
        self._origins: dict[Scope, dict[str, str]] = {}
        self._policy = ToolPolicy()

    def load(self, store: ToolStore) -> None:
        """Read what is on disk."""
        self._catalogues = {each.name: _loaded(each) for each in store.catalogues()}
        self._forget()

    def set_policy(self, policy: ToolPolicy) -> None:
        """Withhold by other rules from now on."""
        self._policy = policy
        self._forget()

    def all(self) -> list[Catalogue]:
        """Return the catalogues by name."""
        return [self._catalogues[name] for name in sorted(self._catalogues)]

    def find(self, name: str) -> Catalogue | None:
        """Return a catalogue, None when there is none of that name."""
        return self._catalogues.get(name)

    def get(self, name: str) -> Catalogue:
        """Return a catalogue.

        :raises NotFound: when there is none of that name.
        """
        found = self._catalogues.get(name)
        if found is None:
            known = ", ".join(sorted(self._catalogues)[:20]) or "none"
            raise NotFound(f"no catalogue named {name[:80]!r}; there are: {known}", code="unknown-catalogue")
        return found

    def put(self, store: ToolStore, name: str, read: ReadCatalogue) -> CatalogueChange:
        """Put a catalogue in the place of what had its name; the same content changes nothing."""
        definitions = tuple(orjson.dumps(write_tool(tool)).decode() for tool in read.tools)
        digest = hashlib.sha256("\n".join(definitions).encode()).hexdigest()
        before = self._catalogues.get(name)
        if before is None or before.digest != digest:
            version = before.version + 1 if before else 1
            store.put_catalogue(StoredCatalogue(name, version, digest, definitions))
            self._catalogues[name] = Catalogue(name, version, digest, read.tools)
            self._forget()
        return _change(before, self._catalogues[name], read.errors)

    def merged(self, name: str, read: ReadCatalogue) -> ReadCatalogue:
        """Return what a catalogue would be with some tools put into it: at their old places, new ones at the end."""
        before = self._catalogues.get(name)
        tools = {tool.name: tool for tool in before.tools} if before else {}
        tools.update((tool.name, tool) for tool in read.tools)
        return ReadCatalogue(tuple(tools.values()), read.errors)

    def delete(self, store: ToolStore, name: str) -> Catalogue:
        """Delete a catalogue.

        :raises NotFound: when there is none of that name.
        """
        gone = self.get(name)
        store.delete_catalogue(name)
        del self._catalogues[name]
        self._forget()
        return gone

    def chosen(self, scope: Scope) -> list[Catalogue]:
        """Return the catalogues of a scope; of tools with one name the first catalogue's counts.

        Those of servers come before posted ones, so that nobody can put a tool in the place of a server's.
        """
        if scope.catalogues is not None:
            within = [self._catalogues[name] for name in scope.catalogues if name in self._catalogues]
        else:
            within = sorted(self.all(), key=lambda each: server_of(each.name) is None)
        return [each for each in within if not scope.servers_only or server_of(each.name) is not None]

    def registry(self, scope: Scope) -> ToolRegistry:
        """Return the tools of a scope that are not withheld; the same object until something changes."""
        if scope not in self._registries:
            tools: dict[str, Tool] = {}
            origins: dict[str, str] = {}
            for catalogue in self.chosen(scope):
                for tool in catalogue.tools:
                    if tool.name not in tools and self._policy.reason(catalogue.name, tool) is None:
                        tools[tool.name] = tool
                        origins[tool.name] = catalogue.name
            self._registries[scope] = ToolRegistry(tools, is_deep=self._is_deep)
            self._origins[scope] = origins
        return self._registries[scope]

    def origin(self, scope: Scope, tool: str) -> str | None:
        """Return the catalogue that a tool of a scope comes from."""
        self.registry(scope)
        return self._origins[scope].get(tool)

    def holders(self, tool: str) -> dict[str, str | None]:
        """Return the catalogues that have a tool of that name, each with why it is withheld there."""
        held = {}
        for catalogue in self.chosen(Scope()):
            for each in catalogue.tools:
                if each.name == tool:
                    held[catalogue.name] = self._policy.reason(catalogue.name, each)
        return held

    def missing(self, scope: Scope, tool: str) -> NotFound | Conflict:
        """Return the error of a tool that a scope does not have."""
        within = {each.name for each in self.chosen(scope)}
        for catalogue, reason in self.holders(tool).items():
            if catalogue in within and reason is not None:
                return Conflict(f"{tool[:80]} is withheld: {reason}", code="tool-withheld")
        return NotFound(f"the session has no tool {tool[:80]!r}", code="unknown-tool")

    def _forget(self) -> None:
        """Drop what was derived from the catalogues."""
        self._registries.clear()
        self._origins.clear()


def read_checked(body: object, *, server: str, strict: bool) -> ReadCatalogue:
    """Read a catalogue's tools.

    :param strict: refuse all when one item cannot be taken.
    :raises UsageError: when the body holds no list of tools; when strict, naming the first bad items.
    """
    read = read_catalogue(body, server=server)
    if strict and read.errors:
        shown = "; ".join(f"item {each.position}: {each.message}" for each in read.errors[:SHOWN_ERRORS])
        more = f"; and {len(read.errors) - SHOWN_ERRORS} more" if len(read.errors) > SHOWN_ERRORS else ""
        raise UsageError(f"nothing was changed, since some items cannot be taken: {shown}{more}", code="bad-items")
    return read


def _change(before: Catalogue | None, after: Catalogue, errors: Sequence[ItemError]) -> CatalogueChange:
    known: Mapping[str, Tool] = {tool.name: tool for tool in before.tools} if before else {}
    now = {tool.name: tool for tool in after.tools}
    changed = tuple(each for each, tool in now.items() if each in known and known[each] != tool)
    added = tuple(each for each in now if each not in known)
    return CatalogueChange(
        catalogue=after,
        added=added,
        changed=changed,
        removed=tuple(each for each in known if each not in now),
        unchanged=len(now) - len(added) - len(changed),
        errors=tuple(errors),
    )


def _loaded(stored: StoredCatalogue) -> Catalogue:
    items = [orjson.loads(text) for text in stored.definitions]
    return Catalogue(stored.name, stored.version, stored.digest, read_catalogue(items, server=stored.name).tools)
