"""What became of the property that an engine keeps no more than is live, by component."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ..components.registry import COMPONENTS
from ..components.within import component_within
from ..judging.items.endurance import SENTENCE, SUITE, property_name
from ..judging.items.item_report import PropertyCount
from ..wire.growth import growth_words
from ..wire.implementation import CHEAP_LAYERS
from ..wire.results import PropertyResult, RuleResult, Verdict
from .journal import Finished, Started
from .plan import components_asked_for

NO_RULE = "information only, since no rule bounds this state"


def endurance_results(started: Started, finished: Mapping[str, Finished]) -> list[PropertyResult]:
    """A result for each component that was asked for and has long scenarios."""
    asked_for = components_asked_for(started.request, started.implementation)
    return [_result(name, started, finished) for name in asked_for if COMPONENTS[name].endurance]


def unbounded(rules: Sequence[RuleResult], properties: Sequence[PropertyResult]) -> list[RuleResult]:
    """The results of the rules, of which those fail that bound a state which grows, whatever scenarios of
    other suites show."""
    broken = {
        rule: found
        for found in properties
        if found.verdict == "fail" and found.growth
        for rule in found.rules
    }
    return [
        replace(
            rule,
            verdict="fail",
            reason=f"property {broken[rule.id].name}: {broken[rule.id].reason}",
            excludes=[],
            not_excluded=[],
            thin=False,
        )
        if rule.verdict in ("pass", "not-tested") and rule.id in broken
        else rule
        for rule in rules
    ]


def _result(component: str, started: Started, finished: Mapping[str, Finished]) -> PropertyResult:
    name = property_name(component)
    event = finished.get(f"{component}-{SUITE}")
    report = event.report if event is not None else None
    counted = report.properties.get(name) if report is not None else None
    growth = report.growth if report is not None else []
    rules = {rule for one in COMPONENTS[component].endurance for rule in one.rules}
    found = PropertyResult(
        name=name,
        component=component,
        sentence=SENTENCE,
        rules=sorted(rules),
        verdict="not-tested",
        reason="",
        checked=counted.checked if counted is not None else 0,
        violated=counted.violated if counted is not None else 0,
        growth=growth,
    )
    verdict, reason = _verdict(found, counted, started)
    return replace(found, verdict=verdict, reason=reason)


def _verdict(found: PropertyResult, counted: PropertyCount | None, started: Started) -> tuple[Verdict, str]:
    layer = started.implementation.layer_of(found.component)
    if layer not in CHEAP_LAYERS:
        return "not-applicable", f"instances on the layer {layer} are not stepped one step at a time"
    if counted is None and not component_within(found.component, started.drawn).endurance:
        return "not-applicable", "no long scenario lies within the shape of the engine"
    if counted is None:
        return "not-tested", "its test item was not completed"
    if counted.without_sessions:
        return "not-applicable", "the adapter has no sessions, so its instances cannot be kept busy for long"
    if counted.inexpressible:
        return "not-applicable", "the engine does not claim or cannot express its scenarios"
    known = {rule for one in started.known.deviation for rule in one.rules}
    if counted.violated and found.rules and set(found.rules) <= known:
        return "not-applicable", f"a known deviation: {growth_words(found.growth)}"
    if counted.violated and found.rules:
        return "fail", growth_words(found.growth)
    if counted.violated:
        return "not-applicable", f"{NO_RULE}: {growth_words(found.growth)}"
    if failed := [one for one in found.growth if one.failure]:
        return "not-tested", f"the engine gave no answer in {failed[0].scenario}: {failed[0].failure}"
    if not counted.checked:
        return "not-applicable", "the engine claims no snapshots, or their size cannot be known"
    rounds = min(one.rounds for one in found.growth)
    return "pass", f"held in each long scenario, over {rounds:,} rounds or more"
