"""What a run comes to: the one sentence at the top of a report, and what has to be said beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..judging.verdicts.rule_verdicts import OUTSIDE_SHAPE
from ..wire.results import ACCUSED, KNOWN_DEVIATIONS, Results, counts_of, kind_of
from .evidence import FLAKY
from .growth import growth_remarks
from .isolation import sharing_remarks, sharing_words
from .numbers import are, counted, listed
from .own_profile import choices_words, own_profile_remark
from .run import ENDED_EARLY, left_out_words, selection_words
from .shapes import scope_words, shapes_remark
from .suspects import accused_words, suspects_words
from .verdicts import NOT_CLAIMED, OUTCOMES, READING, UNFINISHED_OUTCOMES

Kind = Literal["conforms", "deviates", "fails", "errors", "open"]

_MOST = 10
"""So many names are listed in a remark."""


@dataclass(frozen=True)
class Conclusion:
    """`kind` says whether the engine conforms, does so but for what is known of it, fails, errs, or was not
    tested. `remarks` qualify the headline; `begin` is the one of them that says with which rules to begin,
    empty if none does."""

    kind: Kind
    headline: str
    remarks: tuple[str, ...]
    begin: str


def conclude(results: Results) -> Conclusion:
    """The conclusion of a run. Only a complete run without errors in which every claimed rule passes
    conforms."""
    errors, failures = _errors(results), _failures(results)
    kind, headline = _without_failures(results)
    if errors or failures:
        kind, headline = "errors" if errors else "fails", "; ".join(filter(None, [errors, failures]))
    begin = _begin(results)
    remarks = [*_remarks(results, headline), begin]
    return Conclusion(kind, headline, tuple(filter(None, remarks)), begin)


def claimed_of(counts: Mapping[str, int]) -> int:
    """How many of the counted rules the engine claims."""
    return sum(counts.values()) - counts["not-applicable"]


def held_against(results: Results) -> int:
    """How many rules fail, and neither as a known deviation nor as known to be flaky."""
    return sum(kind_of(rule) == "fail" and rule.flaky is None for rule in results.rules)


def in_a_few_words(results: Results) -> str:
    """Return the result of a run for narrow places: `conforms 150/150`, `3 of 150 fail, 2 suspect`,
    `2 of 150 suspect`, `12 of 150 in error, 3 fail`, `3 of 150 deviate as known`, `3 of 150 not tested`,
    `incomplete`."""
    counts, kind = counts_of(results.rules), conclude(results).kind
    claimed, failing, untested = claimed_of(counts), counts["fail"], counts["not-tested"]
    suspects = counts["suspect"]
    if kind == "open" and not results.complete:
        return "incomplete"
    if kind == "open":
        return f"{untested:,} of {claimed:,} not tested" if untested else "not tested"
    if kind == "conforms":
        if results.own_profile is not None:
            conforms = _conforms(results).replace("Conforms", "conforms", 1)
            return f"{conforms}: {choices_words(results.own_profile)}"
        return f"conforms {claimed:,}/{claimed:,} {scope_words(results.implementation)}".strip()
    fails = "fails" if failing == 1 else "fail"
    also = f", {suspects:,} suspect" if suspects else ""
    if kind == "errors":
        errors = f"{counts['error']:,} of {claimed:,} in error" if counts["error"] else "errors"
        return f"{errors}, {failing:,} {fails}" if failing else f"{errors}{also}"
    if kind == "deviates":
        known = failing + suspects + counts[KNOWN_DEVIATIONS]
        return f"{known:,} of {claimed:,} {'deviates' if known == 1 else 'deviate'} as known"
    if failing:
        return f"{failing:,} of {claimed:,} {fails}{also}"
    if suspects:
        return f"{suspects:,} of {claimed:,} suspect"
    return "instances share state" if sharing_words(results) else "failed"


def _errors(results: Results) -> str:
    """The part of the headline about errors; empty if there are none."""
    counts = counts_of(results.rules)
    if counts["error"]:
        return f"ERRORS: {_of_rules(counts['error'], counts)}"
    if results.errors:
        scenarios, of = (
            sum(getattr(error, name) for error in results.errors) for name in ("scenarios", "of")
        )
        if not of:
            return "ERRORS: outside of any scenario"
        return f"ERRORS: no answer in {scenarios:,} of {of:,} scenarios"
    properties = sum(found.verdict == "error" for found in results.properties)
    if properties:
        return f"ERRORS: {counted(properties, 'property', 'properties')}"
    items = sum(item.outcome in ("crashed", "timeout", "error") for item in results.items)
    return f"ERRORS: {counted(items, 'test item')} gave no result" if items else ""


def _failures(results: Results) -> str:
    """The part of the headline about failures; empty if there are none."""
    counts = counts_of(results.rules)
    failing = _of_rules(counts["fail"], counts) if held_against(results) else ""
    rules = ", and ".join(filter(None, [failing, suspects_words(results)]))
    if shared := sharing_words(results):
        return "; ".join(filter(None, [f"FAILED: {shared}", rules]))
    if rules:
        return f"FAILED: {rules}"
    if violated := _violated_properties(results):
        return f"FAILED: {counted(len(violated), 'property is', 'properties are')} violated"
    if outdated := _outdated(results):
        known = counted(len(outdated), "known deviation is", "known deviations are")
        return f"FAILED: {known} not what the engine does"
    differing = results.counts.get("failing_scenarios", 0) or any(
        item.outcome == "failed" for item in results.items
    )
    excused = counts["fail"] or counts["suspect"] or (counts[KNOWN_DEVIATIONS] and not results.exit_code)
    if differing and not excused:
        return f"FAILED: {OUTCOMES['failed']}"
    return ""


def _without_failures(results: Results) -> tuple[Kind, str]:
    counts = counts_of(results.rules)
    claimed, untested = claimed_of(counts), counts["not-tested"]
    if not results.complete:
        also = f", {_of_rules(untested, counts)} not tested" if untested else ""
        return "open", f"INCOMPLETE: the run ended early{also}"
    if untested:
        return "open", f"NOT TESTED: {_of_rules(untested, counts)}"
    if not claimed:
        return "open", "NOT TESTED: the engine claims none of the rules"
    if not_run := sum(item.outcome == "not-run" for item in results.items):
        return "open", f"INCOMPLETE: {counted(not_run, 'test item')} not run"
    if properties := sum(found.verdict == "not-tested" for found in results.properties):
        return "open", f"NOT TESTED: {counted(properties, 'property', 'properties')}"
    if results.exit_code:
        return "open", f"INCOMPLETE: the run ended with exit code {results.exit_code}"
    not_kept, suspects = counts["fail"] + counts[KNOWN_DEVIATIONS], counts["suspect"]
    if not_kept or suspects:
        said = _not_kept(not_kept, claimed) if not suspects else _not_passing(not_kept + suspects, claimed)
        return "deviates", f"Deviates as known: {said}"
    passing = "the one claimed rule passes" if claimed == 1 else f"all {claimed:,} claimed rules pass"
    if by_adapter := _passing_by_adapter(results):
        passing += f", {len(by_adapter):,} of them by the adapter"
    choices = f"{choices_words(results.own_profile)}; " if results.own_profile is not None else ""
    return "conforms", f"{_conforms(results)}: {choices}{passing}"


def _passing_by_adapter(results: Results) -> list[str]:
    """Return the rules that pass because the adapter keeps them in place of the engine."""
    return [rule.id for rule in results.rules if rule.verdict == "pass" and rule.by_adapter]


def _conforms(results: Results) -> str:
    """Return what an engine conforms to, such as `Conforms to my-engine within its shape`."""
    to = f"to {results.own_profile.name}" if results.own_profile is not None else ""
    return " ".join(filter(None, ["Conforms", to, scope_words(results.implementation)]))


def _of_rules(number: int, counts: Mapping[str, int]) -> str:
    """`1 of 23 rules`: of those that the engine claims."""
    return f"{number:,} of {counted(claimed_of(counts), 'rule')}"


def _not_kept(known: int, claimed: int) -> str:
    if claimed == 1:
        return "the one claimed rule is not kept"
    if known == claimed:
        return f"none of the {claimed:,} claimed rules is kept"
    return f"{known:,} of {claimed:,} claimed rules {are(known)} not kept, {_others(claimed - known)}"


def _not_passing(known: int, claimed: int) -> str:
    """The same where suspects are among them, some of which may be kept."""
    number = f"{known:,} of {counted(claimed, 'claimed rule')}"
    passing = f", {_others(claimed - known)}" if known < claimed else ""
    return f"{number} {are(known)} not kept or suspect{passing}"


def _others(passing: int) -> str:
    return "the other one passes" if passing == 1 else "the others pass"


def _remarks(results: Results, headline: str) -> list[str]:
    counts = counts_of(results.rules)
    remarks = []
    if not results.complete:
        remarks.append(
            f"{ENDED_EARLY}. What it did not reach is not tested, "
            "and rules that pass were exercised less than planned."
        )
    if chosen := selection_words(results):
        remarks.append(f"Only a part was tested: {chosen}.")
    if by_adapter := _passing_by_adapter(results):
        passes = "passes" if len(by_adapter) == 1 else "pass"
        remarks.append(
            f"{listed(by_adapter, _MOST)} {passes} by the adapter, which acts in place of the engine."
        )
    remarks += filter(None, [own_profile_remark(results), shapes_remark(results.implementation)])
    outside = sum(rule.reason.startswith(OUTSIDE_SHAPE) for rule in results.rules)
    if outside:
        remarks.append(f"{counted(outside, 'rule')} {are(outside)} not applicable: outside of that shape.")
    if number := counts["not-applicable"] - outside:
        remarks.append(f"{counted(number, 'rule')} {are(number)} not applicable: {NOT_CLAIMED}.")
    number = counts["not-tested"]
    if number and "not tested" not in headline.lower():
        remarks.append(f"{counted(number, 'rule')} {are(number)} not tested.")
    if left_out := left_out_words(results):
        remarks.append(f"{left_out[:1].upper()}{left_out[1:]}.")
    if number := sum(rule.verdict == "pass" and rule.policy is not None for rule in results.rules):
        remarks.append(
            f"{counted(number, 'rule passes', 'rules pass')} {READING} {results.profile}, "
            "which differs from the sentence of the rule."
        )
    remarks += _known(results)
    if violated := _violated_properties(results):
        remarks.append(f"Violated: {listed([f'property {name}' for name in violated], _MOST)}.")
    number = sum(item.outcome in UNFINISHED_OUTCOMES for item in results.items)
    if number and "test item" not in headline:
        remarks.append(f"{counted(number, 'test item')} gave no result (listed below).")
    remarks += sharing_remarks(results)
    remarks += growth_remarks(results)
    changing = [
        rule
        for rule in results.rules
        if rule.verdict in ACCUSED
        and rule.counterexample is not None
        and not rule.counterexample.deterministic
    ]
    if changing:
        remarks.append(f"In {accused_words(changing)} the engine gave another answer in a second run.")
    return remarks


def _known(results: Results) -> list[str]:
    """What is said of known deviations and of flaky rules."""
    remarks = []
    if known := counts_of(results.rules)[KNOWN_DEVIATIONS]:
        fails = "fails as a known deviation" if known == 1 else "fail as known deviations"
        remarks.append(
            f"{counted(known, 'rule')} {fails}, counted apart: the engine is documented to differ."
        )
    if outdated := _outdated(results):
        remarks.append(f"Not as known: {listed(outdated, _MOST)}.")
    if flaky := [rule.id for rule in results.rules if rule.flaky is not None]:
        remarks.append(f"{FLAKY}: {listed(flaky, _MOST)}.")
    return remarks


def _begin(results: Results) -> str:
    """Which rules are the root cause where others only build on failing ones."""
    affected = [rule for rule in results.rules if rule.affected_by]
    if not affected:
        return ""
    roots = sorted({root for rule in affected for root in rule.affected_by})
    belongs = "belongs to a part that builds" if len(affected) == 1 else "belong to parts that build"
    them = "it" if len(roots) == 1 else "them"
    return f"Start with {listed(roots, _MOST)}: {counted(len(affected), 'failing rule')} {belongs} on {them}."


def _outdated(results: Results) -> list[str]:
    return [one.name for one in results.deviations if one.status in ("unexpected-pass", "stale")]


def _violated_properties(results: Results) -> list[str]:
    """The properties whose violation is held against the engine."""
    return [found.name for found in results.properties if kind_of(found) == "fail" and found.flaky is None]
