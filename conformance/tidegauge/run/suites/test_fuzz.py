"""Hypothesis looks for a history on which the engine differs, one scenario a call: for cheap engines."""

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import FlakyFailure

from tidegauge.drawing.strategies import scenarios
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport, keep_difference
from tidegauge.judging.items.judge import Judgement
from tidegauge.run.plan import PlannedItem
from tidegauge.run.run_under_pytest import Run
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.transcript import Transcript

from .conftest import conforms


class Diverges(Exception):
    """The engine differs from the reference on the scenario just tried."""


def test_fuzz(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    differing: list[tuple[Scenario, Judgement, Transcript | None]] = []

    @seed(run.request.seed)
    @settings(
        max_examples=item.stop - item.start,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(scenario=scenarios(item.component, run.drawn))
    def engine_agrees(scenario: Scenario) -> None:
        for kept in examiner.applicable([scenario]):
            judgement, transcript = examiner.judged([kept])[0]
            if examiner.fails(report, kept, judgement, transcript):
                differing.append((kept, judgement, transcript))
                raise Diverges

    try:
        engine_agrees()
    except (Diverges, FlakyFailure):
        keep_difference(report, *differing[0])
        report.failures += [examiner.shrunk(*differing[0])]
    conforms(report, run)
