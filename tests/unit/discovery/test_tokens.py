from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gortex_py.discovery.tokens import tool_tokens

ROWS = [
    ("MCPTool", "mcp tool"),
    ("fooBar", "foo bar"),
    ("v2Beta", "v2 beta"),
    ("HTTPServer2", "http server2"),
    ("getHTTPResponseCode", "get http response code"),
    ("camelCaseXMLHttpRequest", "camel case xml http request"),
    ("mcp__github_create_issue", "mcp github create issue"),
    ("github/create_issue", "github create issue"),
    ("FOO_barBAZ", "foo bar baz"),
    ("__init__", "init"),
    ("URLs", "ur ls"),
    ("parseURLsFast", "parse ur ls fast"),
    ("userID", "user id"),
    ("userIDs", "user i ds"),
    ("OAuth2Client", "o auth2 client"),
    ("GraphQLAPI", "graph qlapi"),
    ("iOS17Update", "i os17 update"),
    ("sha256Sum", "sha256 sum"),
    ("SHA256", "sha256"),
    ("2FAToken", "2 fa token"),
    ("3D", "3 d"),
    ("HTML5", "html5"),
    ("x86_64", "x86 64"),
    ("k8s", "k8s"),
    ("i18n", "i18n"),
    ("kubeCtl v1.29", "kube ctl v1 29"),
    ("A1B2c3", "a1 b2c3"),
    ("aBC", "a bc"),
    ("aBCd", "a b cd"),
    ("ABcDEf", "a bc d ef"),
    ("caf\u00e9", "cafe"),
    ("cafe\u0301", "cafe"),
    ("naïve Résumé", "naive resume"),
    ("ÉCOLEDunord", "ecole dunord"),
    ("ﬁle①", "file1"),
    ("½ cup", "1 2 cup"),
    ("10²", "102"),
    ("m²", "m2"),
    ("№5", "no5"),
    ("Ⅷ century", "viii century"),
    ("ＡＢＣfull", "ab cfull"),
    ("Straße", "straße"),
    ("ΟΔΟΣ", "οδος"),
    ("İstanbul", "istanbul"),
    ("日本語検索", "日本語検索"),
    ("がぎ", "かき"),
    ("हिन्दी", "हनद"),
    ("한국어", unicodedata.normalize("NFKD", "한국어")),
    ("C++ / C#", "c c"),
    ("don't", "don t"),
    ("Don’t", "don t"),
    ("e-mail", "e mail"),
    ("foo\u200bbar", "foo bar"),
    ("tool—name", "tool name"),
    ("│box│", "box"),
    ("🔍 search", "search"),
    ("find_symbol()", "find symbol"),
    ("  ", ""),
    ("!!!", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_a_text_gives_its_tokens(text: str, expected: str) -> None:
    assert tool_tokens(text) == expected.split()


def step_by_step(text: str) -> list[str]:
    """The seven steps one after another; classes of characters stand in for Unicode properties in patterns."""

    def classes(chars: str) -> str:
        return "".join(
            {"Lu": "U", "Ll": "l"}.get(kind, {"L": "o", "N": "n"}.get(kind[0], "-"))
            for kind in map(unicodedata.category, chars)
        )

    def split_before(chars: str, pattern: str) -> str:
        places = {match.start(2) for match in re.finditer(pattern, classes(chars))}
        return "".join(f" {c}" if i in places else c for i, c in enumerate(chars))

    chars = unicodedata.normalize("NFKD", text)
    chars = "".join(c for c in chars if not unicodedata.category(c).startswith("M"))
    chars = split_before(chars, "(U+)(Ul)")
    chars = split_before(chars, "([ln])(U)")
    chars = "".join(" " if kind == "-" else c for c, kind in zip(chars, classes(chars), strict=True))
    return chars.lower().split()


LETTERS = st.text(st.sampled_from("aAbB1²_- é\u0301ǅßΣςİﬁＡ日½\u200b"), max_size=30)


ASCII = st.text(st.sampled_from("aAbB12_- .\x1f"), max_size=30)


@given(st.one_of(st.text(), LETTERS, ASCII))
def test_one_pass_equals_the_seven_steps(text: str) -> None:
    assert tool_tokens(text) == step_by_step(text)


@given(st.text())
def test_tokens_hold_letters_and_numbers_alone(text: str) -> None:
    assert all(
        unicodedata.category(c)[0] in "LN" or unicodedata.category(c)[0] == "M"  # lower-casing İ leaves a dot
        for token in tool_tokens(text)
        for c in token
    )


@given(st.text(), st.text())
def test_a_separator_keeps_texts_apart(first: str, second: str) -> None:
    assert tool_tokens(f"{first} {second}") == tool_tokens(first) + tool_tokens(second)
