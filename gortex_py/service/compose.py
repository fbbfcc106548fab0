"""The composition root: paths and settings in, the service object out."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gortex_py.chunk import ChunkOptions
from gortex_py.embed.choose import Choice, EmbedOptions, choose_embedder
from gortex_py.embed.text import TEXT_VERSION
from gortex_py.index.enrich import Enricher
from gortex_py.index.graph import GraphEnricher
from gortex_py.index.history import HistoryEnricher
from gortex_py.index.indexer import Indexer, IndexOptions
from gortex_py.index.latent import latent_enrichers
from gortex_py.index.workers import WorkerPool
from gortex_py.protocols import Embedder, StoreReader
from gortex_py.query.shape import shape_of
from gortex_py.search.engine import Engine
from gortex_py.search.merge import search_repositories
from gortex_py.service.memory import DATABASE_NAME, MemoryDesk
from gortex_py.service.repositories import Registry
from gortex_py.service.search_options import make_search_options
from gortex_py.service.service import Service
from gortex_py.service.settle import SettleOptions
from gortex_py.service.tool_options import make_tool_options
from gortex_py.service.tracked import Embedding, Index, Indexing, Searching
from gortex_py.service.watcher import PathFilter, WatchOptions
from gortex_py.settings.mcp_servers import ServerList
from gortex_py.settings.paths import Paths, bundled
from gortex_py.settings.schema import Settings
from gortex_py.source.git_layout import find_git_layout, head_files
from gortex_py.source.walk import SourceTree, WalkOptions, is_ignore_file
from gortex_py.store.database import Store, StoreIdentity
from gortex_py.types import Query, SearchResult

WORD_TABLES = "embeddings"


@dataclass(frozen=True, slots=True)
class Places:
    """Where the user's git settings and own folders lie."""

    home: Path | None
    config_home: Path | None = None  # $XDG_CONFIG_HOME; ~/.config when None


class LocalParts:
    """The real parts, on this machine."""

    def __init__(
        self,
        settings: Settings,
        places: Places,
        *,
        for_repository: Callable[[Path], Settings] | None = None,
        memory: MemoryDesk | None = None,
    ) -> None:
        """Choose the embedder.

        :param for_repository: settings of a root, where its own file may differ from the daemon's.
        :param memory: what engines ask for what was learned; None for engines that ask nothing.
        """
        self._memory = memory
        self._settings = settings
        self._places = places
        self._for_repository = for_repository or (lambda root: settings)
        self._choice = _choose(settings)
        self._pool = WorkerPool(settings.index.workers)

    @property
    def embedding(self) -> Embedding:
        """Return what turns texts into vectors."""
        embedder = self._choice.embedder
        return Embedding(
            provider=embedder.name if embedder else None,
            variant=self._choice.variant,
            dim=embedder.dim if embedder else 0,
            lines=tuple((line.level, line.message) for line in self._choice.lines),
            problems=tuple(problem.what for problem in self._choice.problems),
        )

    def open_index(self, root: Path, folder: Path) -> Index:
        """Open the index of a root, or begin one."""
        embedder = self._choice.embedder
        identity = StoreIdentity(
            index_fingerprint=self._index_options(root).fingerprint,
            embedder_fingerprint=f"{embedder.fingerprint}/text-{TEXT_VERSION}" if embedder else "",
            dim=embedder.dim if embedder else 0,
        )
        return Store.open(folder, identity)

    def make_indexer(self, root: Path, index: Index) -> Indexing:
        """Return what keeps an index equal to its files; all share the worker processes."""
        options, enrichers = self._index_options(root), self._enrichers(root)
        return Indexer(root, index, self._choice.embedder, options, pool=self._pool, enrichers=enrichers)

    def make_engine(self, name: str, root: Path, reader: StoreReader) -> Engine:
        """Return what answers from the reader of a root's index."""
        options = make_search_options(self._for_repository(root).search)
        memory = self._memory.of(name) if self._memory else None
        return Engine(name, reader, self._choice.embedder, options=options, memory=memory)

    def make_filter(self, root: Path) -> PathFilter:
        """Return what of a tree the walk would look at, by the rules of this moment."""
        follows_commits = self._for_repository(root).search.git_history
        return TreeFilter(root, self._index_options(root).walk, follows_commits=follows_commits)

    def search(self, engines: Sequence[Searching], query: Query) -> SearchResult:
        """Return the merged answer."""
        return search_repositories([engine for engine in engines if isinstance(engine, Engine)], query)

    def search_nothing(self, query: Query) -> SearchResult:
        """Return the answer where nothing is indexed."""
        options = make_search_options(self._settings.search)
        shape = shape_of(query.text, keyword_soup_rewrite=options.keyword_soup_rewrite, concepts=options.concepts)
        return SearchResult(query=query, shape=shape, hits=(), total=0, warnings=(), generation=0)

    def prepare_workers(self) -> None:
        """Start the process that workers are forked from."""
        self._pool.prepare()

    def rest_workers(self) -> None:
        """End the worker processes until a pass needs them."""
        self._pool.close()

    def kill_workers(self) -> None:
        """End the worker processes at once and for good."""
        self._pool.kill(for_good=True)

    def close(self) -> None:
        """End the worker processes."""
        self._pool.close()

    def _enrichers(self, root: Path) -> Sequence[Enricher]:
        makers: list[Enricher] = []
        if self._for_repository(root).search.graph:
            makers.append(GraphEnricher())
        if self._for_repository(root).search.git_history:
            makers.append(HistoryEnricher(root, home=self._places.home, config_home=self._places.config_home))
        if self._for_repository(root).search.latent:
            makers += latent_enrichers()
        return makers

    def _index_options(self, root: Path) -> IndexOptions:
        settings = self._for_repository(root)
        return IndexOptions(
            walk=WalkOptions(
                max_file_bytes=settings.index.max_file_bytes,
                home=self._places.home,
                config_home=self._places.config_home,
            ),
            chunks=ChunkOptions(
                threshold_lines=settings.embedding.chunk_threshold_lines,
                window_lines=settings.embedding.chunk_window_lines,
            ),
        )


