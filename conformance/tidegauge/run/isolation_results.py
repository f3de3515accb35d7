"""What became of the property that instances of an engine are isolated from one another, by component."""

from collections.abc import Mapping
from pathlib import Path

from tidegauge_spec import load_registry

from ..components.registry import COMPONENTS
from ..judging.items.isolation import SENTENCE, SUITE, property_name
from ..judging.items.item_report import PropertyCount
from ..wire.implementation import CHEAP_LAYERS
from ..wire.results import PropertyResult, Verdict
from .interference import interference_of
from .journal import Finished, Started
from .plan import components_asked_for

SHARED = "instances of the engine share state"


def isolation_results(
    started: Started, finished: Mapping[str, Finished], folder: Path
) -> list[PropertyResult]:
    """A result for each component that was asked for and whose scenarios are drawn. A file of the scenarios
    that show that instances share state is written into `folder`."""
    asked_for = components_asked_for(started.request, started.implementation)
    return [_result(name, started, finished, folder) for name in asked_for if COMPONENTS[name].drawn]


def _result(
    component: str, started: Started, finished: Mapping[str, Finished], folder: Path
) -> PropertyResult:
    name = property_name(component)
    event = finished.get(f"{component}-{SUITE}")
    report = event.report if event is not None else None
    counted = report.properties.get(name) if report is not None else None
    seen = report.interference if report is not None else None
    verdict, reason = _verdict(component, started, counted)
    return PropertyResult(
        name=name,
        component=component,
        sentence=SENTENCE,
        rules=[],
        verdict=verdict,
        reason=reason,
        checked=counted.checked if counted is not None else 0,
        violated=counted.violated if counted is not None else 0,
        interference=interference_of(seen, started.request, started.profile, folder)
        if seen is not None
        else None,
    )


def _verdict(component: str, started: Started, counted: PropertyCount | None) -> tuple[Verdict, str]:
    layer = started.implementation.layer_of(component)
    if layer not in CHEAP_LAYERS:
        return "not-applicable", f"instances on the layer {layer} are not stepped one step at a time"
    if counted is None:
        return "not-tested", "its test item was not completed"
    if counted.without_sessions:
        return "not-applicable", "the adapter has no sessions, so its instances cannot be stepped alternately"
    if counted.violated:
        of = f"{counted.violated:,} of {counted.checked:,} pairs of scenarios"
        return "fail", f"{SHARED}: {of} differ from each scenario alone"
    if counted.inexpressible:
        return "not-applicable", "the engine can express none of its scenarios"
    if counted.unsteady and _is_flaky(component, started):
        return "not-applicable", "answers of this component are known to be flaky"
    if counted.unsteady:
        return "not-tested", "an instance alone does not repeat its own outputs"
    if not counted.checked:
        return "not-tested", "the engine answered none of its scenarios"
    return "pass", f"held in {counted.checked:,} pairs of scenarios"


def _is_flaky(component: str, started: Started) -> bool:
    """Whether a rule of the component is known to be flaky."""
    rules = load_registry().rules
    return any(rules[one.rule].component == component for one in started.known.flaky if one.rule in rules)
