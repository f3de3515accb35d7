"""Properties: what must be true of every engine; no reference is asked."""

from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.run.items import examine
from tidegauge.run.plan import PlannedItem
from tidegauge.run.run_under_pytest import Run

from .conftest import conforms


def test_properties(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    examine(item, run.request, run.scenarios(item), examiner, report)
    conforms(report, run)
