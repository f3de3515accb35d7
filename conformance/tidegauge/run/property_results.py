"""What became of the properties, those of components and those of jobs."""

from tidegauge_reference import Policies

from ..components.registry import COMPONENTS
from ..judging.items.item_report import PropertyCount
from ..judging.items.merged import Findings
from ..judging.jobs.findings import RULES_OF_JOB_PROPERTIES
from ..wire.results import PropertyResult, Verdict
from .counterexamples import property_sentence
from .journal import Started


def property_results(started: Started, findings: Findings, policies: Policies) -> list[PropertyResult]:
    """Each property of the components that the engine claims."""
    results = []
    for name, component in COMPONENTS.items():
        if name not in started.implementation.capabilities:
            continue
        for property in component.properties:
            holds = all(getattr(policies, policy) == value for policy, value in property.holds_under.items())
            counted = findings.properties.get(property.name)
            if holds and counted is None and (started.request.components or started.request.rules):
                continue
            value, reason = _property_verdict(holds, counted)
            results.append(
                PropertyResult(
                    name=property.name,
                    component=name,
                    sentence=property.sentence,
                    rules=list(property.rules),
                    verdict=value,
                    reason=reason,
                    checked=counted.checked if counted else 0,
                    violated=counted.violated if counted else 0,
                )
            )
    return results


def job_property_results(started: Started, findings: Findings) -> list[PropertyResult]:
    """Each property that was checked on a job."""
    if "job" not in started.implementation.capabilities:
        return []
    results = []
    for name, rules in RULES_OF_JOB_PROPERTIES.items():
        counted = findings.properties.get(name)
        if counted is None:
            continue
        value, reason = _property_verdict(True, counted)
        results.append(
            PropertyResult(
                name=name,
                component="job",
                sentence=property_sentence(name),
                rules=list(rules),
                verdict=value,
                reason=reason,
                checked=counted.checked,
                violated=counted.violated,
            )
        )
    return results


NEVER_AROSE = "its situation never arose"
"""Why a property is not tested that speaks of what the engine never did."""


def _property_verdict(holds: bool, counted: PropertyCount | None) -> tuple[Verdict, str]:
    if not holds:
        return "not-applicable", "a conforming engine of this profile need not have it"
    if counted is None:
        return (
            "not-applicable",
            "the engine does not claim what it needs, or cannot be observed closely enough",
        )
    if counted.violated:
        return "fail", f"violated in {counted.violated} of {counted.checked} scenarios"
    if counted.vacuous:
        return "not-tested", "the job without alignment has it too, so it tests nothing"
    if counted.known and not counted.checked:
        return "not-applicable", "an engine with the known deviations need not have it"
    if counted.outside and not counted.checked:
        return "not-applicable", "its situation arises only outside of the declared shape"
    if counted.inexpressible and not counted.checked:
        return "not-tested", "its situation arises only in scenarios that the adapter does not express"
    if not counted.checked:
        return "not-tested", NEVER_AROSE
    return "pass", f"held in {counted.checked} scenarios"
