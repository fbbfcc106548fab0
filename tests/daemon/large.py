"""A large repository to wear a daemon out with: one that is named, or a generated one."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

FILES = 4_000
WORDS = (
    "account basket cache daemon editor filter gateway handler index journal kernel ledger monitor "
    "network order packet query router session token upload vector worker yield zone"
).split()


def git(root: Path, *words: str) -> str:
    """Run git without the user's settings; returns what it printed."""
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    run = subprocess.run(("git", *identity, *words), cwd=root, env=environ, check=True, capture_output=True, text=True)
    return run.stdout


def make_large(root: Path, count: int = FILES) -> Path:
    """Fill a folder with files, or with a copy of the checkout that SOAK_CHECKOUT names."""
    checkout = os.environ.get("SOAK_CHECKOUT")
    if checkout:
        shutil.copytree(checkout, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        return root
    rng = random.Random(7)
    for number in range(count):
        path = root / WORDS[number % 25] / WORDS[number // 25 % 8] / name_of(number, rng)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source_of(path.suffix, rng))
    return root


def name_of(number: int, rng: random.Random) -> str:
    """Return a file name that no other number has."""
    return f"{rng.choice(WORDS)}_{number}{('.py', '.py', '.js', '.go', '.md')[number % 5]}"


def source_of(suffix: str, rng: random.Random) -> str:
    """Return a text of some definitions in the language of a suffix."""
    parts = []
    for _ in range(rng.randint(2, 9)):
        verb, noun, other = rng.choice(("open", "close", "find", "merge", "send")), rng.choice(WORDS), rng.choice(WORDS)
        name, body = f"{verb}_{noun}_{rng.randint(0, 999)}", f"{noun} {verb}s the {other} of its {rng.choice(WORDS)}"
        if suffix == ".py":
            parts.append(f'def {name}({noun}, {other}):\n    """{body}."""\n    return {noun}.{verb}({other})\n')
        elif suffix == ".js":
            parts.append(
                f"// {body}\nexport function {name}({noun}, {other}) {{\n  return {noun}.{verb}({other});\n}}\n"
            )
        elif suffix == ".go":
            parts.append(f"// {body}\nfunc {name}({noun} T, {other} T) T {{\n\treturn {noun}.{verb}({other})\n}}\n")
        else:
            parts.append(f"## {verb} {noun}\n\nThe {body}; see `{name}`.\n")
    return ("package main\n\n" if suffix == ".go" else "") + "\n\n".join(parts)


def branch_off(root: Path, changes: int = 300) -> tuple[str, str]:
    """Commit a tree and make a second branch that differs in so many files; returns both branches' names."""
    git(root, "init")
    git(root, "add", "-A")
    git(root, "commit", "-m", "one")
    rng = random.Random(11)
    files = [path for path in git(root, "ls-files", "-z").split("\0") if path and (root / path).is_file()]
    rng.shuffle(files)
    quarter = changes // 4
    edited, deleted, renamed = files[:quarter], files[quarter : 2 * quarter], files[2 * quarter : 3 * quarter]
    git(root, "checkout", "-b", "other")
    for path in edited:
        with (root / path).open("a") as file:
            file.write("\n" + source_of(Path(path).suffix, rng))
    for path in deleted:
        (root / path).unlink()
    for path in renamed:
        target = root / "moved" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        (root / path).rename(target)
    for number in range(changes - 3 * quarter):
        path = root / "added" / WORDS[number % 25] / name_of(number, rng)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source_of(path.suffix, rng))
    git(root, "add", "-A")
    git(root, "commit", "-m", "two")
    return "main", "other"


QUERIES = (
    *(f"{verb} {noun}" for verb, noun in zip(("open", "close", "find", "merge", "send") * 3, WORDS, strict=False)),
    "open_account", "how are sessions closed", "class Base", "README", "test helper for requests", "vector cache",
    "where is the token merged", "router", "configuration of the worker",
)  # fmt: skip
