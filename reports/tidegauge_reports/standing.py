"""How a rule stands in a run: its verdict, whether it is the root cause, and what is known."""

from dataclasses import dataclass
from typing import Literal

from tidegauge.run.result_words import kind_of
from tidegauge.wire.results import KNOWN_DEVIATIONS, DeviationResult, Results, RuleResult

from .signs import SIGNS

Place = Literal["root", "affected", "flaky", ""]

POLICY = "pass in the reading of the profile"
FLAKY = "fail, known to be flaky"
AFFECTED = "fail, downstream: builds on a part that fails"


@dataclass(frozen=True)
class Standing:
    """`kind` is what the rule counts as: the verdict, or a known deviation. `sign` is the letter of the kind
    with marks; `words` say the same; `reason` says why, and is empty for a pass by the sentence of the rule.
    `place` says where a failing rule stands: at the root, where it builds on a part that fails, or known to
    be flaky and so not held against the engine. `notes` are the marks with their meaning."""

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
        return Standing(
            kind, sign, f"{words} in the reading of the profile", rule.policy, "", ((sign, POLICY),)
        )
    if kind == "pass":
        return Standing(kind, letter, words)
    if kind != "fail":
        return Standing(kind, letter, words, rule.reason)
    return _failing(rule, letter, words)


def _failing(rule: RuleResult, letter: str, words: str) -> Standing:
    place: Place = "root"
    notes = []
    if rule.affected_by:
        place = "affected"
        letter, words = f"({letter})", "fail, downstream"
        notes.append((letter, AFFECTED))
    if rule.flaky is not None:
        place = "flaky"
        letter, words = f"{letter}~", f"{words}, known to be flaky"
        notes.append((letter, FLAKY))
    return Standing("fail", letter, words, rule.reason, place, tuple(notes))


def known_deviations(results: Results) -> dict[str, DeviationResult]:
    """The known deviation of each rule that has one."""
    return {rule: found for found in reversed(results.deviations) for rule in found.rules}
