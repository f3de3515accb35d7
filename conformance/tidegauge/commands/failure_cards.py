"""Prints the failures of a run: failing rules, then suspects, with their minimal counterexamples."""

from ..wire.results import Results, RuleResult, kind_of
from ..words.evidence import FLAKY, also_in_words, downstream_words, suspected_words
from ..words.numbers import counted, listed
from ..words.silence import others_words, silent_components
from ..words.suspects import plausibility_words, suspected_together, suspects_title
from .console import OUT
from .terminal_text import line, lines

_MOST_FAILURES = 5
"""Number of failures that are printed in full unless all are requested; the report contains the others."""

_MOST_NAMED = 12
"""Largest number of other failures that are named."""

_LONGEST = 1_000


def print_failures(results: Results, all_of_it: bool, before: str) -> None:
    """Print the failing rules, root causes first, and then the suspects, grouped by difference.

    After the first failures, only the names of the rules are printed.

    Args:
        results: the results of the run.
        all_of_it: whether to print every failure in full.
        before: the failure that was printed during the run; it is not printed again.
    """
    silent = {rules[0].id: rules for rules in silent_components(results).values()}
    repeated = {rule.id for rules in silent.values() for rule in rules[1:]}
    failing = [rule for rule in results.rules if kind_of(rule) == "fail" and rule.id not in repeated]
    failing.sort(key=lambda rule: bool(rule.affected_by))
    failing += [suspects[0] for suspects in suspected_together(results)]
    most = len(failing) if all_of_it else _MOST_FAILURES
    if failing:
        OUT.print()
    for rule in failing[:most]:
        _print_failure(rule, others_words(silent[rule.id]) if rule.id in silent else "", before)
    if others := [rule.id for rule in failing[most:]]:
        more = counted(len(others), "more failure", "more failures")
        OUT.print(f"{more}, see the report (or -v): {line(listed(others, _MOST_NAMED))}", soft_wrap=True)


def _print_failure(rule: RuleResult, others: str, before: str) -> None:
    """Print a failing rule, or the suspects of a difference. `others` is the note about rules that fail for
    the same reason; empty if there are none."""
    if rule.counterexample is None:
        if rule.verdict == "suspect":
            OUT.print(line(f"{suspects_title(rule)} ({rule.reason})", _LONGEST), soft_wrap=True)
        return
    card = rule.counterexample.message.partition("\nReplay: ")[0]
    if before and _course(card) == _course(before):
        OUT.print(f"{line(_title(rule, card))}: {_above(rule, before)}", soft_wrap=True)
    else:
        OUT.print(lines(card), soft_wrap=True)
    flaky = f"{FLAKY}: {rule.flaky}" if rule.flaky is not None else ""
    texts = (
        f"Replay: {rule.counterexample.replay}",
        suspected_words(rule),
        plausibility_words(rule),
        also_in_words(rule),
        downstream_words(rule),
        flaky,
        others,
    )
    for text in filter(None, texts):
        OUT.print(line(text, _LONGEST), soft_wrap=True)
    OUT.print()


def _title(rule: RuleResult, card: str) -> str:
    return suspects_title(rule) if len(rule.suspects) > 1 else card.splitlines()[0]


def _above(rule: RuleResult, before: str) -> str:
    """Return a reference to a failure that was printed during the run. It names the rule under review of that
    time, if the final diagnosis names other rules."""
    guess = before.partition(" ")[0]
    names = {rule.id, *(suspect.rule for suspect in rule.suspects)}
    return "the first difference above" + (f", there under {guess}" if guess not in names else "")


def _course(card: str) -> str:
    """Return the steps and the outputs of a failure, without the rule and the hint."""
    return card.partition("\nOn ")[2].partition("\nCheck ")[0]
