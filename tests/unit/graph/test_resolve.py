"""Which file a name means, through the real parser, in the main languages."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from gortex_py.graph.edges import KIND_NUMBER, KINDS, Provenance
from gortex_py.graph.resolve import Mentions, resolve
from gortex_py.parse.parser import SourceParser
from gortex_py.source.languages import language_of
from gortex_py.types import ReferenceKind, SymbolKind

CALL, IMPORT, INHERIT, USE = ReferenceKind.CALL, ReferenceKind.IMPORT, ReferenceKind.INHERIT, ReferenceKind.USE
_PARSER = SourceParser()


def mentions_of(files: Mapping[str, str]) -> Mentions:
    languages = {path: language_of(path, text) for path, text in files.items()}
    parsed = [_PARSER.parse(path, languages[path], text) for path, text in files.items()]
    pairs = sorted(
        {(s.name, row) for row, file in enumerate(parsed) for s in file.symbols if s.kind is not SymbolKind.PROTOTYPE}
    )
    names = {name: number for number, name in enumerate(dict.fromkeys(name for name, _ in pairs))}
    said = [(row, r) for row, file in enumerate(parsed) for r in file.references if r.name in names]
    return Mentions(
        paths=tuple(files),
        languages=tuple(languages.values()),
        names=tuple(names),
        definer=np.array([row for _, row in pairs], np.int64),
        defined=np.array([names[name] for name, _ in pairs], np.int64),
        source=np.array([row for row, _ in said], np.int64),
        name=np.array([names[r.name] for _, r in said], np.int64),
        kind=np.array([KIND_NUMBER[r.kind] for _, r in said], np.uint8),
        uses=np.ones(len(said), np.int64),
        imports=tuple((row, r.spelled) for row, file in enumerate(parsed) for r in file.references if r.spelled),
    )


def edges_of(files: Mapping[str, str]) -> set[tuple[str, str, ReferenceKind, Provenance]]:
    mentions = mentions_of(files)
    edges = resolve(mentions)
    return {
        (mentions.paths[s], mentions.paths[t], KINDS[k], Provenance(p))
        for s, t, k, p in zip(edges.source, edges.target, edges.kind, edges.provenance, strict=True)
    }


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {
                "app/shop.py": "from .models.base import Base\n\nclass Shop(Base):\n    pass\n",
                "app/models/base.py": "class Base:\n    pass\n",
                "other/base.py": "class Base:\n    pass\n",
            },
            {("app/shop.py", "app/models/base.py", kind, Provenance.IMPORTED) for kind in (IMPORT, INHERIT)},
        ),
        (
            {
                "src/shop.ts": 'import { Base } from "./models/base";\nexport class Shop extends Base {}\n',
                "src/models/base.ts": "export class Base {}\n",
                "old/base.ts": "export class Base {}\n",
            },
            {("src/shop.ts", "src/models/base.ts", kind, Provenance.IMPORTED) for kind in (IMPORT, INHERIT)},
        ),
        (
            {
                "cmd/main.go": 'package main\n\nimport "example.org/shop/store"\n\nfunc main() { store.Open() }\n',
                "store/store.go": "package store\n\nfunc Open() {}\n",
                "cache/cache.go": "package cache\n\nfunc Open() {}\n",
            },
            {("cmd/main.go", "store/store.go", kind, Provenance.IMPORTED) for kind in (IMPORT, CALL)},
        ),
        (
            {
                "src/main.rs": "use crate::store::Store;\n\nfn main() { Store::open_store(); }\n",
                "src/store.rs": "pub struct Store;\nimpl Store { pub fn open_store() {} }\n",
            },
            {("src/main.rs", "src/store.rs", kind, Provenance.IMPORTED) for kind in (IMPORT, CALL)},
        ),
        (
            {
                "src/org/shop/Shop.java": "import org.shop.model.Base;\nclass Shop extends Base {}\n",
                "src/org/shop/model/Base.java": "package org.shop.model;\npublic class Base {}\n",
                "src/org/shop/view/Base.java": "package org.shop.view;\npublic class Base {}\n",
            },
            {
                ("src/org/shop/Shop.java", "src/org/shop/model/Base.java", kind, Provenance.IMPORTED)
                for kind in (IMPORT, INHERIT)
            },
        ),
        (
            {
                "src/main.cc": '#include "store/store.h"\n\nint main() { return OpenStore(); }\n',
                "src/store/store.h": "int OpenStore();\n",
                "src/store/store.cc": '#include "store/store.h"\n\nint OpenStore() { return 1; }\n',
            },
            {
                ("src/main.cc", "src/store/store.h", IMPORT, Provenance.IMPORTED),
                ("src/main.cc", "src/store/store.cc", IMPORT, Provenance.IMPORTED),
                ("src/main.cc", "src/store/store.cc", CALL, Provenance.IMPORTED),
                ("src/store/store.cc", "src/store/store.h", IMPORT, Provenance.IMPORTED),
            },
        ),
        (
            {
                "lib/shop.rb": 'require_relative "shop/base"\n\nclass Shop < Base\nend\n',
                "lib/shop/base.rb": "class Base\nend\n",
            },
            {("lib/shop.rb", "lib/shop/base.rb", kind, Provenance.IMPORTED) for kind in (IMPORT, INHERIT)},
        ),
        (
            {
                "src/Shop.php": "<?php\nuse App\\Model\\Base;\nclass Shop extends Base {}\n",
                "src/App/Model/Base.php": "<?php\nclass Base {}\n",
            },
            {("src/Shop.php", "src/App/Model/Base.php", kind, Provenance.IMPORTED) for kind in (IMPORT, INHERIT)},
        ),
    ],
    ids=["python", "typescript", "go", "rust", "java", "cpp", "ruby", "php"],
)
def test_an_imported_definition_is_meant(
    files: dict[str, str], expected: set[tuple[str, str, ReferenceKind, Provenance]]
) -> None:
    assert edges_of(files) == expected


def test_the_tiers_of_names_without_an_import() -> None:
    assert edges_of({"a/x.go": "package a\nfunc run() { helper() }\n", "a/y.go": "package a\nfunc helper() {}\n"}) == {
        ("a/x.go", "a/y.go", CALL, Provenance.PACKAGE)
    }
    assert edges_of({"a/x.go": "package a\nfunc run() { helper() }\n", "b/y.go": "package b\nfunc helper() {}\n"}) == {
        ("a/x.go", "b/y.go", CALL, Provenance.UNIQUE)
    }


def test_up_to_three_definers_may_be_meant_and_four_are_none() -> None:
    def found(definers: int) -> set[tuple[str, str, ReferenceKind, Provenance]]:
        files = {f"m{i}/d.py": "def shared():\n    pass\n" for i in range(definers)}
        return edges_of({"x/user.py": "def run():\n    shared()\n", **files})

    assert {(target, tier) for _, target, _, tier in found(3)} == {
        (f"m{i}/d.py", Provenance.AMBIGUOUS) for i in range(3)
    }
    assert found(4) == set()


def test_a_file_that_defines_a_name_means_its_own() -> None:
    own = "def load():\n    load()\n\ndef run():\n    load()\n"
    assert edges_of({"x.py": own, "y.py": "def load():\n    pass\n"}) == set()


def test_files_that_import_each_other_lean_on_each_other() -> None:
    files = {
        "p/a.py": "from .b import bee\n\ndef aye():\n    bee()\n",
        "p/b.py": "from .a import aye\n\ndef bee():\n    aye()\n",
    }
    assert {(s, t) for s, t, kind, _ in edges_of(files) if kind is CALL} == {("p/a.py", "p/b.py"), ("p/b.py", "p/a.py")}


def test_a_package_gives_out_what_its_first_file_imports() -> None:
    files = {
        "user.py": "from shop.api import Till\n\ndef run():\n    Till()\n",
        "shop/api/__init__.py": "from .till import Till\n",
        "shop/api/till.py": "class Till:\n    pass\n",
        "old/till.py": "class Till:\n    pass\n",
    }
    assert ("user.py", "shop/api/till.py", CALL, Provenance.IMPORTED) in edges_of(files)
    assert not any(target == "old/till.py" for _, target, _, _ in edges_of(files))


def test_languages_do_not_call_each_other_by_name() -> None:
    assert edges_of({"x.py": "def run():\n    helper()\n", "y.go": "package y\nfunc helper() {}\n"}) == set()


def test_no_files_have_no_edges() -> None:
    assert edges_of({}) == set()


def test_an_import_of_a_stranger_finds_nothing() -> None:
    files = {"deep/er/json.py": "def dumps():\n    pass\n", "x.py": "import json\nimport os.path\n"}
    assert edges_of(files) == set()
