"""Every reachable state of a small world, followed by every two steps."""

from tidegauge.judging.examination import Examiner, ItemReport
from tidegauge.plan import PlannedItem
from tidegauge.run_under_pytest import Run

from .conftest import conforms


def test_state_cover(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    examiner.compare(report, examiner.applicable(run.scenarios(item)))
    conforms(report, run)
