"""How many scenarios catch a mutant. A defect that shows in one scenario alone is found by luck: the next
change of the scenario drawing may lose it."""

from collections.abc import Iterator, Sequence

from ..components.registry import COMPONENTS
from ..judging.items.examination import Examiner
from ..run.items import scenarios_of
from ..run.plan import PlannedItem
from ..wire.scenario import Scenario
from ..wire.transcript import Outputs
from .arena import Arena
from .engine import WrongEngine

ENOUGH = 20
"""A mutant that fewer scenarios catch is rarely reached. Counting ends here."""

SUITES = ("random-histories", "scale", "state-cover", "vectors")
"""The suites whose scenarios are counted, in this order. Properties look at the scenarios of
`random-histories` again; jobs are few by nature."""


def reach_of(arena: Arena, engine: WrongEngine) -> dict[str, int] | None:
    """The number of scenarios that catch an engine, by suite; of all suites together `ENOUGH` at most. None
    where no scenarios are drawn. Raises `NoAnswer` where the engine does not come to an end."""
    if not COMPONENTS[arena.conditions.component].drawn:
        return None
    examiner = Examiner(engine, engine.describe(), arena.policies)
    caught: dict[str, int] = {}
    for suite in SUITES:
        for portion in arena.portions((suite,)):
            left = ENOUGH - sum(caught.values())
            caught[suite] = caught.get(suite, 0) + _caught_in(portion, arena, engine, examiner, left)
            if sum(caught.values()) == ENOUGH:
                return caught
    return caught


def _caught_in(
    portion: PlannedItem, arena: Arena, engine: WrongEngine, examiner: Examiner, at_most: int
) -> int:
    """How many scenarios of a portion catch the engine."""
    caught = 0
    for scenario, outputs in _runs(portion, arena):
        # To compare outputs is quick; the judge decides, who knows which outputs have no order.
        if not engine.answers_alike(scenario, outputs) and _fails(examiner, scenario):
            caught += 1
            if caught == at_most:
                break
    return caught


def _runs(portion: PlannedItem, arena: Arena) -> Iterator[tuple[Scenario, Sequence[Outputs]]]:
    """The scenarios of a portion, with the reference's outputs."""
    passed = arena.passed(portion)
    if passed is not None:
        yield from passed.runs
        return
    for scenario in scenarios_of(portion, arena.request, arena.policies):
        yield scenario, arena.expected(scenario).outputs


def _fails(examiner: Examiner, scenario: Scenario) -> bool:
    ((judgement, _),) = examiner.judged([scenario])
    return not judgement.agrees
