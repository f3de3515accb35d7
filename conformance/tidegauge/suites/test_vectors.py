"""The published vectors: the right answers stand in the file, the reference is not asked."""

from tidegauge.judging.examination import Examiner, ItemReport
from tidegauge.plan import PlannedItem
from tidegauge.run_under_pytest import Run
from tidegauge.vectors import load_vectors, published_outputs

from .conftest import conforms


def test_vectors(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    published = {
        vector.scenario.id: outputs
        for vector in load_vectors(item.component)[item.start : item.stop]
        if (outputs := published_outputs(vector, run.policies)) is not None
    }
    scenarios = [scenario for scenario in run.scenarios(item) if scenario.id in published]
    examiner.compare(report, scenarios, published)
    conforms(report, run)
