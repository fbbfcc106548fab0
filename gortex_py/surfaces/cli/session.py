"""What a command is given: the environment, the places of this user, the console, the daemon."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gortex_py import __version__
from gortex_py.errors import UsageError
from gortex_py.surfaces.cli.console import Console
from gortex_py.surfaces.client import DaemonClient, Unreachable

if TYPE_CHECKING:
    from gortex_py.service.address import DaemonAddress
    from gortex_py.settings.paths import Paths
    from gortex_py.surfaces.unit import ServiceManager


TOKEN_VARIABLE = "GORTEX_DAEMON_HTTP_TOKEN"
TOKEN_FILE = "token"


@dataclass
class Session:
    """One run of the command line."""

    environ: Mapping[str, str]
    home: Path
    cwd: Path
    console: Console
    typed: str = ""  # how the program was called, as in sys.argv[0]

    @cached_property
    def paths(self) -> Paths:
        """Where this user's state lies."""
        from gortex_py.settings.paths import Paths

        return Paths.from_environment(self.environ, self.home)

    @cached_property
    def manager(self) -> ServiceManager | None:
        """The service manager of this platform, None where there is none."""
        from gortex_py.settings.paths import bundled
        from gortex_py.surfaces.unit import service_manager

        try:
            return service_manager(lambda name: (bundled("config") / name).read_bytes(), self.environ, self.home)
        except UsageError:
            return None

    @cached_property
    def program(self) -> str:
        """What to type for this command line: its name where PATH finds it, else how it was called."""
        typed = self.typed or "gortex"
        if Path(typed).name != "gortex" or shutil.which("gortex", path=self.environ.get("PATH")) == typed:
            return "gortex"
        return typed

    def address(self) -> DaemonAddress | None:
        """Return where the daemon of this user runs, None when none does."""
        from gortex_py.service.address import read_address

        return read_address(self.paths)

    def client(self) -> DaemonClient:
        """Return a client of the running daemon.

        :raises Unreachable: when none runs.
        """
        address = self.address()
        if address is None:
            raise Unreachable("no daemon is running; start it with: gortex daemon start", code="daemon-not-running")
        self._notice_version(address)
        return self.client_at(address)

    def client_at(self, address: DaemonAddress) -> DaemonClient:
        """Return a client of a daemon that listens there."""
        return DaemonClient(address.host, address.port, token=self.token)

    @cached_property
    def token(self) -> str | None:
        """What the daemon may ask for: the variable, else the file that the daemon reads."""
        try:
            kept = (self.paths.state / TOKEN_FILE).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            kept = ""
        return self.environ.get(TOKEN_VARIABLE) or kept or None

    def started_client(self) -> DaemonClient:
        """Return a client of the daemon, which is started when none runs."""
        if self.address() is not None:
            return self.client()
        from gortex_py.surfaces.launch import start

        self.console.note(f"starting the daemon (stop it with: {self.program} daemon stop)")
        started = start(self.paths, self.environ, manager=self.manager)
        return self.client_at(started.address)

    def _notice_version(self, address: DaemonAddress) -> None:
        if address.version != __version__:
            self.console.note(
                f"note: the daemon is gortex {address.version}, this command {__version__}; "
                "to bring them together: gortex daemon restart"
            )
