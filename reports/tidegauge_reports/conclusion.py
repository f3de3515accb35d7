"""What a run comes to: the one sentence at the top of a report, and what has to be said beside it."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from tidegauge.results import VERDICTS, Results, RuleResult, Verdict
from tidegauge.scored_results import not_scored, scored_part

from .text import counted

UNFINISHED_OUTCOMES = ("crashed", "timeout", "error", "not-run")


Kind = Literal["conforms", "deviates", "fails", "open"]


@dataclass(frozen=True)
class Conclusion:
    """`kind` says whether the engine conforms, does so but for known deviations, does not, or nobody knows.
    `remarks` qualify the headline; `begin` is the one of them that says with which rules to begin, empty if
    none does."""

    kind: Kind
    headline: str
    remarks: tuple[str, ...]
    begin: str


def tally(rules: list[RuleResult]) -> dict[Verdict, int]:
    """How many rules got each verdict; all verdicts are listed."""
    counts = Counter(rule.verdict for rule in rules)
    return {verdict: counts[verdict] for verdict in VERDICTS}


def conclude(results: Results) -> Conclusion:
    """The conclusion of a run: only passed and not-applicable rules of a complete run let it succeed. What is
    not scored is only mentioned."""
    scored = scored_part(results)
    unscored_failures = any(rule.verdict == "fail" and not rule.scored for rule in results.rules)
    kind, headline = _headline(scored, unscored_failures)
    begin = _begin(scored)
    remarks = [*_remarks(scored, headline), begin, not_scored(results)]
    return Conclusion(kind, headline, tuple(filter(None, remarks)), begin)


def deviating(rules: list[RuleResult]) -> int:
    """How many of the rules pass only as known deviations: the engine does not keep them."""
    return sum(rule.verdict == "pass" and rule.deviation is not None for rule in rules)


def _headline(results: Results, unscored_failures: bool) -> tuple[Kind, str]:
    counts = tally(results.rules)
    claimed = len(results.rules) - counts["not-applicable"]
    flaky = sum(rule.flaky is not None for rule in results.rules)
    failed, passed = counts["fail"] - flaky, counts["pass"]
    open_rules = counts["not-judged"] + counts["not-run"]
    violated = _violated_properties(results)
    differing = results.counts.get("failing_scenarios", 0)
    if failed:
        return "fails", (
            f"Does not conform: {failed:,} of {counted(claimed, 'rule')} {'fails' if failed == 1 else 'fail'}"
        )
    if violated:
        are = "property is" if len(violated) == 1 else "properties are"
        return "fails", f"Does not conform: {len(violated):,} {are} violated"
    outdated = _outdated(results)
    if outdated:
        are = "deviation is" if len(outdated) == 1 else "deviations are"
        return "fails", f"Not as known: {len(outdated):,} known {are} not what the engine does"
    excused = flaky or unscored_failures
    if not excused and (differing or any(item.outcome == "failed" for item in results.items)):
        return "fails", "Does not conform: outputs differ from the specification, but no rule could be blamed"
    have = "has" if open_rules == 1 else "have"
    missing = f"{open_rules:,} of {counted(claimed, 'claimed rule')} {have} no verdict"
    if not results.complete:
        return "open", "Incomplete: the run ended early" + (f", {missing}" if open_rules else "")
    if open_rules:
        return "open", f"Not shown to conform: {missing}"
    if not passed:
        return "open", "Nothing was judged: the engine claims none of the rules"
    unfinished = sum(item.outcome in UNFINISHED_OUTCOMES for item in results.items)
    if unfinished:
        return "open", f"Not shown to conform: {counted(unfinished, 'test item')} gave no result"
    undecided = sum(found.verdict in ("not-judged", "not-run") for found in results.properties)
    if undecided:
        have = "property has" if undecided == 1 else "properties have"
        return "open", f"Not shown to conform: {undecided:,} {have} no verdict"
    if results.exit_code:
        return "open", f"Not shown to conform: the run ended with exit code {results.exit_code}"
    if known := deviating(results.rules):
        return "deviates", f"Deviates as known: {_not_kept(known, claimed)}"
    if claimed == 1:
        return "conforms", "Conforms: the one claimed rule passes"
    return "conforms", f"Conforms: all {claimed:,} claimed rules pass"


def _not_kept(known: int, claimed: int) -> str:
    if claimed == 1:
        return "the one claimed rule is not kept"
    if known == claimed:
        return f"none of the {claimed:,} claimed rules is kept"
    are = "is" if known == 1 else "are"
    others = "the other one passes" if claimed - known == 1 else "the others pass"
    return f"{known:,} of {claimed:,} claimed rules {are} not kept, {others}"


def _remarks(results: Results, headline: str) -> list[str]:
    counts = tally(results.rules)
    remarks = []
    if not results.complete:
        remarks.append(
            "The run ended early. What it did not reach has no verdict, "
            "and rules that pass were exercised less than planned."
        )
    chosen = [f"{name} {value}" for name, value in results.selection.items() if value]
    if chosen:
        remarks.append(
            f"Only a part was selected: {', '.join(chosen[:20])}. The verdicts speak for that part."
        )
    if counts["not-applicable"]:
        are, they = ("is", "it needs") if counts["not-applicable"] == 1 else ("are", "they need")
        remarks.append(
            f"{counted(counts['not-applicable'], 'rule')} {are} not applicable: "
            f"the engine does not claim what {they}."
        )
    if results.left_out:
        parts = ", ".join(f"{reason} ({count:,})" for reason, count in results.left_out.items())
        remarks.append(f"Scenarios that were not put to the engine: {parts}.")
    by_policy = sum(rule.verdict == "pass" and rule.policy is not None for rule in results.rules)
    if by_policy:
        reads = "passes" if by_policy == 1 else "pass"
        remarks.append(
            f"{counted(by_policy, 'rule')} {reads} in the reading of the profile "
            f"{results.profile}, which differs from the sentence of the rule."
        )
    remarks += _known(results)
    violated = _violated_properties(results)
    if violated:
        remarks.append(f"Violated: {', '.join(f'property {name}' for name in violated[:10])}.")
    unfinished = sum(item.outcome in UNFINISHED_OUTCOMES for item in results.items)
    if unfinished and "test item" not in headline:
        remarks.append(f"{counted(unfinished, 'test item')} gave no result (listed below).")
    changing = sum(
        rule.counterexample is not None and not rule.counterexample.deterministic for rule in results.rules
    )
    if changing:
        remarks.append(
            f"In {counted(changing, 'failing rule')} the engine gave another answer when it was asked again."
        )
    return remarks


def _known(results: Results) -> list[str]:
    """What is said of known deviations and of flaky rules."""
    remarks = []
    if known := deviating(results.rules):
        one = known == 1
        passes = "passes as a known deviation" if one else "pass as known deviations"
        remarks.append(
            f"{counted(known, 'rule')} {passes} of the engine, which does not do what the "
            f"{'sentence says' if one else 'sentences say'}."
        )
    if outdated := _outdated(results):
        remarks.append(f"Not as known: {', '.join(outdated[:10])}.")
    flaky = [rule.id for rule in results.rules if rule.flaky is not None]
    if flaky:
        remarks.append(f"Known to be flaky, and so not counted: {', '.join(flaky[:10])}.")
    return remarks


def _begin(results: Results) -> str:
    """Which rules are at the root where others only build on failing ones."""
    affected = [rule for rule in results.rules if rule.affected_by]
    if not affected:
        return ""
    roots = sorted({root for rule in affected for root in rule.affected_by})
    belongs = "belongs to a part that builds" if len(affected) == 1 else "belong to parts that build"
    them = "it" if len(roots) == 1 else "them"
    return (
        f"Begin with {', '.join(roots[:10])}: {counted(len(affected), 'failing rule')} {belongs} on {them}."
    )


def _outdated(results: Results) -> list[str]:
    return [one.name for one in results.deviations if one.status in ("unexpected-pass", "stale")]


def _violated_properties(results: Results) -> list[str]:
    return [found.name for found in results.properties if found.verdict == "fail"]
