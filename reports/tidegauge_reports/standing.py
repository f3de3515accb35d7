"""How a rule stands in a run: its verdict, whether it is at the root, what is known, what does not count."""

from dataclasses import dataclass
from typing import Literal

from tidegauge.results import DeviationResult, Results, RuleResult

from .signs import SIGNS

Place = Literal["root", "affected", "flaky", ""]

POLICY = "pass in the reading of the profile"
KNOWN = "pass as a known deviation of the engine"
FLAKY = "fail, known to be flaky"
AFFECTED = "fail, also affected: builds on a part that fails"
NOT_SCORED = "not scored for this suite"


@dataclass(frozen=True)
class Standing:
    """`kind` is the verdict, or `deviates` for a known deviation: the engine does not keep the rule. `sign`
    is the letter of the verdict with marks; `words` say the same; `reason` says why, and is empty for a pass
    by the sentence of the rule. `place` says where a failing rule stands: at the root, where it builds on a
    part that fails, or known to be flaky and so not counted. `notes` are the marks with their meaning."""

    kind: str
    sign: str
    words: str
    reason: str = ""
    place: Place = ""
    notes: tuple[tuple[str, str], ...] = ()


def standing(rule: RuleResult) -> Standing:
    """How a rule stands."""
    kind: str = rule.verdict
    reason = rule.reason if rule.verdict != "pass" else rule.deviation or rule.policy or ""
    letter, words = SIGNS[rule.verdict]
    place: Place = ""
    notes = []
    if rule.verdict == "fail" and rule.affected_by:
        place = "affected"
        notes.append((f"({letter})", AFFECTED))
        letter, words = f"({letter})", "fail, also affected"
    elif rule.verdict == "fail":
        place = "root"
    if rule.flaky is not None:
        place = "flaky"
        notes.append((f"{letter}~", FLAKY))
        letter, words = f"{letter}~", f"{words}, known to be flaky"
    if rule.deviation is not None and rule.verdict == "pass":
        kind = "deviates"
        notes.append((f"{letter}†", KNOWN))
        letter, words = f"{letter}†", f"{words}, known deviation"
    elif rule.policy is not None and rule.verdict == "pass":
        notes.append((f"{letter}*", POLICY))
        letter, words = f"{letter}*", f"{words} in the reading of the profile"
    if not rule.scored:
        notes.append(("°", NOT_SCORED))
        letter, words = f"{letter}°", f"{words}, not scored"
    return Standing(kind, letter, words, reason, place, tuple(notes))


def known_deviations(results: Results) -> dict[str, DeviationResult]:
    """The known deviation of each rule that has one."""
    return {rule: found for found in reversed(results.deviations) for rule in found.rules}
