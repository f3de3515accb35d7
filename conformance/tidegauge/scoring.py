"""What counts for the suite that a run is measured against: a check added later runs, and is not scored."""

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from tidegauge_spec import Rule, added_after

from .components.job.properties import JOB_PROPERTIES
from .components.registry import COMPONENTS
from .journal import Finished, Started
from .judging.examination import ItemReport
from .plan import since_in


def scored_events(finished: Mapping[str, Finished], started: Started) -> Mapping[str, Finished]:
    """What items found that counts: not the items that were added after the suite, and of the others not what
    properties found that were."""
    seen = {
        name for event in finished.values() if event.report is not None for name in event.report.properties
    }
    items, properties = later_items(started), later_properties(started.request.suite) & seen
    if not items and not properties:
        return finished
    return {
        item: event if event.report is None else replace(event, report=without(event.report, properties))
        for item, event in finished.items()
        if item not in items
    }


def without(report: ItemReport, properties: Collection[str]) -> ItemReport:
    """A report without what these properties found."""
    failures = [failure for failure in report.failures if failure.property not in properties]
    violated = sum(count.violated for name, count in report.properties.items() if name in properties)
    kept = {name: count for name, count in report.properties.items() if name not in properties}
    return replace(report, failures=failures, failing=report.failing - violated, properties=kept)


def is_later(rule: Rule, started: Started) -> bool:
    """Whether a rule was added after the suite."""
    return added_after(rule.since, started.request.suite)


def later_items(started: Started) -> set[str]:
    """The items that were added after the suite."""
    return {item for item, since in started.since.items() if added_after(since, started.request.suite)}


def later_properties(suite: str) -> set[str]:
    """The properties, of components and of jobs, that were added after a version of the suites."""
    added = [(p.name, name, p.since) for name, component in COMPONENTS.items() for p in component.properties]
    added += [(property.name, "job", property.since) for property in JOB_PROPERTIES]
    return {name for name, component, since in added if added_after(since_in(component, since), suite)}
