"""Two scenarios at a time, stepped alternately on two instances of the engine; the reference is not asked."""

import pytest

from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.isolation import examine_isolation
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.run.interference import interference_text
from tidegauge.run.plan import PlannedItem
from tidegauge.run.run_under_pytest import Run
from tidegauge.wire.scenario import encode_scenario


def test_interleaved(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    examine_isolation(examiner, report, list(run.scenarios(item)))
    seen = report.interference
    if seen is None or not seen.steady:
        return
    counted = next(iter(report.properties.values()))
    scenarios = "\n".join(encode_scenario(one).decode() for one in seen.scenarios)
    replay = f"tidegauge replay FILE --interleaved --adapter {run.request.adapter}"
    pytest.fail(
        f"instances of the engine share state: {counted.violated} of {counted.checked} pairs of scenarios "
        "differ from each scenario alone; the smallest pair:\n"
        + interference_text(seen, f"write the scenarios below to a file; {replay}\n{scenarios}"),
        pytrace=False,
    )
