"""Which language a file is written in, by its name and, where that leaves doubt, its first lines."""

from __future__ import annotations

import re

from gortex_py.source import language_table

HEAD_CHARS = 8192  # how much of a text the functions here and in categories look at


def _by_word(table: dict[str, str]) -> dict[str, str]:
    return {word: language for language, words in table.items() for word in words.split()}


_BY_EXTENSION = _by_word(language_table.OTHER) | _by_word(language_table.PROGRAMMING)
_BY_NAME = _by_word(language_table.FILE_NAMES)
LANGUAGES = frozenset((*language_table.PROGRAMMING, *language_table.OTHER, *language_table.FILE_NAMES))

_TEMPLATE_EXTENSIONS = ("tt", "tmpl", "template", "in")
_SHEBANG = re.compile(r"#!\s*(\S+)(?:[ \t]+(.*))?")
_VIM_MODELINE = re.compile(r"\b(?:vim?|ex):.*?\b(?:ft|filetype|syntax)=([\w+-]+)")
_EMACS_MODELINE = re.compile(r"-\*-(?:.*?\bmode:)?\s*([\w+#-]+)\s*(?:;.*)?-\*-", re.IGNORECASE)
_MODELINE_LINES = 5

_CPP_MARK = re.compile(
    r"^\s*(?:template\s*<|namespace\b|using\s+namespace\b|class\s+\w+[^;]*$|(?:public|private|protected)\s*:)|\w::\w",
    re.MULTILINE,
)
_OBJC_MARK = re.compile(r"^\s*(?:@(?:interface|implementation|protocol|class|import|end)\b|#import\b)", re.MULTILINE)
_PREPROCESSOR = re.compile(r"^\s*#\s*(?:include|if|ifdef|ifndef|define|pragma)\b", re.MULTILINE)
_C_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
# A manual page ends in a section digit, and so do many other names; roff begins with a macro.
_ROFF_MARK = re.compile(r"""\A\s*(?:[.']\\"|'\\"|\.(?:TH|Dd|Sh|SH|so|de|ie|if)\b)""")


def language_of(path: str, head: str = "") -> str | None:
    """Return the registry name of a file's language, or None for text of no known language.

    ``head`` is the beginning of the text; it settles names that several languages share and
    names that say nothing.

    >>> language_of("src/app.tsx"), language_of("bin/run", "#!/usr/bin/env -S python3 -u"), language_of("LICENSE")
    ('tsx', 'python', 'text')
    """
    head = head[:HEAD_CHARS]
    written = path.rpartition("/")[2]
    name = written.lower()
    named = _BY_NAME.get(written) or _BY_NAME.get(name)
    if named is not None and not ("." not in name and head.startswith("#!")):  # a script called `install`
        return named
    if name.startswith(("dockerfile.", "containerfile.")):
        return "dockerfile"
    stem, _, extension = name.rpartition(".")
    if stem and extension in _TEMPLATE_EXTENSIONS:  # a template of a file: what it makes says the language
        return language_of(written.rpartition(".")[0], head)
    language = _BY_EXTENSION.get(extension) if stem else None
    return _settle(extension, language, head) if language else _by_first_lines(head) or named


def _settle(extension: str, language: str, head: str) -> str | None:
    """Decide between the languages that share an extension."""
    if extension == "h":
        return _header_language(head)
    if extension == "inc":
        return "php" if "<?php" in head else _header_language(head) if _PREPROCESSOR.search(head) else None
    if extension == "m" and not _OBJC_MARK.search(head):
        return "matlab" if re.search(r"^\s*(?:%|function\b)", head, re.MULTILINE) else "objc"
    if extension == "ts" and head.lstrip().startswith(("<?xml", "<!DOCTYPE TS", "<TS")):
        return "xml"
    if extension == "t" and not re.search(r"^\s*(?:use|package|#!.*perl)\b", head, re.MULTILINE):
        return _by_first_lines(head)
    if language == "man" and extension.isdigit() and not _ROFF_MARK.match(head):
        return _by_first_lines(head)
    if extension == "pl" and re.search(r"^\s*:-\s", head, re.MULTILINE):
        return "prolog"
    return language


def _header_language(head: str) -> str:
    code = _C_COMMENT.sub(" ", head)
    if _OBJC_MARK.search(code):
        return "objc"
    return "cpp" if _CPP_MARK.search(code) else "c"


def _by_first_lines(head: str) -> str | None:
    first = head.partition("\n")[0]
    if first.startswith("#!"):
        interpreter = _interpreter(first)
        if interpreter in language_table.INTERPRETERS:
            return language_table.INTERPRETERS[interpreter]
    if first.startswith("<?php"):
        return "php"
    if first.startswith("<?xml"):
        return "xml"
    for line in head.split("\n", _MODELINE_LINES)[:_MODELINE_LINES]:
        mode = _VIM_MODELINE.search(line) or _EMACS_MODELINE.search(line)
        if mode:
            name = canonical_language(mode[1])
            if name in LANGUAGES:
                return name
    return None


def _interpreter(shebang: str) -> str:
    """Return the program a script names, without folder and version.

    >>> _interpreter("#!/usr/bin/env -S LANG=C python3.11 -u")
    'python'
    """
    found = _SHEBANG.match(shebang)
    if found is None:
        return ""
    program = found[1].rpartition("/")[2]
    if program == "env":
        words = (found[2] or "").split()
        program = next((word for word in words if not word.startswith("-") and "=" not in word), "")
        program = program.rpartition("/")[2]
    return re.sub(r"[\d.]+$", "", program).lower()


def is_programming(language: str | None) -> bool:
    """Tell whether it is a programming language: not prose, markup, data or settings."""
    return language in language_table.PROGRAMMING


def canonical_language(name: str) -> str:
    """Return the registry name for what a user typed: ``C#`` -> ``csharp``; unknown names stay, in lower case."""
    lower = name.strip().lower()
    return lower if lower in LANGUAGES else language_table.ALIASES.get(lower, lower)


def language_aliases() -> dict[str, str]:
    """Return what else may be typed for a language -> its registry name."""
    return dict(language_table.ALIASES)
