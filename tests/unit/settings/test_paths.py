from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gortex_py.embed.variants import VARIANTS, table_file
from gortex_py.errors import NotFound
from gortex_py.settings.paths import PACKAGE, Paths, bundled

HOME = Path("/home/ada")


def test_places_by_default() -> None:
    paths = Paths.from_environment({}, HOME)
    assert paths.data == HOME / ".local/share/gortex"
    assert paths.state == HOME / ".local/state/gortex"
    assert paths.config_file == HOME / ".gortex/config.yaml"
    assert paths.models == HOME / ".gortex/models"
    assert paths.log.parent == paths.state


def test_xdg_moves_data_and_state_but_a_relative_value_is_ignored() -> None:
    paths = Paths.from_environment({"XDG_DATA_HOME": "/srv/data", "XDG_STATE_HOME": "state"}, HOME)
    assert paths.data == Path("/srv/data/gortex")
    assert paths.state == HOME / ".local/state/gortex"


def test_gortex_home_moves_everything() -> None:
    environ = {"GORTEX_HOME": "/srv/g", "XDG_DATA_HOME": "/elsewhere"}
    assert Paths.from_environment(environ, HOME) == Paths(
        Path("/srv/g/data"), Path("/srv/g/state"), Path("/srv/g/config.yaml"), Path("/srv/g/models")
    )


def test_gortex_home_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert Paths.from_environment({"GORTEX_HOME": "here"}, HOME).data == tmp_path / "here/data"
    assert Paths.from_environment({"GORTEX_HOME": "~/g"}, HOME).data == HOME / "g/data"


def test_folders_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    paths = Paths.from_environment({"GORTEX_HOME": str(tmp_path / "g")}, tmp_path)
    assert not (tmp_path / "g").exists()
    paths.ensure()
    paths.data.chmod(0o755)
    paths.ensure()
    assert paths.data.stat().st_mode & 0o777 == 0o700
    assert paths.state.stat().st_mode & 0o777 == 0o700


def test_bundled_files_of_a_checkout() -> None:
    assert bundled("embeddings/glove-50d.bin") == PACKAGE.parent / "embeddings/glove-50d.bin"


def test_bundled_files_of_an_installation_come_first(tmp_path: Path) -> None:
    package = tmp_path / "gortex_py"
    for folder in (package / "_bundled/config", tmp_path / "config"):
        folder.mkdir(parents=True)
    assert bundled("config", package=package) == package / "_bundled/config"


def test_an_absent_bundled_file_is_named_with_both_places(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"_bundled/none\.bin nor .*/none\.bin exists"):
        bundled("none.bin", package=tmp_path / "gortex_py")


def test_the_wheel_holds_what_is_read_and_no_measurements(tmp_path: Path) -> None:
    """Build the wheel from a copy that has only what the wheel's rules need."""
    checkout, copy = PACKAGE.parent, tmp_path / "checkout"
    (copy / "gortex_py").mkdir(parents=True)
    for name in ("gortex_py/__init__.py", "pyproject.toml", "README.md", "LICENSE"):
        (copy / name).write_bytes((checkout / name).read_bytes())
    for folder in ("embeddings", "data", "config"):
        shutil.copytree(checkout / folder, copy / folder)
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")],
        cwd=copy,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    shipped = tmp_path / "site/gortex_py/_bundled"
    files = {
        path.relative_to(checkout).as_posix() for name in ("config", "data") for path in (checkout / name).rglob("*.*")
    }
    files = {name for name in files if not name.startswith("data/eval/")}
    files |= {"embeddings/README.md", *(f"embeddings/{table_file(variant)}" for variant in VARIANTS)}
    assert {path.relative_to(shipped).as_posix() for path in shipped.rglob("*") if path.is_file()} == files
    found = bundled("embeddings/glove-50d.bin", package=tmp_path / "site/gortex_py")
    assert found == shipped / "embeddings/glove-50d.bin"
    assert found.read_bytes() == bundled("embeddings/glove-50d.bin").read_bytes()
