"""Names, first lines, and what users type."""

from __future__ import annotations

import pytest

from gortex_py.source import language_table
from gortex_py.source.languages import LANGUAGES, canonical_language, is_programming, language_aliases, language_of

BY_PATH = {
    **{"a.py": "python", "a.pyi": "python", "a.js": "javascript", "a.mjs": "javascript", "a.cjs": "javascript"},
    **{"a.jsx": "javascript", "a.ts": "typescript", "a.mts": "typescript", "a.cts": "typescript", "a.tsx": "tsx"},
    **{"a.go": "go", "a.rs": "rust", "A.java": "java", "a.c": "c", "a.cc": "cpp", "a.hpp": "cpp", "a.cs": "csharp"},
    **{"a.rb": "ruby", "a.php": "php", "a.kt": "kotlin", "a.swift": "swift", "a.scala": "scala", "a.ex": "elixir"},
    **{"a.hs": "haskell", "a.lua": "lua", "a.zig": "zig", "a.sh": "bash", "a.bats": "bash", "a.sql": "sql"},
    **{"a.html": "html", "a.css": "css", "a.yaml": "yaml", "a.yml": "yaml", "a.toml": "toml", "a.json": "json"},
    **{"README.md": "markdown", "a.rst": "rst", "a.txt": "text", "LICENSE": "text", "A.PY": "python"},
    **{"Makefile": "make", "CMakeLists.txt": "cmake", "Dockerfile": "dockerfile", "Dockerfile.dev": "dockerfile"},
    **{"Gemfile": "ruby", "Rakefile": "ruby", "BUILD": "bazel", "go.mod": "gomod", "Cargo.lock": "toml"},
    **{"a.pl": "perl", "a.r": "r", "a.jl": "julia", "a.dart": "dart", "a.ml": "ocaml", "a.erl": "erlang"},
    **{"a.clj": "clojure", "a.nim": "nim", "a.ps1": "powershell", "a.proto": "proto", "a.tf": "terraform"},
    **{
        "a.vue": "vue",
        "a.svelte": "svelte",
        "a.astro": "astro",
        "a.fs": "fsharp",
        "a.vim": "vim",
        "a.graphql": "graphql",
    },
    **{"model.rb.tt": "ruby", "config.h.in": "c", "src/a.d.ts": "typescript", ".bashrc": "bash"},
    **{"a.unknown": None, "noextension": None, ".py": None, "build": None},
}


@pytest.mark.parametrize(("path", "language"), BY_PATH.items(), ids=BY_PATH.keys())
def test_a_name_gives_the_language(path: str, language: str | None) -> None:
    assert language_of("some.dir/" + path) == language


BY_HEAD = {
    "shebang": ("bin/run", "#!/usr/bin/python\n", "python"),
    "shebang with env": ("bin/run", "#!/usr/bin/env node\n", "javascript"),
    "shebang with options, variables, version": ("run", "#!/usr/bin/env -S A=b python3.12 -u\n", "python"),
    "shebang of a shell": ("run", "#! /bin/sh -e\n", "bash"),
    "script with a telling name": ("install", "#!/bin/bash\n", "bash"),
    "unknown program": ("run", "#!/opt/own\n", None),
    "vim": ("run", "x\n# vim: set sw=2 ft=ruby :\n", "ruby"),
    "emacs": ("run", "// -*- C++ -*-\n", "cpp"),
    "emacs with variables": ("run", "# -*- mode: python; coding: utf-8 -*-\n", "python"),
    "php": ("page.inc", "<html><?php echo 1;", "php"),
    "fragment of C++": ("a.inc", "#include <a>\nnamespace a {", "cpp"),
    "fragment of something": ("a.inc", "SELECT 1", None),
    "C header": ("a.h", "/*\nclass x {\n*/\nstruct a;\nint f(void);\n", "c"),
    "header with a class": ("a.h", "class Widget {\n", "cpp"),
    "header with a namespace": ("a.h", "#pragma once\nnamespace a {\n", "cpp"),
    "header with a template": ("a.h", "template <typename T>\n", "cpp"),
    "header with a scope": ("a.h", "void f(std::string);\n", "cpp"),
    "header of Objective-C": ("a.h", "#import <a.h>\n@interface A\n", "objc"),
    "C header with C++ guard": ("a.h", '#ifdef __cplusplus\nextern "C" {\n#endif\nint a;\n', "c"),
    "Objective-C": ("a.m", "#import <a.h>\n", "objc"),
    "MATLAB": ("a.m", "function y = f(x)\n", "matlab"),
    "translation": ("app_de.ts", '<?xml version="1.0"?>\n<TS>', "xml"),
    "manual page": ("git.1", ".TH GIT 1\n", "man"),
    "version number": ("release-1.2", "notes\n", None),
    "Perl test": ("t/a.t", "use Test::More;\n", "perl"),
    "other test": ("t/a.t", "Setup\n  $ ls\n", None),
    "Prolog": ("a.pl", ":- module(a, []).\n", "prolog"),
}


@pytest.mark.parametrize(("path", "head", "language"), BY_HEAD.values(), ids=BY_HEAD.keys())
def test_first_lines_settle_doubt(path: str, head: str, language: str | None) -> None:
    assert language_of(path, head) == language


@pytest.mark.parametrize(
    ("typed", "language"),
    [
        *[
            ("ts", "typescript"),
            ("js", "javascript"),
            ("py", "python"),
            ("rb", "ruby"),
            ("rs", "rust"),
            ("kt", "kotlin"),
        ],
        *[("yml", "yaml"), ("golang", "go"), ("C++", "cpp"), ("c#", "csharp"), ("sh", "bash"), ("shell", "bash")],
        *[("md", "markdown"), ("Python", "python"), ("tsx", "tsx"), ("klingon", "klingon")],
    ],
)
def test_what_users_type_is_understood(typed: str, language: str) -> None:
    assert canonical_language(typed) == language


def test_programs_are_told_from_data_and_prose() -> None:
    assert all(map(is_programming, ("python", "bash", "sql", "vue", "perl")))
    assert not any(map(is_programming, ("json", "yaml", "markdown", "html", "css", "make", "text", None)))


def test_tables_name_each_thing_once() -> None:
    words = [
        word
        for table in (language_table.PROGRAMMING, language_table.OTHER)
        for row in table.values()
        for word in row.split()
    ]
    names = [word for row in language_table.FILE_NAMES.values() for word in row.split()]
    assert len(words) == len(set(words))
    assert len(names) == len(set(names))
    assert not set(language_aliases()) & LANGUAGES - {"tsx"}
    assert set(language_aliases().values()) | set(language_table.INTERPRETERS.values()) <= LANGUAGES
