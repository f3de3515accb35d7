"""Properties: what must be true of every engine; no reference is asked."""

from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.examination import Examiner, ItemReport
from tidegauge.plan import PlannedItem
from tidegauge.run_under_pytest import Run

from .conftest import conforms


def test_properties(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    property = next(p for p in COMPONENTS[item.component].properties if p.name == item.name)
    if run.request.rules and not set(run.request.rules) & set(property.rules):
        return
    asked_for_whatever_rule_decides = Examiner(run.adapter, run.implementation, run.policies)
    scenarios = asked_for_whatever_rule_decides.applicable(run.scenarios(item))
    examiner.check(report, property, scenarios)
    conforms(report, run)
