"""Path patterns that tell what a file is for; data only.

One rule an alternative, with a path that this rule alone recognises. A folder rule is matched
against each folder's whole name in lower case (in its own case when the pattern has a capital),
a file rule against the whole file name. Template, skeleton, script and tool folders are in no
class on purpose: real answers lie there.
"""

from __future__ import annotations

from dataclasses import dataclass

from gortex_py.types import FileCategory


@dataclass(frozen=True, slots=True)
class FolderRule:
    category: FileCategory
    pattern: str
    example: str
    unless: str = ""  # languages in which a folder of this name is a package like any other


@dataclass(frozen=True, slots=True)
class FileRule:
    category: FileCategory
    pattern: str
    example: str


Rule = FolderRule | FileRule

_CAMEL = r".*[A-Za-z0-9]"
_PACKAGE_LANGUAGES = "java kotlin scala csharp"


def _folders(category: FileCategory, *rules: tuple[str, str]) -> tuple[FolderRule, ...]:
    return tuple(FolderRule(category, pattern, example) for pattern, example in rules)


def _files(category: FileCategory, *rules: tuple[str, str]) -> tuple[FileRule, ...]:
    return tuple(FileRule(category, pattern, example) for pattern, example in rules)


VENDORED: tuple[Rule, ...] = (
    FolderRule(FileCategory.VENDORED, "vendor", "vendor/js/jquery.js", unless=_PACKAGE_LANGUAGES),
    *_folders(
        FileCategory.VENDORED,
        ("_?vendored", "src/_vendored/six.py"),
        ("_vendor", "pip/_vendor/six.py"),
        ("third[_-]?party", "third_party/zlib/inflate.c"),
        ("3rd[_-]?party", "3rdparty/zlib/inflate.c"),
        ("node_modules", "node_modules/left-pad/index.js"),
        ("bower_components", "bower_components/a/a.js"),
        ("jspm_packages", "jspm_packages/a/a.js"),
        ("Pods", "Pods/Alamofire/Request.swift"),
        ("Carthage", "Carthage/Checkouts/Request.swift"),
        ("godeps", "Godeps/_workspace/src/a.go"),
    ),
)

GENERATED: tuple[Rule, ...] = (
    *_files(
        FileCategory.GENERATED,
        (r".*\.pb\.(go|cc|h|c|swift|dart|rs)", "api/user.pb.go"),
        (r".*_pb2\.pyi?", "api/user_pb2.py"),
        (r".*_pb2_grpc\.py", "api/user_pb2_grpc.py"),
        (r".*_pb\.(ts|js|rb|d\.ts)", "api/user_pb.js"),
        (r".*_pb_service\.(ts|js|d\.ts)", "api/user_pb_service.js"),
        (r".*[._]gen\.(go|rs|ts|tsx|js|jsx)", "api/types_gen.go"),
        (r".*[._]generated\.\w+", "api/types.generated.ts"),
        (r"zz_generated.*", "api/zz_generated.deepcopy.go"),
        (r".*\.(g|freezed|pbgrpc|pbenum|pbjson|pbserver|chopper|gr)\.dart", "lib/user.g.dart"),
        (r".*\.(g|designer)\.cs", "Forms/Main.Designer.cs"),
        (r"mock_.*\.go", "store/mock_store.go"),
        (r".*_mocks?\.go", "store/store_mock.go"),
        (r".*\.pulsar\.go", "api/user.pulsar.go"),
        (r".*grpc\.java", "api/UserGrpc.java"),
        (r".*outerclass\.java", "api/UserOuterClass.java"),
        (r".*[.-]min\.(js|mjs|css)", "public/app.min.js"),
        (r".*\.(js|mjs|css)\.map", "public/app.js.map"),
    ),
)

