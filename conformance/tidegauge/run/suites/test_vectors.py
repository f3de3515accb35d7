"""The published vectors: the right answers stand in the file, the reference is not asked."""

from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.run.items import examine
from tidegauge.run.plan import PlannedItem
from tidegauge.run.run_under_pytest import Run

from .conftest import conforms


def test_vectors(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    examine(item, run.request, run.scenarios(item), examiner, report)
    conforms(report, run)
