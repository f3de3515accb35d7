"""Many parts, many steps, edges of number types, durations at their limits, difficult names."""

from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.run.items import examine
from tidegauge.run.plan import PlannedItem
from tidegauge.run.run_under_pytest import Run

from .conftest import conforms


def test_scale(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    examine(item, run.request, run.scenarios(item), examiner, report)
    conforms(report, run)
