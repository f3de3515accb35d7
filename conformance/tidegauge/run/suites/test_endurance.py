"""Long scenarios in which as much is live after each round: the state must not grow."""

import pytest

from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.items.endurance import examine_endurance
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.run.plan import PlannedItem
from tidegauge.run.run_under_pytest import Run
from tidegauge.wire.growth import state_words


def test_endurance(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    examine_endurance(examiner, report, item.stop - item.start)
    known = {rule for one in run.known.deviation for rule in one.rules}
    bounded = {one.name for one in COMPONENTS[item.component].endurance if set(one.rules) - known}
    grown = [state_words(one) for one in report.growth if one.grows and one.scenario in bounded]
    if grown:
        again = f"tidegauge run --adapter {run.request.adapter} --component {item.component}"
        pytest.fail(
            f"state grows though no more is live: {'; '.join(grown)}; {again} measures again", pytrace=False
        )
