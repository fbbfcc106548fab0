"""Swift: structs, protocols, actors, extensions whose members belong to the type."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r"""import Foundation

/// Sends requests.
@MainActor public final class Session: Base, Sendable {
    public static let shared = Session()
    var headers: [Header] { [] }

    init(name: String) {
        super.init()
        configure(name)
    }

    func request<T>(_ url: URL, method: Method = .get) async throws -> T where T: Decodable {
        return decoder.decode(url)
    }

    subscript(index: Int) -> Int { index }
}

public struct Header: Hashable {
    static func == (left: Header, right: Header) -> Bool { true }
}

enum Method: String {
    case get, post
    indirect case other(String)
}

protocol Decoding {
    var name: String { get }
    func decode() throws
    associatedtype Value
}

actor Cache {}

extension Header: Codable {
    func makeLine() -> String { "" }
}

typealias Headers = [Header]
func top(count: Int) {}
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("swift", SOURCE) == [
        "class Session 4-18",
        "property Session.shared 5-5",
        "property Session.headers 6-6",
        "constructor Session.init 8-11",
        "method Session.request 13-15",
        "method Session.subscript 17-17",
        "struct Header 20-22",
        "method Header.== 21-21",
        "enum Method 24-27",
        "constant Method.get 25-25",
        "constant Method.post 25-25",
        "constant Method.other 26-26",
        "interface Decoding 29-33",
        "property Decoding.name 30-30",
        "method Decoding.decode 31-31",
        "type Decoding.Value 32-32",
        "class Cache 35-35",
        "type Header 37-39",
        "method Header.makeLine 38-38",
        "function top 42-42",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "Session": "public final class Session: Base, Sendable",
        "Session.request": "func request<T>(_ url: URL, method: Method = .get) async throws -> T where T: Decodable",
        "Session.init": "init(name: String)",
        "Header.==": "static func == (left: Header, right: Header) -> Bool",
        "Decoding.decode": "func decode() throws",
    }
    assert {name: symbol("swift", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("swift", SOURCE, "Session").doc == "Sends requests."


def test_mentions_are_told_apart() -> None:
    assert references("swift", SOURCE) == {
        "import Foundation 1",
        "inherit Base 4",
        "inherit Sendable 4",
        "use MainActor 4",
        "call Session 5",
        "use Header 6",
        "use String 8",
        "call init 9",
        "call configure 10",
        "use Decodable 13",
        "use Method 13",
        "use T 13",
        "use URL 13",
        "call decode 14",
        "use Int 17",
        "inherit Hashable 20",
        "use Bool 21",
        "use Header 21",
        "inherit String 24",
        "use String 26",
        "use String 30",
        "inherit Codable 37",
        "use String 38",
        "use Header 41",
        "use Int 42",
    }


def test_comments_are_known() -> None:
    assert comments("swift", SOURCE) == [
        "/// Sends requests.",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {
        s.name for s in parse("swift", "struct A {\n  func broken( {\n}\n\nstruct B {\n  func fine() {}\n}\n").symbols
    }
    assert "fine" in names
