"""Whole jobs, with and without alignment, judged by their event logs."""

from tidegauge.judging.examination import Examiner, ItemReport
from tidegauge.plan import PlannedItem
from tidegauge.run_under_pytest import Run

from .conftest import conforms


def test_jobs(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    examiner.examine_job(report, item.name)
    conforms(report, run)
