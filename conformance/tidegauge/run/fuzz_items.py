"""Searches with Hypothesis for a scenario in which the engine differs, one scenario per call: for cheap
engines."""

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import FlakyFailure

from ..drawing.strategies import scenarios
from ..judging.items.examination import Examiner
from ..judging.items.item_report import ItemReport, keep_difference
from ..judging.items.judge import Judgement
from ..wire.scenario import Scenario
from ..wire.transcript import Transcript
from .plan import PlannedItem
from .run_in_process import Run


class Diverges(Exception):
    """The engine differs from the reference in the scenario just tried."""


def hypothesis_settings(examples: int, steps: int = 1) -> settings:
    """Return the settings of a search by Hypothesis. Hypothesis finds a difference; the shrinker of the kit
    minimizes it.

    Args:
        examples: the maximum number of examples.
        steps: the maximum number of steps of a scenario that is stepped.
    """
    return settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        stateful_step_count=steps,
    )


def fuzz(item: PlannedItem, run: Run, examiner: Examiner, report: ItemReport) -> None:
    """Search for a scenario in which the engine differs, counting into `report`."""
    differing: list[tuple[Scenario, Judgement, Transcript | None]] = []

    @seed(run.request.seed)
    @hypothesis_settings(item.stop - item.start)
    @given(scenario=scenarios(item.component, run.drawn))
    def engine_agrees(scenario: Scenario) -> None:
        for applicable in examiner.applicable([scenario]):
            judgement, transcript = examiner.judged([applicable])[0]
            if examiner.fails(report, applicable, judgement, transcript):
                differing.append((applicable, judgement, transcript))
                raise Diverges

    try:
        engine_agrees()
    except (Diverges, FlakyFailure):
        keep_difference(report, *differing[0])
        report.failures += [examiner.shrunk(*differing[0])]
