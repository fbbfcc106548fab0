"""Read C and C++ macros that a grammar without a preprocessor trips over as spaces.

``class EXPORT_API Name {``, ``NAMESPACE_BEGIN`` alone on a line or ``Name() NO_THREAD_SAFETY {`` make
the grammar lose the class, the namespace or the function. A macro is a word in capitals with an
underscore, with or without arguments; whether it goes is decided by what stands around it, and
what might be a type, a constant or a call stays.
"""

from __future__ import annotations

import re

_ARGUMENTS = rb"\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)"
_CAPITALS = rb"\b[A-Z][A-Z0-9]*_[A-Z0-9_]*\b"
_MACRO = re.compile(_CAPITALS + rb"(?:" + _ARGUMENTS + rb")?")
_NOT_BREAK = re.compile(rb"[^\n]")

_WORD = rb"[A-Za-z_~][\w:]*(?:<[^;{}()]*>)?"
_KEYWORDS = (
    rb"(?:template|explicit|inline|static|constexpr|consteval|virtual|class|struct|union|enum|friend|extern|auto|void|"
    rb"bool|int|char|unsigned|const|operator|namespace|using|typedef)\b"
)
# The rest of a declaration: a keyword, a type and a name, or a constructor with initialisers.
_DECLARATION = re.compile(
    rb"\s+(?:"
    + _KEYWORDS
    + rb"|"
    + _WORD
    + rb"[\s*&]+[A-Za-z_~:]"
    + rb"|\w+\((?:[^(){};]|\([^(){};]*\))*\)\s*(?:noexcept\s*)?:[^:])"
)
_CLASS_NAME = re.compile(
    rb"(?:\s+"
    + _CAPITALS
    + rb"(?:"
    + _ARGUMENTS
    + rb")?)*\s+[A-Za-z_][\w:]*\s*(?:<[^;{}()]*>\s*)?(?:final\b\s*)?(?:[:{;]|$)"
)
_LINE_END = re.compile(rb"[ \t]*(?::[ \t]*)?(?://[^\n]*|/\*[^\n]*)?\n\s*[A-Za-z_~#/\[}]|[ \t]*\n?\Z")
_BEFORE_BLOCK = re.compile(rb"(?:[ \t]*" + _ARGUMENTS + rb")?[ \t]*\n\s*\{")
_CLASS_KEY = re.compile(rb"\b(?:class|struct|union)(?:\s+\[\[[^\]]*\]\])?\s+$")
_SPECIFIERS = re.compile(rb"(?:^|[\n;{}])[ \t]*(?:(?:template\s*<[^;{}()]*>|[a-z]+)\s+)*$")
_SPECIFIER = re.compile(rb"\b(?:constexpr|static|inline|explicit|friend|virtual|extern|template)\s+$")
_AFTER_SIGNATURE = re.compile(rb"(?:\)|\bconst|\bnoexcept|\boverride|\bfinal|\)\s*const\s*&{1,2}|\)\s*&{1,2})\s*$")
_ATTRIBUTE_LIKE = re.compile(rb"ATTRIBUTE|GUARDED|LOCK|REQUIRE|NOEXCEPT|OVERRIDE|FINAL|DEPRECATED|UNUSED")
_CONTEXT_BYTES = 160  # looked at before a macro


def blank_macros(source: bytes) -> bytes:
    """Return the text with such macros as spaces; every offset and line stays."""
    text: bytearray | None = None
    directive_end = -1
    for match in _MACRO.finditer(source):
        start, end = match.span()
        if start < directive_end:
            continue
        # Looked for nearby only: a file may be one line.
        line_start = max(source.rfind(b"\n", max(0, start - _CONTEXT_BYTES), start) + 1, start - _CONTEXT_BYTES)
        if source[line_start:start].lstrip()[:1] == b"#":
            directive_end = _directive_end(source, start)
            continue
        if _hides_code(text or source, line_start, match):
            text = text or bytearray(source)
            block = _BEFORE_BLOCK.match(source, end)
            if block:
                end = block.end() - 1
            text[start:end] = _NOT_BREAK.sub(b" ", source[start:end])
            if source[end : end + 1] == b":" and source[end + 1 : end + 2] == b"\n":
                text[end : end + 1] = b" "  # a macro for `private:`
    return source if text is None else bytes(text)


def _hides_code(text: bytes | bytearray, line_start: int, match: re.Match[bytes]) -> bool:
    start, end = match.span()
    begins_line = not text[line_start:start].strip()
    following = text[end : end + 80].lstrip(b" \t")[:1]
    if following in (b",", b")"):  # Name(Type value LIFETIME_BOUND)
        return text[start - 1 : start] == b" " and bytes(text[start - 2 : start - 1]).isalnum()
    context = bytes(text[max(0, start - _CONTEXT_BYTES) : start])
    if following == b"{":  # Name() LOCKS_EXCLUDED(mutex) {
        return _AFTER_SIGNATURE.search(context) is not None
    if following in (b";", b"="):  # void Name() ATTRIBUTE_COLD;
        return _ATTRIBUTE_LIKE.search(match.group()) is not None and _AFTER_SIGNATURE.search(context) is not None
    if begins_line and _LINE_END.match(text, end):  # NAMESPACE_BEGIN
        return True
    if begins_line and start > line_start and _BEFORE_BLOCK.match(text, end):
        return True  # a macro for `try`; in the first column it would be a test
    if following in (b"\n", b""):
        return _AFTER_SIGNATURE.search(context) is not None
    if not (following.isalpha() or following in (b"_", b"~")):
        return False
    if _CLASS_KEY.search(context):  # class EXPORT_API Name {
        return _CLASS_NAME.match(text, end) is not None
    if _SPECIFIER.search(context) or context[-2:] in (b"* ", b"& "):  # static ALWAYS_INLINE Name(; Type* nonnull Name(
        return True
    return _SPECIFIERS.search(context) is not None and _DECLARATION.match(text, end) is not None


def _directive_end(source: bytes, start: int) -> int:
    end = source.find(b"\n", start)
    while end > 0 and source[end - 1 : end] == b"\\":
        end = source.find(b"\n", end + 1)
    return end if end >= 0 else len(source)
