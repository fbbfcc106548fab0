"""Render, install and remove the user service: a systemd unit or a launchd agent.

What the service manager is told is data (lists of commands), so that where there is no manager
the same commands can be shown to the user instead.
"""

from __future__ import annotations

import os
import plistlib
import subprocess
import sys
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from gortex_py.errors import GortexError, UsageError

UNIT_NAME = "gortex.service"
AGENT_LABEL = "gortex.daemon"
MANAGER_TIMEOUT_S = 40.0  # longer than TimeoutStopSec in config/gortex.service, so that a stop is seen to end

# Where state lies depends on these; a manager starts the daemon without the user's shell.
CAPTURED_PATHS = ("GORTEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")

# The arithmetic runs in the daemon's own threads; a pool of BLAS threads beside them only adds memory.
THREAD_LIMITS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

Command: TypeAlias = tuple[str, ...]


class ServiceFailed(GortexError):
    """The service manager refused; the message holds what it said."""

    code = "service-failed"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command of the service manager gave back."""

    status: int  # exit status; 127 when there is no such command
    output: str


Runner: TypeAlias = Callable[[Command], Ran]


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """What the service runs."""

    program: Command  # absolute program and its arguments
    environment: Mapping[str, str]
    log_path: Path


@dataclass(frozen=True, slots=True)
class ServiceReport:
    """What installing or removing did."""

    path: Path
    changed: bool  # the file on disk differs from before
    managed: bool  # the service manager was told
    to_run: tuple[Command, ...]  # what the user can run where there is no manager


class ServiceManager(Protocol):
    """A per-user service manager and the file it reads."""

    name: str
    unit_path: Path

    @abstractmethod
    def render(self, spec: ServiceSpec) -> bytes:
        """Return the content of the unit file."""

    @abstractmethod
    def is_available(self) -> bool:
        """Say whether the manager of this user can be reached."""

    @abstractmethod
    def main_pid(self) -> int | None:
        """Return the process the manager runs now, None when it runs none."""

    @property
    @abstractmethod
    def enable_commands(self) -> tuple[Command, ...]: ...

    @property
    @abstractmethod
    def disable_commands(self) -> tuple[Command, ...]: ...

    @property
    @abstractmethod
    def forget_commands(self) -> tuple[Command, ...]:
        """What to run after the file is gone."""

    @property
    @abstractmethod
    def start_command(self) -> Command: ...

    @property
    @abstractmethod
    def stop_command(self) -> Command: ...

    @abstractmethod
    def run(self, command: Command) -> Ran: ...


def run_command(command: Command) -> Ran:
    """Run a command of the service manager to its end."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=MANAGER_TIMEOUT_S
        )
    except FileNotFoundError:
        return Ran(127, f"{command[0]}: not found")
    except subprocess.TimeoutExpired:
        return Ran(124, f"{' '.join(command)}: no answer within {MANAGER_TIMEOUT_S:.0f} s")
    return Ran(done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace").strip())


class Systemd:
    """The user's systemd."""

    name = "systemd"

    def __init__(self, template: bytes, environ: Mapping[str, str], home: Path, runner: Runner = run_command) -> None:
        config = environ.get("XDG_CONFIG_HOME", "")
        folder = Path(config) if os.path.isabs(config) else home / ".config"  # noqa: PTH117 (a string from outside)
        self.unit_path = folder / "systemd" / "user" / UNIT_NAME
        self._template = template.decode()
        self.run = runner

    def render(self, spec: ServiceSpec) -> bytes:
        """Fill in the template, every value quoted the way systemd reads it."""
        environment = [f"Environment={_quoted(f'{name}={value}')}" for name, value in spec.environment.items()]
        program = spec.program
        if set(program[0]) & set("\"'\\"):
            program = ("/usr/bin/env", *program)  # systemd takes no quotes in the name of a program, only in arguments
        filled = (
            self._template.replace("@EXEC_START@", " ".join(_quoted(part, dollar=True) for part in program))
            .replace("@ENVIRONMENT@", "\n".join(environment))
            .replace("@LOG@", _unquoted(str(spec.log_path)))
        )
        return filled.encode()

    def is_available(self) -> bool:
        """Ask for the manager's environment: it answers only when a user instance runs."""
        return self.run(("systemctl", "--user", "show-environment")).status == 0

    def main_pid(self) -> int | None:
        """Read MainPID, which is 0 while the unit is down."""
        shown = self.run(("systemctl", "--user", "show", "--property=MainPID", "--value", UNIT_NAME))
        return int(shown.output) or None if shown.status == 0 and shown.output.isdigit() else None

    @property
    def enable_commands(self) -> tuple[Command, ...]:
        """Make the unit known, started now and at every login."""
        systemctl = ("systemctl", "--user")
        # restart and not start: a daemon that runs from an older unit file is replaced.
        return (
            (*systemctl, "daemon-reload"),
            (*systemctl, "enable", UNIT_NAME),
            (*systemctl, "restart", UNIT_NAME),
        )

    @property
    def disable_commands(self) -> tuple[Command, ...]:
        """Stop the unit and forget it at login."""
        return (("systemctl", "--user", "disable", "--now", UNIT_NAME),)

    @property
    def forget_commands(self) -> tuple[Command, ...]:
        """Let systemd see that the file is gone."""
        return (("systemctl", "--user", "daemon-reload"),)

    @property
    def start_command(self) -> Command:
        """Start the installed unit."""
        return ("systemctl", "--user", "start", UNIT_NAME)

    @property
    def stop_command(self) -> Command:
        """Stop the unit, so that systemd does not bring it back."""
        return ("systemctl", "--user", "stop", UNIT_NAME)


class Launchd:
    """The user's launchd."""

    name = "launchd"

    def __init__(self, template: bytes, home: Path, runner: Runner = run_command) -> None:
        self.unit_path = home / "Library" / "LaunchAgents" / f"{AGENT_LABEL}.plist"
        self._template = template
        self.run = runner

    def render(self, spec: ServiceSpec) -> bytes:
        """Add program, environment and log to the template's dictionary."""
        agent = plistlib.loads(self._template)
        agent["Label"] = AGENT_LABEL
        agent["ProgramArguments"] = list(spec.program)
        agent["EnvironmentVariables"] = dict(spec.environment)
        agent["StandardOutPath"] = agent["StandardErrorPath"] = str(spec.log_path)
        return plistlib.dumps(agent)

    def is_available(self) -> bool:
        """Ask launchd for its list of jobs."""
        return self.run(("launchctl", "list")).status == 0

    def main_pid(self) -> int | None:
        """Read the PID line of the job; there is none while it is down."""
        listed = self.run(("launchctl", "list", AGENT_LABEL))
        for line in listed.output.splitlines() if listed.status == 0 else ():
            key, _, value = line.strip().rstrip(";").partition(" = ")
            if key == '"PID"' and value.isdigit():
                return int(value)
        return None

    @property
    def enable_commands(self) -> tuple[Command, ...]:
        """Load the agent now and at every login."""
        return (("launchctl", "unload", str(self.unit_path)), ("launchctl", "load", "-w", str(self.unit_path)))

    @property
    def disable_commands(self) -> tuple[Command, ...]:
        """Stop the agent and forget it at login."""
        return (("launchctl", "unload", "-w", str(self.unit_path)),)

    @property
    def forget_commands(self) -> tuple[Command, ...]:
        """Return nothing: an unloaded agent is forgotten already."""
        return ()

    @property
    def start_command(self) -> Command:
        """Start the installed agent."""
        return ("launchctl", "start", AGENT_LABEL)

    @property
    def stop_command(self) -> Command:
        """Stop the agent; a clean exit is not restarted."""
        return ("launchctl", "stop", AGENT_LABEL)


def service_manager(
    read_template: Callable[[str], bytes], environ: Mapping[str, str], home: Path, platform: str = sys.platform
) -> ServiceManager:
    """Return the service manager of this platform.

    :param read_template: returns the content of a file of the ``config`` folder.
    """
    if platform == "darwin":
        return Launchd(read_template("gortex.plist"), home)
    if platform.startswith("linux"):
        return Systemd(read_template("gortex.service"), environ, home)
    raise UsageError(f"there is no service support for {platform}; run: gortex daemon start", code="no-service-support")


def captured_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what the service must know of the environment it is installed from.

    A relative path means nothing to a service manager, so only absolute ones are kept.
    """
    kept = {name: environ[name] for name in CAPTURED_PATHS if os.path.isabs(environ.get(name, ""))}  # noqa: PTH117
    path = environ.get("PATH", "")
    return {**({"PATH": path} if path else {}), **kept, **THREAD_LIMITS}


def install(manager: ServiceManager, spec: ServiceSpec) -> ServiceReport:
    """Write the unit and start it; doing it again changes nothing.

    :raises ServiceFailed: when the manager refuses the unit, or it cannot be written.
    """
    for value in (*spec.program, *spec.environment.values(), str(spec.log_path)):
        if any(c < " " or c == "\x7f" for c in value):
            raise UsageError(f"a service cannot hold a control character: {value!r}", code="unfit-for-service")
    content = manager.render(spec)
    path = manager.unit_path
    changed = not path.is_file() or path.read_bytes() != content
    try:
        if changed:
            path.parent.mkdir(parents=True, exist_ok=True)
            spare = path.with_name(path.name + ".new")
            spare.write_bytes(content)
            spare.replace(path)
        spec.log_path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ServiceFailed(f"{error.filename} cannot be written: {error.strerror}; the service needs it") from error
    if not manager.is_available():
        return ServiceReport(path, changed, managed=False, to_run=manager.enable_commands)
    if changed or manager.main_pid() is None:
        _run_all(manager, manager.enable_commands)
    return ServiceReport(path, changed, managed=True, to_run=())


def uninstall(manager: ServiceManager) -> ServiceReport:
    """Stop the service and remove its file; doing it again changes nothing."""
    path = manager.unit_path
    if not path.is_file():
        return ServiceReport(path, changed=False, managed=False, to_run=())
    managed = manager.is_available()
    if managed:
        _run_all(manager, manager.disable_commands)
    path.unlink()
    if managed:
        _run_all(manager, manager.forget_commands)
    return ServiceReport(path, changed=True, managed=managed, to_run=())


def _run_all(manager: ServiceManager, commands: Sequence[Command]) -> None:
    for command in commands:
        ran = manager.run(command)
        # Unloading an agent that was never loaded is the one step that may fail.
        if ran.status != 0 and command[1] != "unload":
            raise ServiceFailed(f"`{' '.join(command)}` failed ({ran.status}): {ran.output}")


def _quoted(value: str, *, dollar: bool = False) -> str:
    r"""Quote a value for a unit file.

    >>> print(_quoted('100% "sure" \\'))
    "100%% \"sure\" \\"
    """
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped.replace("$", "$$") if dollar else escaped}"'


def _unquoted(value: str) -> str:
    """Escape a value that systemd takes to the end of the line."""
    return value.replace("%", "%%")
