"""PHP: namespaces, traits, enums, promoted constructors, constants."""

from __future__ import annotations

from tests.unit.parse.samples import comments, outline, parse, references, symbol

SOURCE = r"""<?php
namespace Shop\Cart;

use Psr\Log\LoggerInterface;

/** Writes carts as JSON. */
#[Service]
final class JsonWriter extends Writer implements Flushable
{
    use Counts;
    public const LIMIT = 10;
    protected ?int $depth = null;

    public function __construct(private LoggerInterface $log)
    {
        parent::__construct();
    }

    /**
     * Writes one cart.
     */
    public static function write(array $cart): ?string
    {
        return encode(new Envelope($cart))->send();
    }

    abstract protected function flush(): void;
}

interface Flushable extends Base { public function flush(): void; }

trait Counts { public function count(): int { return 0; } }

enum Suit: string
{
    case Hearts = 'H';

    public function label(): string { return ''; }
}

function helper(int $a): int { return $a; }
const TOP = 1;
define('FLAG', true);
"""


def test_definitions_stand_where_the_source_has_them() -> None:
    assert outline("php", SOURCE) == [
        "namespace Shop.Cart 2-2",
        "class JsonWriter 7-28",
        "constant JsonWriter.LIMIT 11-11",
        "property JsonWriter.depth 12-12",
        "constructor JsonWriter.__construct 14-17",
        "method JsonWriter.write 22-25",
        "method JsonWriter.flush 27-27",
        "interface Flushable 30-30",
        "method Flushable.flush 30-30",
        "trait Counts 32-32",
        "method Counts.count 32-32",
        "enum Suit 34-39",
        "constant Suit.Hearts 36-36",
        "method Suit.label 38-38",
        "function helper 41-41",
        "constant TOP 42-42",
        "constant FLAG 43-43",
    ]


def test_signatures_end_before_the_body() -> None:
    signatures = {
        "JsonWriter": "final class JsonWriter extends Writer implements Flushable",
        "JsonWriter.__construct": "public function __construct(private LoggerInterface $log)",
        "JsonWriter.write": "public static function write(array $cart): ?string",
        "JsonWriter.depth": "protected ?int $depth = null;",
        "helper": "function helper(int $a): int",
    }
    assert {name: symbol("php", SOURCE, name).signature for name in signatures} == signatures


def test_comments_document_what_follows() -> None:
    assert symbol("php", SOURCE, "JsonWriter").doc == "Writes carts as JSON."
    assert symbol("php", SOURCE, "JsonWriter.write").doc == "Writes one cart."


def test_mentions_are_told_apart() -> None:
    assert references("php", SOURCE) == {
        "import LoggerInterface 4",
        "use Service 7",
        "inherit Flushable 8",
        "inherit Writer 8",
        "inherit Counts 10",
        "use LoggerInterface 14",
        "call __construct 16",
        "call Envelope 24",
        "call encode 24",
        "call send 24",
        "inherit Base 30",
        "call define 43",
    }


def test_comments_are_known() -> None:
    assert comments("php", SOURCE) == [
        "/** Writes carts as JSON. */",
        "/**",
    ]


def test_broken_code_keeps_the_rest() -> None:
    names = {
        s.name
        for s in parse("php", "<?php\nclass A { function broken( { }\n}\nclass B { function fine() {} }\n").symbols
    }
    assert "B" in names
