"""Lists of keywords are told from language; no question and no commit subject is taken for a list."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gortex_py.query import soup
from gortex_py.query.soup import find_soup, split_soup
from gortex_py.settings.paths import bundled
from gortex_py.text.concepts import Concepts, read_concepts
from gortex_py.text.stopwords import FUNCTION_WORDS

HERE = Path(__file__).parent

SOUPS = [
    ("A OR B OR 'no access'", soup.BOOLEAN),
    ("login AND session AND cookie", soup.BOOLEAN),
    ("retry | backoff | jitter", soup.BOOLEAN),
    ("retry||backoff||jitter", soup.BOOLEAN),
    ("'open file' 'read file' 'close file'", soup.QUOTED),
    ('"open" "read" \'close\'', soup.QUOTED),
    ("parse decode unmarshal token jwt OR cache redis", soup.LONG_LIST),
    ("parse decode unmarshal token jwt cache", soup.BARE_LIST),
    ("delete remove destroy drop erase purge", soup.BARE_LIST),
    ("getUserById findUser fetchUser user_repository UserService UserDao", soup.BARE_LIST),
    ("(create OR insert) AND (user OR account)", soup.BOOLEAN),
    ("parse, decode, unmarshal", soup.COMMA_LIST),
    ("retry policy, backoff, jitter", soup.COMMA_LIST),
]

NO_SOUPS = [
    "",
    "  ",
    "🙂 🙂 🙂 🙂 🙂 🙂 🙂",
    "auth OR login",
    "a || b",
    "parse decode unmarshal token jwt",
    "parse, decode",
    "read the file, decode it, and close it",
    "don't",
    "C++",
    "AND",
    "NEAR(",
]

QUESTIONS = """
how does the indexer pipeline work
where is the retry delay computed
which function decides that a token has expired
what happens when the connection drops halfway
why does the cache return stale rows
who calls the payment gateway
when are temporary files removed
how do we turn a path into a module name
how are environment variables merged with the settings file
where do log lines get their request id
what limits the number of open sockets
which class holds the list of plugins
how is the password hash compared
where does the parser handle a missing semicolon
what decides the order of middleware
is there a place that validates email addresses
does anything write to the audit table
can two workers take the same job
how many times is a failed upload retried
where are migrations applied at start
validate user login token before granting access
retry failed network requests after timeout error
opening move router for first tool call
atomic write helpers shared across adapters
list changed files since last call
MCP server type holding engine and graph
read settings from the home folder
convert markdown headings into anchors
stream large responses without loading them in memory
compare two versions of a schema
guess the encoding of a text file
load fonts before the first page is drawn
merge sorted lists while dropping duplicates
send a signal to all child processes
turn a stack trace into readable lines
walk a directory tree and skip hidden folders
rate limiting per client address
exponential backoff with jitter
graceful shutdown of background tasks
connection pool with health checks
circular buffer of recent events
least recently used cache eviction
debounce file system events
two phase commit between databases
sliding window of request counts
optimistic locking with version numbers
dead letter queue for poisoned messages
content negotiation by accept header
incremental parsing of edited source
garbage collection of orphaned blobs
weighted random choice of servers
priority queue for scheduled timers
bit set with fast intersection
memory mapped index of vectors
command line flag parsing
certificate rotation without restart
foreign key checks during import
time zone conversion of stored dates
plural forms in translated messages
diff between two directory snapshots
""".strip().splitlines()

SUBJECTS = """
Fix crash when the settings file is empty
Add a flag to print versions as JSON
Remove unused import in the scheduler
Handle timeouts in the upload client
Make retries idempotent for payment requests
Rename Worker to Runner across the code base
Speed up tokenizing long lines
Do not follow links that leave the root
Use a single connection per thread
Avoid copying the request body twice
Support Windows paths in ignore rules
Update changelog for release 2.4
Prevent double free in the buffer pool
Reset the timer after each keep alive frame
Document how sessions expire
Drop support for Python 3.8
Move socket options into their own struct
Return an error instead of panicking on bad input
Allow comments in JSON configuration files
Improve error message for missing column
Refactor token bucket into a separate module
Ensure headers are sent before the body
Correct off by one in pagination
Check permissions before deleting a folder
Reduce memory used by the trigram index
Skip generated files while linting
Revert cache metadata changes made last week
Ignore case when matching header names
Set default pool size from the number of cores
Guard against null pointers in the decoder
Restore scroll position after going back
Simplify the state machine of the lexer
Cache compiled patterns between calls
Log slow queries with their parameters
Replace deprecated calls of the date library
Test that closed streams raise
Bump minimum compiler version
Escape quotes in generated shell scripts
Let plugins register their own routes
Warn about keys that occur twice
Deduplicate headers, keep their order
Parse durations such as 1h30m
Limit concurrent downloads to four
Fix race between close and write
Clean up temporary folders at exit
Clarify what happens to pending tasks
net: keep idle connections open for longer
parser: accept trailing commas in calls
feat(api): add cursor based pagination
fix: handle empty response body correctly
Handle empty body when stream client quits early
Bump parser lexer token grammar test suite
""".strip().splitlines()


# What each family must catch of the lists written down. A bare list is only told from a noun phrase where most of its
# words are known to stand for one thing, and a question must never be taken for a list; so there many are missed.
FAMILIES = {
    "boolean": ({soup.BOOLEAN, soup.QUOTED, soup.LONG_LIST}, 1.0),
    "bare list": ({soup.BARE_LIST}, 0.58),
    "comma": ({soup.COMMA_LIST, soup.QUOTED}, 1.0),
}


@pytest.fixture(scope="module")
def concepts() -> Concepts:
    return read_concepts(bundled("data"))


def lines(name: str) -> dict[str, list[str]]:
    """Return the lines of a list by the heading above them."""
    found: dict[str, list[str]] = {}
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            under = found.setdefault(line[2:], [])
        elif line:
            under.append(line)
    return found


def test_none_of_a_thousand_plain_questions_is_taken_for_soup(concepts: Concepts) -> None:
    questions = [text for texts in lines("plain_questions.txt").values() for text in texts]
    assert [text for text, count in Counter(" ".join(q.lower().split()) for q in questions).items() if count > 1] == []
    assert len(questions) >= 1_000
    bare = [q.split() for q in questions if len(q.split()) >= soup.MIN_LIST_WORDS and "," not in q]
    assert sum(not FUNCTION_WORDS.intersection(word.lower() for word in words) for words in bare) >= 150
    assert [text for text in questions if find_soup(text, concepts)] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_catches_its_lists(family: str, concepts: Concepts) -> None:
    reasons, least = FAMILIES[family]
    texts = lines("keyword_soups.txt")[family]
    caught = [advice for text in texts if (advice := find_soup(text, concepts)) is not None]
    assert len(texts) >= 20
    assert {advice.reason for advice in caught} <= reasons
    assert len(caught) >= max(20, least * len(texts))
    assert all(len(advice.split_into) >= 2 for advice in caught)


@pytest.mark.parametrize(("text", "reason"), SOUPS)
def test_each_family_is_recognised_and_says_why(text: str, reason: str, concepts: Concepts) -> None:
    advice = find_soup(text, concepts)
    assert advice is not None
    assert advice.reason == reason
    assert len(advice.split_into) >= 2


@pytest.mark.parametrize("text", NO_SOUPS)
def test_short_lists_and_odd_texts_are_no_soup(text: str, concepts: Concepts) -> None:
    assert find_soup(text, concepts) is None


def test_no_question_and_no_commit_subject_is_taken_for_soup(concepts: Concepts) -> None:
    assert len(QUESTIONS) + len(SUBJECTS) >= 100
    assert [text for text in (*QUESTIONS, *SUBJECTS) if find_soup(text, concepts)] == []


def test_a_long_page_of_prose_is_no_soup(concepts: Concepts) -> None:
    assert find_soup("the request handler retries until the socket is closed " * 200, concepts) is None


def test_without_known_words_a_bare_list_is_no_soup_unless_it_is_of_names() -> None:
    assert find_soup("delete remove destroy drop erase purge") is None
    assert find_soup("parseConfig loadConfig readConfig config_path settings_file ConfigLoader") is not None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A OR B OR 'no access'", ("A", "B", "no access")),
        ("parse, decode, unmarshal", ("parse", "decode", "unmarshal")),
        ("parse decode token", ("parse", "decode", "token")),
        ("Auth | auth || AUTH | login", ("Auth", "login")),
        ("a, , b,", ("a", "b")),
        (" OR ", ()),
    ],
)
def test_splitting_keeps_order_and_drops_repeats_quotes_and_blanks(text: str, parts: tuple[str, ...]) -> None:
    assert split_soup(text) == parts
