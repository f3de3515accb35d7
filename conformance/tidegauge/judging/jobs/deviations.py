"""The known deviations of an engine, as they show on a job."""

from collections.abc import Sequence

from ...wire.steps.job import JobScenario
from ..items.examination import Examiner
from ..items.item_report import DeviationCount, ItemReport
from ..reference.deviating_reference import Semantics
from .findings import JobFinding, family, finding, properties_of
from .right_job import RightEngine


def known_violations(
    examiner: Examiner, report: ItemReport, scenario: JobScenario, findings: Sequence[JobFinding]
) -> set[str]:
    """The violated properties that an engine with the known deviations violates too. Counts which deviations
    showed, and which would have and did not."""
    if not examiner.without:
        return set()
    deviating = _violations(examiner, examiner.semantics, scenario)
    seen = {found.property: found.seen is not None for found in findings}
    for name, semantics in examiner.without.items():
        for property in deviating - _violations(examiner, semantics, scenario):
            counted = report.deviations.setdefault(name, DeviationCount())
            counted.shown += seen.get(property, False)
            counted.absent += not seen.get(property, True)
    return {property for property in deviating if seen.get(property, False)}


def _violations(examiner: Examiner, semantics: Semantics, scenario: JobScenario) -> set[str]:
    """The properties that an engine violates on a job which does all as the reference under `semantics`."""
    engine = RightEngine(examiner.implementation, semantics)
    properties = properties_of(scenario)
    runs = {name: engine.run(job) for name, job in family(scenario, properties).items()}
    found = [finding(property, runs) for property in properties]
    return {one.property for one in found if one is not None and one.seen is not None}
