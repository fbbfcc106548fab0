"""Fetch the packages that code-sources.lock pins, through each registry's own client, and verify them.

    python embeddings/fetch_code.py DIR

Run by hand; needs pip, npm, cargo, go and mvn as they are set up on the machine. An archive that is there already
is not fetched again. Nothing here is imported by ``gortex_py``.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOCK = HERE / "code-sources.lock"


@dataclass(frozen=True, slots=True)
class Source:
    """One pinned package: a line of the lock list."""

    registry: str  # a key of FETCHERS
    name: str
    version: str
    file: str  # the archive's name
    digest: str  # hex SHA-256 of the archive
    licence: str


def read_lock(path: Path = LOCK) -> list[Source]:
    """Return the pinned packages, in the order of the list."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Source(*line.split("\t")) for line in lines if line[:1] not in ("", "#")]


def verify(archive: Path, source: Source) -> None:
    """Stop unless an archive is the pinned one, to the byte."""
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != source.digest:
        raise SystemExit(f"{archive} is another archive: sha256 {digest}, the lock list says {source.digest}")


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1:
        raise SystemExit("usage: python embeddings/fetch_code.py DIR")
    into = Path(arguments[0])
    into.mkdir(parents=True, exist_ok=True)
    sources = read_lock()
    missing = [source for source in sources if not (into / source.file).exists()]
    for registry, fetch in FETCHERS.items():
        wanted = [source for source in missing if source.registry == registry]
        if wanted:
            fetch(wanted, into)
    for source in sources:
        verify(into / source.file, source)
    print(f"{len(sources)} packages are in {into} and what the lock list says")
    return 0


def from_pypi(sources: Sequence[Source], into: Path) -> None:
    """Wheels, since the source archive of many a package needs its build tool even to be downloaded."""
    platforms = [f"--platform={name}" for name in ("manylinux2014_x86_64", "manylinux_2_28_x86_64", "any")]
    for source in sources:
        wanted = f"{source.name}=={source.version}"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        _run([*command, "--python-version=3.11", *platforms, f"--dest={into}", wanted])


def from_npm(sources: Sequence[Source], into: Path) -> None:
    for source in sources:
        wanted = f"{source.name}@{source.version}"
        _run(["npm", "pack", "--silent", "--ignore-scripts", f"--pack-destination={into}", wanted])


def from_cargo(sources: Sequence[Source], into: Path) -> None:
    """Cargo downloads no single crate: name all in one manifest, and take them from its cache."""
    lines = [f'{source.name} = {{ version = "={source.version}", default-features = false }}' for source in sources]
    with tempfile.TemporaryDirectory() as folder:
        manifest = Path(folder) / "Cargo.toml"
        head = '[package]\nname = "sources"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n'
        manifest.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
        (Path(folder) / "src").mkdir()
        (Path(folder) / "src" / "lib.rs").touch()
        _run(["cargo", "fetch", "--quiet", f"--manifest-path={manifest}"])
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    for source in sources:
        found = sorted(home.glob(f"registry/cache/*/{source.file}"))
        if not found:
            raise SystemExit(f"cargo has not put {source.file} under {home}/registry/cache")
        shutil.copyfile(found[0], into / source.file)


def from_go(sources: Sequence[Source], into: Path) -> None:
    for source in sources:
        answer = _run(["go", "mod", "download", "-json", f"{source.name}@{source.version}"])
        shutil.copyfile(json.loads(answer)["Zip"], into / source.file)


def from_maven(sources: Sequence[Source], into: Path) -> None:
    for source in sources:
        wanted = f"-Dartifact={source.name}:{source.version}:jar:sources"
        _run(["mvn", "--quiet", "--batch-mode", "dependency:copy", wanted, f"-DoutputDirectory={into}"])


FETCHERS: Mapping[str, Callable[[Sequence[Source], Path], None]] = {
    "pypi": from_pypi,
    "npm": from_npm,
    "cargo": from_cargo,
    "go": from_go,
    "maven": from_maven,
}


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tempfile.gettempdir())
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr or done.stdout}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
