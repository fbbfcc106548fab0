"""Words that say nothing of what is searched, and words that say little."""

from __future__ import annotations

# Words that carry a sentence, not its subject; they also mark a query as language.
FUNCTION_WORDS = frozenset(
    """
    a about above across after again against all also an and any are as at be because been before
    being below between both but by can cannot could did do does doing done down during each else
    ever every few for from further had has have having he her here him his how i if in inside into
    is it its itself just let me might more most must my no nor not now of off on once only onto or
    other our out over own per same shall she should so some such than that the their them then
    there these they this those through to too under until up upon us using very via was we were
    what whatever when whenever where wherever whether which while who whom whose why will with
    within without would yet you your
    """.split()
)

# Asked with, not asked for: "how does X work", "code that uses X".
QUESTION_WORDS = frozenset("code work works working use uses used usage using".split())

STOP_WORDS = FUNCTION_WORDS | QUESTION_WORDS

# Said of almost any code; damped, since some files are named for them (impls.rs, handler.go).
WEAK_WORDS = frozenset(
    """
    implementation implementations implement implements implemented implementing handle handles
    handled handling support supports supported supporting based specific
    """.split()
)
WEAK_WORD_FACTOR = 0.4

# Openings of a sentence that tells of a change ("fix crash when ..."): the rest is what it is about.
CHANGE_VERBS = frozenset(
    """
    add added adding adds adjust adjusted allow allowed allowing allows avoid avoided avoiding avoids bump change
    changed changes changing clarify clarified cleanup correct corrected corrects deduplicate delete deleted deletes
    deprecate deprecated disable disabled disables disallow do don drop dropped drops eliminate enable enabled enables
    ensure ensured ensures exclude excluded expose extend extract extracted fix fixed fixes fixing generalize handle
    handled handles handling implement implemented implements improve improved improves improving introduce introduced
    introduces make makes making modify move moved moves moving optimize optimized optimizes port prefer prevent
    prevented prevents reduce reduced reduces refactor refactored refactoring refine remove removed removes removing
    rename renamed renames reorder reorganize replace replaced replaces resolve resolved resolves restore restored
    return returned returns revert rework rewrite simplify simplified simplifies skip skipped skips support supported
    supports switch tweak unify update updated updates updating use used uses using
    """.split()
)

# Of those, the ones that people do to code and code hardly does itself ("refactor", not "validate").
AUTHORS_VERBS = frozenset(
    """
    add added adding adds adjust adjusted allow allowed allowing allows avoid avoided avoiding avoids bump change
    changed changes changing clarify clarified cleanup correct corrected corrects deduplicate deprecate deprecated do
    don eliminate ensure ensured ensures expose extend extract extracted fix fixed fixes fixing generalize implement
    implemented implements improve improved improves improving introduce introduced introduces make makes making
    modify optimize optimized optimizes port prefer prevent prevented prevents reduce reduced reduces refactor
    refactored refactoring rename renamed renames reorder reorganize revert rework rewrite simplify simplified
    simplifies support supported supports switch tweak unify use used uses using
    """.split()
)

# In such a sentence these fill out the telling; they are rare in code and would weigh too much.
CHANGE_FILLERS = frozenset(
    """
    after again all also always any because before better both bug bugs case cases certain cleanup
    correct correctly due during each fix fixed fixes fixing get gets incorrect incorrectly instead
    issue issues just minor missing more never new now old only other part possible potential
    properly redundant refactor refactored refactoring regression same simple small some still unnecessary unused
    way when where while within without wrong wrongly
    """.split()
)
CHANGE_FILLER_FACTOR = 0.1
CHANGE_MIN_WORDS = 3

QUESTION_OPENERS = frozenset("how what where when why which who does is are can".split())
