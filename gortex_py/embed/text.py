"""What text a unit is embedded from."""

from __future__ import annotations

from gortex_py.types import SymbolKind

# Counts up whenever the same unit would give another text; stored beside the embedder's fingerprint.
TEXT_VERSION = 2
# A mean over many words drifts to the mean of the language; the first lines say what a definition is for.
MAX_DOC_CHARS = 600
MAX_BODY_CHARS = 400
# Names carry most of what a unit is about, so they count twice.
_NAME_REPEATS = 2


def unit_text(
    kind: SymbolKind | None, qualified_name: str, *, path: str, signature: str, doc: str, body_head: str
) -> str:
    """Return the text that stands for a unit: names first, then signature, documentation and code.

    :param kind: None for a gap between definitions.
    :param qualified_name: empty for a gap.
    :param body_head: the unit's own lines from its top; a longer text is cut.

    >>> unit_text(None, "", path="src/http/client.py", signature="", doc="", body_head="retry = 3")
    'http client\\nretry = 3'
    """
    names = " ".join([qualified_name] * _NAME_REPEATS) if qualified_name else ""
    head = " ".join(part for part in (str(kind) if kind else "", names, _path_words(path)) if part)
    parts = (head, signature, doc[:MAX_DOC_CHARS], body_head[:MAX_BODY_CHARS])
    return "\n".join(part for part in parts if part)


def _path_words(path: str) -> str:
    """Return the folder and the stem: what lies above is the same for most of a repository."""
    *folders, name = path.split("/")
    stem = name.rsplit(".", 1)[0] or name
    return f"{folders[-1]} {stem}" if folders else stem
