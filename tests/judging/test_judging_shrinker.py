"""The shrinker: the smallest history that still fails, legal all the way, and always the same one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from conftest import others_slower
from engines import ValveAdapter, cover_sample, examiner_of, histories, valve_scenario
from judged import EFFORT

from tidegauge.components.registry import load_mutants
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.judging.items.shrinker import NO_EFFORT, shrink
from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.scenario import Scenario, encode_scenario, problems
from tidegauge.wire.steps.valve import ActiveStep, IdleStep, ValveScenario, ValveSetup, WatermarkStep
from tidegauge.wire.timestamps import from_wire
from tidegauge.wire.vocabulary import Restore, Snapshot


class Recorded:
    """A judge by a predicate, that remembers what it was asked."""

    def __init__(self, fails: Callable[[Scenario], bool]) -> None:
        self.fails = fails
        self.rounds: list[list[Scenario]] = []

    def __call__(self, scenarios: Sequence[Scenario]) -> list[int | None]:
        self.rounds.append(list(scenarios))
        return [self._last_step(scenario) for scenario in scenarios]

    def _last_step(self, scenario: Scenario) -> int | None:
        return len(scenario.history) - 1 if self.fails(scenario) else None


def idles_after_five(scenario: Scenario) -> bool:
    """A channel becomes idle some time after another delivered at least 5."""
    reached: set[int] = set()
    for step in scenario.history:
        if isinstance(step, WatermarkStep) and from_wire(step.timestamp) >= 5:
            reached.add(step.channel)
        if isinstance(step, IdleStep) and reached - {step.channel}:
            return True
    return False


LONG = valve_scenario(
    4,
    "w3=900",
    "i0",
    "a0",
    "w2=40",
    "w1=2",
    "i3",
    "w2=70",
    "a3",
    "w0=MAX",
    "i2",
    "w1=8",
    groups=(5, 6),
    id="long",
)


def test_what_is_not_needed_is_left_out_and_what_is_stays() -> None:
    smallest = shrink(LONG, Recorded(idles_after_five))
    assert smallest.history == (WatermarkStep(0, 5), IdleStep(1))
    assert smallest.setup == ValveSetup(2)


def balanced(scenario: Scenario) -> bool:
    """As many channels go as come back, and time goes on."""
    kinds = [type(step) for step in scenario.history]
    return kinds.count(IdleStep) == kinds.count(ActiveStep) and WatermarkStep in kinds


@pytest.mark.parametrize(
    "calls",
    [
        ("i0", "a0", "w0=1"),
        ("w0=1", "i0", "a0"),
        ("i0", "w0=1", "a0"),
        ("a0", "i0", "w0=1", "a0", "a0", "i0", "i0"),
    ],
    ids=" ".join,
)
def test_steps_that_only_go_together_go_together(calls: tuple[str, ...]) -> None:
    smallest = shrink(valve_scenario(1, *calls), Recorded(balanced))
    assert smallest.history == (WatermarkStep(0, 1),)


def test_the_result_says_where_it_comes_from() -> None:
    smallest = shrink(LONG, Recorded(idles_after_five))
    assert smallest.origin == Origin("shrunk", of="long")
    assert smallest.id != LONG.id


def test_a_scenario_that_is_smallest_already_stays_as_it_is() -> None:
    smallest = valve_scenario(2, "w0=5", "i1")
    assert shrink(smallest, Recorded(idles_after_five)) == smallest


def test_a_history_is_cut_after_the_step_that_shows_the_failure() -> None:
    def fails_at_its_first_idle(scenarios: Sequence[Scenario]) -> list[int | None]:
        return [
            next((n for n, step in enumerate(one.history) if isinstance(step, IdleStep)), None)
            for one in scenarios
        ]

    assert len(shrink(LONG, fails_at_its_first_idle).history) == 1
    assert shrink(LONG, fails_at_its_first_idle, NO_EFFORT).history == LONG.history[:2]


def test_a_failure_that_needs_the_steps_after_it_keeps_them() -> None:
    def fails_at_its_start_if_long(scenarios: Sequence[Scenario]) -> list[int | None]:
        return [0 if len(one.history) >= 6 else None for one in scenarios]

    assert len(shrink(LONG, fails_at_its_start_if_long).history) == 6


def test_every_candidate_is_legal_and_named_apart() -> None:
    judge = Recorded(lambda scenario: any(isinstance(step, Restore) for step in scenario.history))
    interrupted = ValveScenario(
        id="interrupted",
        setup=ValveSetup(3),
        history=(
            IdleStep(0),
            Snapshot(),
            WatermarkStep(1, "9007199254740993"),
            Restore(),
            IdleStep(2),
            Restore(),
        ),
        needs=("snapshot", "int64"),
        groups=(2, 4),
    )
    smallest = shrink(interrupted, judge)
    assert smallest.history == (Snapshot(), Restore())
    assert len(judge.rounds) > 2
    for candidates in judge.rounds:
        assert [problem for candidate in candidates for problem in problems(candidate)] == []
        assert len({candidate.id for candidate in candidates}) == len(candidates)
        assert all(candidate.history for candidate in candidates)


def test_all_candidates_of_a_round_are_tried_in_one_batch() -> None:
    judge = Recorded(idles_after_five)
    shrink(LONG, judge)
    assert len(judge.rounds) <= 20, "one batch costs seconds on a slow engine"
    assert max(map(len, judge.rounds)) > 40


def test_the_result_is_the_same_each_time() -> None:
    shrunk = [encode_scenario(shrink(LONG, Recorded(idles_after_five))) for _ in range(3)]
    assert len(set(shrunk)) == 1


def test_no_effort_gives_the_scenario_as_it_was() -> None:
    assert shrink(LONG, Recorded(idles_after_five), NO_EFFORT) == LONG


def test_a_border_stays_before_the_last_step_so_that_it_is_observed_by_itself() -> None:
    smallest = shrink(LONG, Recorded(lambda scenario: len(scenario.history) >= 3))
    assert smallest.groups == (2, 1)


MUTANTS = {
    name: mutant
    for name, mutant in load_mutants().items()
    if mutant.component == "valve" and name != "valve-does-nothing" and not mutant.scale
}


@pytest.mark.parametrize("name", others_slower(MUTANTS, list(MUTANTS)[::5]))
def test_failures_of_wrong_valves_shrink_to_legal_failing_histories_always_the_same(name: str) -> None:
    adapter = MutantAdapter(MUTANTS[name], {})
    examiner = examiner_of(adapter, effort=EFFORT)
    scenarios = histories(600) + cover_sample(23)
    failing = [
        (scenario, judgement)
        for scenario, (judgement, _) in zip(scenarios, examiner.judged(scenarios), strict=True)
        if judgement.diverges_at is not None
    ]
    assert failing
    for scenario, judgement in failing[:3]:
        found, again = (examiner.shrunk(scenario, judgement, None) for _ in range(2))
        assert found.scenario == again.scenario
        assert problems(found.scenario) == []
        assert len(found.scenario.history) <= min(12, len(scenario.history))
        assert found.found_as == scenario.id
        (after, _), (right, _) = (
            examiner_of(a).judged([found.scenario])[0] for a in (adapter, ValveAdapter())
        )
        assert after.diverges_at == len(found.scenario.history) - 1, "it fails, and at its last step"
        assert right.diverges_at is None
