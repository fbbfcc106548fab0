"""Where files lie: the user's places, and what ships with the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import gortex_py
from gortex_py.errors import NotFound, StoreFailed

PACKAGE = Path(gortex_py.__file__).resolve().parent
REPO_FILE = ".gortex.yaml"
PRIVATE = 0o700  # the state folder holds the daemon's token and address


@dataclass(frozen=True, slots=True)
class Paths:
    """The user's places. Nothing is made until ``ensure`` is called."""

    data: Path  # one folder a repository: its database and vectors
    state: Path  # what belongs to the running daemon
    config_file: Path
    models: Path

    @property
    def log(self) -> Path:
        """The daemon's log file."""
        return self.state / "daemon.log"

    @property
    def servers_file(self) -> Path:
        """The MCP servers that the user has set up; beside the settings."""
        return self.config_file.with_name("mcp.json")

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path) -> Paths:
        """Return the user's places. ``GORTEX_HOME`` moves all; a relative XDG value is ignored, as XDG asks.

        :param home: the user's home folder.
        """
        moved = environ.get("GORTEX_HOME", "")
        if moved:
            # Absolute, so that the daemon and its client agree whatever folder either was started in.
            base = (home / moved[2:] if moved.startswith("~/") else Path(moved)).absolute()
            return cls(base / "data", base / "state", base / "config.yaml", base / "models")
        own = home / ".gortex"
        return cls(
            data=_xdg(environ, "XDG_DATA_HOME", home / ".local" / "share") / "gortex",
            state=_xdg(environ, "XDG_STATE_HOME", home / ".local" / "state") / "gortex",
            config_file=own / "config.yaml",
            models=own / "models",
        )

    def ensure(self) -> None:
        """Make the data and state folders, readable by their owner alone.

        :raises StoreFailed: when one cannot be made or is another user's.
        """
        for folder in (self.data, self.state):
            try:
                folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
                folder.chmod(PRIVATE)
            except OSError as error:
                raise StoreFailed(
                    f"{folder} cannot be made or used ({error.strerror}: {error.filename}), and gortex keeps its state "
                    "there; make it writable, or set GORTEX_HOME to a folder that is",
                    code="folder-not-writable",
                ) from error


def bundled(name: str, *, package: Path = PACKAGE) -> Path:
    """Return a file or folder that ships with the package, e.g. ``embeddings/glove-50d.bin``.

    An installed wheel has it inside the package, a checkout beside the package.

    :raises NotFound: naming both places.
    """
    places = (package / "_bundled" / name, package.parent / name)
    for place in places:
        if place.exists():
            return place
    looked = " nor ".join(str(place) for place in places)
    raise NotFound(f"{name} is missing from the installation: neither {looked} exists", code="bundled-file-missing")


def _xdg(environ: Mapping[str, str], variable: str, default: Path) -> Path:
    value = environ.get(variable, "")
    return Path(value) if value.startswith("/") else default
