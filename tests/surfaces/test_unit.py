"""The service unit: what is written, what the manager is told, that doing it twice is harmless."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gortex_py.errors import UsageError
from gortex_py.settings.paths import bundled
from gortex_py.surfaces.unit import (
    AGENT_LABEL,
    UNIT_NAME,
    Command,
    Launchd,
    Ran,
    ServiceFailed,
    ServiceSpec,
    Systemd,
    captured_environment,
    install,
    service_manager,
    uninstall,
)

ODD = r'/opt/my "odd" 100% \ $HOME/é'


class FakeManager:
    """Stands for systemctl and launchctl: remembers what it was told."""

    def __init__(self, *, present: bool = True, refuses: str = "") -> None:
        self.present = present
        self.refuses = refuses
        self.told: list[str] = []

    def __call__(self, command: Command) -> Ran:
        line = " ".join(command)
        if not self.present:
            return Ran(127, f"{command[0]}: not found")
        if self.refuses and self.refuses in line:
            return Ran(1, "no")
        if "show" in command:
            return Ran(0, "4242" if any("restart" in told for told in self.told) else "0")
        if "show-environment" not in command and command != ("launchctl", "list"):
            self.told.append(line)
        return Ran(0, "")


def template(name: str) -> bytes:
    return (bundled("config") / name).read_bytes()


def systemd(home: Path, manager: FakeManager | None = None, **environ: str) -> Systemd:
    return Systemd(template("gortex.service"), environ, home, manager or FakeManager())


def spec(home: Path, **environment: str) -> ServiceSpec:
    program = (sys.executable, "-P", "-m", "gortex_py", "daemon", "start", "--foreground")
    return ServiceSpec(program, environment or {"PATH": "/usr/bin"}, home / "state" / "daemon.log")


def test_the_unit_quotes_what_systemd_would_read_otherwise(tmp_path: Path) -> None:
    given = ServiceSpec((ODD, "-m"), {"PATH": ODD}, Path("/var/log/100% x.log"))
    lines = systemd(tmp_path).render(given).decode().splitlines()
    assert r'ExecStart="/usr/bin/env" "/opt/my \"odd\" 100%% \\ $$HOME/é" "-m"' in lines
    assert r'Environment="PATH=/opt/my \"odd\" 100%% \\ $HOME/é"' in lines
    assert "StandardError=append:/var/log/100%% x.log" in lines
    assert not any("@" in line for line in lines if not line.startswith("#"))


def test_a_clean_exit_is_not_restarted(tmp_path: Path) -> None:
    lines = systemd(tmp_path).render(spec(tmp_path)).decode().splitlines()
    assert {"Restart=on-failure", "RestartSec=2", "Type=simple", "RestartPreventExitStatus=3"} <= set(lines)
    agent = plistlib.loads(Launchd(template("gortex.plist"), tmp_path, FakeManager()).render(spec(tmp_path)))
    assert agent["KeepAlive"] == {"SuccessfulExit": False}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    odd = tmp_path / "100% odd's place"
    odd.mkdir()
    (odd / "python").symlink_to(sys.executable)
    given = ServiceSpec((str(odd / "python"), "-m", "gortex_py"), {"PATH": ODD}, odd / "daemon.log")
    unit = tmp_path / UNIT_NAME
    unit.write_bytes(systemd(tmp_path).render(given))
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    ran = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(unit)],
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    about_us = [line for line in ran.stderr.splitlines() if UNIT_NAME in line]
    assert (ran.returncode, about_us) == (0, [])


def test_the_agent_holds_program_environment_and_log(tmp_path: Path) -> None:
    given = ServiceSpec((ODD, "-m"), {"PATH": ODD}, Path("/tmp/<&>.log"))
    agent = plistlib.loads(Launchd(template("gortex.plist"), tmp_path, FakeManager()).render(given))
    assert agent["Label"] == AGENT_LABEL
    assert agent["ProgramArguments"] == [ODD, "-m"]
    assert agent["EnvironmentVariables"] == {"PATH": ODD}
    assert agent["StandardErrorPath"] == "/tmp/<&>.log"
    assert agent["RunAtLoad"] is True


def test_installing_starts_the_unit_and_doing_it_again_does_nothing(tmp_path: Path) -> None:
    manager = FakeManager()
    unit = systemd(tmp_path, manager)
    report = install(unit, spec(tmp_path))
    assert (report.changed, report.managed, report.to_run) == (True, True, ())
    assert unit.unit_path == tmp_path / ".config/systemd/user" / UNIT_NAME
    told = [f"systemctl --user {rest}" for rest in ("daemon-reload", f"enable {UNIT_NAME}", f"restart {UNIT_NAME}")]
    assert manager.told == told
    assert not install(unit, spec(tmp_path)).changed
    assert manager.told == told


def test_a_changed_unit_is_installed_over_the_old_one(tmp_path: Path) -> None:
    manager = FakeManager()
    install(systemd(tmp_path, manager), spec(tmp_path))
    manager.told.clear()
    assert install(systemd(tmp_path, manager), spec(tmp_path, PATH="/other")).changed
    assert f"systemctl --user restart {UNIT_NAME}" in manager.told


def test_without_a_manager_the_file_is_written_and_the_commands_are_named(tmp_path: Path) -> None:
    unit = systemd(tmp_path, FakeManager(present=False))
    report = install(unit, spec(tmp_path))
    assert unit.unit_path.is_file()
    assert not report.managed
    assert ("systemctl", "--user", "enable", UNIT_NAME) in report.to_run


def test_a_refusing_manager_is_an_error_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(ServiceFailed, match=r"enable.*no"):
        install(systemd(tmp_path, FakeManager(refuses="enable")), spec(tmp_path))


def test_uninstalling_stops_and_removes_and_doing_it_again_does_nothing(tmp_path: Path) -> None:
    manager = FakeManager()
    unit = systemd(tmp_path, manager)
    install(unit, spec(tmp_path))
    manager.told.clear()
    assert uninstall(unit).changed
    assert not unit.unit_path.exists()
    assert manager.told == [f"systemctl --user disable --now {UNIT_NAME}", "systemctl --user daemon-reload"]
    manager.told.clear()
    assert not uninstall(unit).changed
    assert manager.told == []


def test_a_control_character_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="control character"):
        install(systemd(tmp_path), spec(tmp_path, PATH="/bin\nExecStartPre=/bin/evil"))


def test_only_absolute_folders_are_captured() -> None:
    captured = captured_environment({"PATH": "/bin", "GORTEX_HOME": "rel", "XDG_DATA_HOME": "/d", "SECRET": "s"})
    assert {name: captured.get(name) for name in ("PATH", "GORTEX_HOME", "XDG_DATA_HOME", "SECRET")} == {
        "PATH": "/bin",
        "GORTEX_HOME": None,
        "XDG_DATA_HOME": "/d",
        "SECRET": None,
    }


def test_the_unit_lies_where_systemd_looks(tmp_path: Path) -> None:
    assert systemd(tmp_path, XDG_CONFIG_HOME="/c").unit_path == Path("/c/systemd/user") / UNIT_NAME
    assert systemd(tmp_path, XDG_CONFIG_HOME="c").unit_path.is_relative_to(tmp_path)


def test_the_manager_fits_the_platform(tmp_path: Path) -> None:
    assert service_manager(template, {}, tmp_path, "linux").name == "systemd"
    assert service_manager(template, {}, tmp_path, "darwin").name == "launchd"
    with pytest.raises(UsageError, match="gortex daemon start"):
        service_manager(template, {}, tmp_path, "sunos5")


def test_launchd_tells_the_process_by_its_pid_line(tmp_path: Path) -> None:
    def answers(command: Command) -> Ran:
        return Ran(0, '{\n\t"LimitLoadToSessionType" = "Aqua";\n\t"PID" = 512;\n\t"LastExitStatus" = 0;\n};')

    assert Launchd(template("gortex.plist"), tmp_path, answers).main_pid() == 512
