"""Verdicts and statuses in words: of rules, of known deviations, of test items."""

from dataclasses import dataclass
from typing import Literal

from ..wire.results import (
    ACCUSED,
    KNOWN_DEVIATIONS,
    DeviationResult,
    DeviationStatus,
    ItemResult,
    Results,
    RuleResult,
    kind_of,
)
from .numbers import counted

Place = Literal["root", "affected", "flaky", ""]

SIGNS: dict[str, tuple[str, str]] = {
    "pass": ("P", "pass"),
    "fail": ("F", "fail"),
    "suspect": ("S", "suspect"),
    "error": ("E", "error"),
    KNOWN_DEVIATIONS: ("F†", "known deviation"),
    "not-tested": ("?", "not tested"),
    "not-applicable": ("–", "not applicable"),
}
"""The letter and the words of whatever `counts_of` counts: a verdict never shows by colour alone."""

_PLURALS = {"known deviation": "known deviations", "error": "errors", "suspect": "suspects"}

NOT_IN_RUN = ("·", "not in this run")
"""The same of a rule that a run does not have."""

NOT_CLAIMED = "not claimed by this engine"
"""Why rules are not applicable."""

READING = "in the reading of the profile"
"""Said of a rule that passes by a policy, not by its sentence."""

BY_POLICY = f"pass {READING}"
AFFECTED = "fail, downstream: builds on a part that fails"
FLAKY = "known to be flaky"

DEVIATION_STATUSES: dict[DeviationStatus, str] = {
    "as-known": "as known",
    "unexpected-pass": "unexpected pass",
    "stale": "stale",
    "not-tried": "not tried",
}
"""What became of a known deviation."""

OUTCOMES = {
    "judged": "judged",
    "failed": "outputs differ from the specification, but no rule could be named",
    "crashed": "crashed",
    "timeout": "timed out",
    "error": "error",
    "not-run": "not run",
}
"""What became of a test item. A test item `failed` is told only where no rule is named."""

UNFINISHED_OUTCOMES = ("crashed", "timeout", "error", "not-run")
"""The outcomes of test items that gave no result."""


@dataclass(frozen=True)
class Standing:
    """`kind` is what the rule counts as: the verdict, or a known deviation. `sign` is the letter of the kind
    with marks; `words` say the same; `reason` says why, and is empty for a pass by the sentence of the rule.
    `place` says where an accused rule stands: a failing one at the root or where it builds on a part that
    fails; each known to be flaky and so not held against the engine. `notes` are the marks with their
    meaning."""

    kind: str
    sign: str
    words: str
    reason: str = ""
    place: Place = ""
    notes: tuple[tuple[str, str], ...] = ()


def standing(rule: RuleResult) -> Standing:
    """How a rule stands."""
    kind = kind_of(rule)
    letter, words = SIGNS[kind]
    if kind == KNOWN_DEVIATIONS:
        return Standing(kind, letter, words, rule.deviation or "")
    if kind == "pass" and rule.policy is not None:
        sign = f"{letter}*"
        return Standing(kind, sign, BY_POLICY, rule.policy, "", ((sign, BY_POLICY),))
    if kind == "pass":
        return Standing(kind, letter, words)
    if kind not in ACCUSED:
        return Standing(kind, letter, words, rule.reason)
    return _accused(rule, kind, letter, words)


def _accused(rule: RuleResult, kind: str, letter: str, words: str) -> Standing:
    place: Place = "root" if kind == "fail" else ""
    notes = []
    if rule.affected_by:
        place = "affected"
        letter, words = f"({letter})", "fail, downstream"
        notes.append((letter, AFFECTED))
    if rule.flaky is not None:
        place = "flaky"
        letter, words = f"{letter}~", f"{words}, {FLAKY}"
        notes.append((letter, f"{SIGNS[kind][1]}, {FLAKY}"))
    return Standing(kind, letter, words, rule.reason, place, tuple(notes))


def number_words(number: int, words: str) -> str:
    """So many rules of a kind, which `words` name: `22 pass`, `2 known deviations`."""
    return counted(number, words, _PLURALS.get(words, words))


def known_deviations(results: Results) -> dict[str, DeviationResult]:
    """The known deviation of each rule that has one."""
    return {rule: found for found in reversed(results.deviations) for rule in found.rules}


def item_words(item: ItemResult) -> str:
    """What became of a test item, with the first line of what it says: `timed out: the process ended`."""
    first = next(iter(item.text.strip().splitlines()), "")
    return f"{OUTCOMES[item.outcome]}: {first}" if first else OUTCOMES[item.outcome]
