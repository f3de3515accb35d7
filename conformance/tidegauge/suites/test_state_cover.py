"""Every reachable state of a small world, followed by every two steps."""

from tidegauge.judging.examination import Examiner
from tidegauge.judging.item_report import ItemReport
from tidegauge.plan import PlannedItem
from tidegauge.run_under_pytest import Run
from tidegauge.suites.items import examine

from .conftest import conforms


def test_state_cover(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    examine(item, run.request, run.scenarios(item), examiner, report)
    conforms(report, run)
