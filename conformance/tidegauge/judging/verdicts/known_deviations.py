"""What became of the known deviations of an engine in a run."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from tidegauge_spec import load_registry

from ...wire.results import ACCUSED, DeviationResult, DeviationStatus, PropertyResult, RuleResult
from ..items.item_report import DeviationCount
from ..items.merged import Findings
from ..reference.deviations import Deviation, KnownDeviations
from .root_cause import affected_by


def deviation_results(known: KnownDeviations, findings: Findings, whole: bool) -> list[DeviationResult]:
    """One result for each known deviation; `whole`: the run was not narrowed to components or rules, so that
    a deviation that never arose is stale."""
    counts = findings.deviations
    return [_result(one, counts.get(one.name, DeviationCount()), whole) for one in known.deviation]


def expected(deviation: DeviationResult) -> bool:
    """Whether a run may succeed with it."""
    return deviation.status in ("as-known", "not-tried")


def as_known(
    rules: Sequence[RuleResult], deviations: Sequence[DeviationResult], known: KnownDeviations
) -> list[RuleResult]:
    """The results of the rules with what is known of the engine: a rule that a deviation changes fails as
    known, as far as the engine does not deviate in another way. A failing rule names those at the root. A
    flaky rule excuses a changing answer that accuses it, and with it the other suspects of that answer."""
    deviating = {rule: one for one in deviations for rule in one.rules}
    flaky = {one.rule: f"{one.reason} ({one.link})" for one in known.flaky}
    roots = affected_by([rule.id for rule in rules if rule.verdict == "fail"], load_registry())
    return [_as_known(rule, deviating.get(rule.id), flaky, roots.get(rule.id, [])) for rule in rules]


def _as_known(
    rule: RuleResult, deviation: DeviationResult | None, flaky: Mapping[str, str], roots: list[str]
) -> RuleResult:
    if deviation is not None and deviation.status == "unexpected-pass" and rule.verdict == "not-tested":
        return replace(rule, reason=f"the known deviation {deviation.name} is not what the engine does")
    if deviation is not None and deviation.status == "as-known" and rule.verdict in ("pass", "not-tested"):
        text = f"as the known deviation {deviation.name}: {deviation.reason} ({deviation.link})"
        return replace(
            rule, verdict="fail", reason=text, deviation=text, excludes=[], not_excluded=[], thin=False
        )
    if rule.verdict not in ACCUSED:
        return rule
    changes = rule.counterexample is not None and not rule.counterexample.deterministic
    accused = [rule.id, *(suspect.rule for suspect in rule.suspects)]
    excuse = next((flaky[name] for name in accused if name in flaky), None)
    return replace(rule, flaky=excuse if changes else None, affected_by=roots)


def properties_as_known(
    properties: Sequence[PropertyResult], findings: Findings, known: KnownDeviations
) -> list[PropertyResult]:
    """The same for properties: one whose answer changes is excused by a flaky rule that it speaks for."""
    flaky = {one.rule: f"{one.reason} ({one.link})" for one in known.flaky}
    steady = {failure.property for failure in findings.failures if failure.deterministic}
    return [
        replace(found, flaky=flaky[listed[0]])
        if found.verdict == "fail"
        and found.name not in steady
        and (listed := [rule for rule in found.rules if rule in flaky])
        else found
        for found in properties
    ]


def _result(deviation: Deviation, counted: DeviationCount, whole: bool) -> DeviationResult:
    status, explanation = _status(counted, whole)
    return DeviationResult(
        name=deviation.name,
        rules=list(deviation.rules),
        reason=deviation.reason,
        link=deviation.link,
        status=status,
        explanation=explanation,
        shown=counted.shown,
        absent=counted.absent,
    )


def _status(counted: DeviationCount, whole: bool) -> tuple[DeviationStatus, str]:
    if counted.absent and counted.shown:
        both = f"the engine deviates in {counted.shown} scenarios and conforms in {counted.absent}"
        return "unexpected-pass", f"{both}: the deviation does not describe it"
    if counted.absent:
        return "unexpected-pass", f"the engine conforms in {counted.absent} scenarios: remove the entry"
    if counted.shown:
        return "as-known", f"shown in {counted.shown} scenarios"
    if whole:
        return "stale", "no scenario shows the deviation: remove the entry"
    return "not-tried", "no scenario of this narrowed run shows the deviation"
