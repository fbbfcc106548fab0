"""Keep results: one file a method and commit, never written over."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from gortex_py.errors import Conflict, StoreFailed, UsageError
from gortex_py.evaluation.report import EvaluationReport, report_from_json, report_to_json

SHA_LENGTH = 12
DIRTY = "-dirty"
COMMITTED = re.compile(rf"-[0-9a-f]{{{SHA_LENGTH}}}$")


def project_revision(checkout: Path) -> str:
    """Return the first 12 digits of the checkout's commit, ``-dirty`` appended when files differ; "" without git."""
    head = _git(checkout, "rev-parse", f"--short={SHA_LENGTH}", "HEAD")
    if not head:
        return ""
    return head + (DIRTY if _git(checkout, "status", "--porcelain", "--untracked-files=no") else "")


def result_path(folder: Path, method: str, revision: str) -> Path:
    """Return where a result belongs: ``<method>-<revision>.json``, the method as a slug."""
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", method).strip("-")
    return folder / (f"{slug}-{revision}.json" if revision else f"{slug}.json")


def save_result(report: EvaluationReport, folder: Path) -> Path:
    """Write the report below its method, manifest and commit; returns the file.

    :raises Conflict: when that commit has a result already; a result of changed files is replaced.
    """
    method = f"{report.method}-{Path(report.manifest).stem}"
    return write_result(report_to_json(report), result_path(folder, method, report.revision))


def write_result(raw: dict[str, Any], path: Path) -> Path:
    """Write one result as JSON, a line an entry so that two commits can be diffed.

    :raises Conflict: when the file is there and its name says it is of a commit.
    """
    if path.exists() and COMMITTED.search(path.stem):
        raise Conflict(f"{path} holds this commit's result already; results are kept, so delete it to measure again")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_lines(raw) + "\n", encoding="utf-8")
    except OSError as error:
        raise StoreFailed(f"cannot write the result {path}: {error.strerror or error}") from error
    return path


def load_result(path: Path) -> EvaluationReport:
    """Return the report in a result file.

    :raises UsageError: when it cannot be read or is no result.
    """
    try:
        return report_from_json(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"cannot read the result {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"the result {path} is not JSON: {error}") from error
    except UsageError as error:
        raise UsageError(f"{path} is {error.message}") from error


def _lines(raw: dict[str, Any]) -> str:
    # One line a key, and one an entry of the long lists.
    parts = []
    for key, value in raw.items():
        if isinstance(value, list | tuple) and value:
            text = "[\n" + ",\n".join(f"  {json.dumps(item)}" for item in value) + "\n ]"
        else:
            text = json.dumps(value)
        parts.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}"


def _git(checkout: Path, *arguments: str) -> str:
    command = ["git", "-C", str(checkout), *arguments]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:  # no git here: the result is kept without a commit
        return ""
    return run.stdout.strip() if run.returncode == 0 else ""