TEST: tuple[Rule, ...] = (
    *_folders(
        FileCategory.TEST,
        ("tests?", "tests/app.py"),
        ("specs?", "spec/app.rb"),
        ("__tests__", "src/__tests__/app.ts"),
        ("__mocks__", "src/__mocks__/app.ts"),
        ("__snapshots__", "src/__snapshots__/app.snap"),
        ("testing", "testing/app.go"),
        ("e2e", "e2e/app.ts"),
        ("(test[_-]?)?fixtures?", "fixtures/app.py"),
        ("test[_-]?data", "pkg/testdata/app.go"),
        ("tests?-.+", "tests-unit/app.py"),
        (f"{_CAMEL}Tests?", "AppTests/Helper.swift"),
        (r".+\.Tests?", "My.Test/Helper.cs"),
    ),
    *_files(
        FileCategory.TEST,
        (r".+[_-]tests?\.\w+", "pkg/app_test.go"),
        (r".+\.tests?\.\w+", "src/app.test.ts"),
        (r".+[_-]spec\.\w+", "lib/app_spec.rb"),
        (r".+\.spec\.\w+", "src/app.spec.ts"),
        (r"test[_-].+", "pkg/test_app.py"),
        (f"{_CAMEL}Tests?\\.\\w+", "src/AppTest.java"),
        (r"Test[A-Z]\w*\.(java|scala|groovy|kt|cs)", "src/TestApp.java"),
        (f"{_CAMEL}Suite\\.\\w+", "src/AppSuite.scala"),
        (f"{_CAMEL}Spec\\.(scala|kt|groovy|hs|swift|[jt]sx?|coffee|cs|m|php)", "src/AppSpec.hs"),
        (r".+_SUITE\.erl", "src/app_SUITE.erl"),
        (r"conftest\.py", "pkg/conftest.py"),
        (r"tests?\.\w+", "src/tests.rs"),
    ),
)

EXAMPLE: tuple[Rule, ...] = (
    *_folders(
        FileCategory.EXAMPLE,
        ("(.+[_-])?examples?", "examples/app.py"),
        ("(.+[_-])?samples?", "samples/app.py"),
        ("(.+[_-])?demos?", "demo/app.py"),
        ("(.+[_-])?benchmarks?", "benchmarks/app.py"),
        ("bench(es)?", "benches/app.rs"),
        ("perf", "perf/app.py"),
        ("fuzz(ing|ers?)?", "fuzz/app.rs"),
        ("tutorials?", "tutorial/app.py"),
        ("docs?[_-](src|source|examples?|snippets?)", "docs_src/app.py"),
    ),
    *_files(
        FileCategory.EXAMPLE,
        (r".+[_-]bench(mark)?s?\.\w+", "base/app_benchmark.cc"),
        (r".+\.bench\.\w+", "src/app.bench.ts"),
        (f"{_CAMEL}Benchmarks?\\.\\w+", "src/AppBenchmark.java"),
        (r".+_fuzz(er)?\.\w+", "src/app_fuzzer.cc"),
    ),
)

# Prose and pages below these are DOCS in any depth; programs below a topmost one are EXAMPLE.
DOCUMENTATION_FOLDERS: tuple[Rule, ...] = _folders(
    FileCategory.DOCS,
    ("docs?", "pkg/docs/figure.json"),
    ("site", "pkg/site/figure.json"),
    ("documentation", "pkg/documentation/figure.json"),
    ("website", "pkg/website/figure.json"),
    ("man", "man/figure.json"),
)

RULES: tuple[Rule, ...] = (*VENDORED, *GENERATED, *TEST, *EXAMPLE, *DOCUMENTATION_FOLDERS)

# Languages that are read, not run, wherever they lie. The first set is written in sections.
PROSE_LANGUAGES = frozenset(("markdown", "rst", "asciidoc", "org", "tex", "man", "texinfo", "rdoc", "textile"))
PAGE_LANGUAGES = frozenset(("text", "html", "css", "scss", "sass", "less", "stylus"))

# In a comment within the first lines; each with a line that it alone recognises.
GENERATED_HEADERS: tuple[tuple[str, str], ...] = (
    (r"code generated\b.*\bdo not edit", "// Code generated from api.yaml. DO NOT EDIT."),
    (r"(?<![\w.`'\"])@(?:partially-)?generated\b", "/* @generated SignedSource<<1f>> */"),
    (r"<auto-?generated", "// <auto-generated>"),
    (
        r"\bthis (?:file|code|class) (?:is|was|has been) (?:auto-?|automatically |machine[- ])generated",
        "# This file was automatically generated by SWIG",
    ),
    (r"\bgenerated by\b.*\bdo not (?:edit|modify)", "# Generated by the protocol compiler.  DO NOT EDIT!"),
    (r"\bauto-?generated\b.*\bdo not (?:edit|modify)", "-- Autogenerated, do not modify"),
)