class TreeFilter:
    """What of a tree the walk would look at, by the rules at the time it was made."""

    def __init__(self, root: Path, options: WalkOptions, *, follows_commits: bool = False) -> None:
        self._tree = SourceTree(root, options)
        self._follows_commits = follows_commits
        self._lock = threading.Lock()

    def keeps(self, path: str, *, is_dir: bool) -> bool:
        """Say whether a path may matter; what is there no more may have mattered."""
        with self._lock:
            if is_dir:
                return not self._tree.is_ignored_folder(path)
            if self._tree.is_ignored_folder(path.rpartition("/")[0]):
                return False
            return self._tree.admit(path) is not None or not os.path.lexists(self._tree.root / path)

    def changes_rules(self, path: str) -> bool:
        """Say whether a file may hold rules."""
        return is_ignore_file(path)

    def rule_files(self) -> Iterable[Path]:
        """Return the rule files outside the tree, and git's HEAD: a branch switch calls for a whole look.

        So does a commit where commits are followed: it is rare, and a look at all files takes a moment.
        """
        layout = find_git_layout(self._tree.root)
        if layout is None:
            git_files: tuple[Path, ...] = ()
        elif self._follows_commits:
            git_files = head_files(layout)
        else:
            git_files = (layout.git_dir / "HEAD",)
        return (*self._tree.rule_files_outside(), *git_files)


def compose(
    paths: Paths,
    settings: Settings,
    places: Places,
    *,
    for_repository: Callable[[Path], Settings] | None = None,
    load_servers: Callable[[], ServerList] = ServerList,
) -> Service:
    """Return the service of a data folder, not started."""
    watch = WatchOptions(
        enabled=settings.watch.enabled,
        settle=SettleOptions(settle_ms=settings.watch.settle_ms, max_wait_ms=settings.watch.max_wait_ms),
        poll_interval_s=settings.watch.poll_interval_s,
    )
    registry = Registry(paths.data, home=places.home)
    memory = MemoryDesk(paths.data / DATABASE_NAME, is_enabled=settings.search.task_memory)
    parts = LocalParts(settings, places, for_repository=for_repository, memory=memory)
    tools = make_tool_options(settings)
    return Service(registry, parts, watch, memory=memory, tools=tools, load_servers=load_servers)


def build_embedder(settings: Settings) -> Embedder | None:
    """Return what turns texts into vectors by these settings; None where search is by text alone."""
    return _choose(settings).embedder


def _choose(settings: Settings) -> Choice:
    asked = settings.embedding
    options = EmbedOptions(enabled=asked.enabled, provider=asked.provider, variant=asked.variant)
    return choose_embedder(options, bundled(WORD_TABLES))
