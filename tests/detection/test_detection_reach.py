"""How many scenarios catch a mutant: counted as the judge does, up to a number that is enough."""

from __future__ import annotations

import pytest

from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.detection.arena import Arena
from tidegauge.detection.conditions import Conditions
from tidegauge.detection.engine import WrongEngine
from tidegauge.detection.reach import ENOUGH, SUITES, reach_of
from tidegauge.engine.runner import run
from tidegauge.judging.items.judge import judge
from tidegauge.judging.reference.oracle import expect
from tidegauge.run.items import scenarios_of
from tidegauge.wire.scenario import Scenario

CONDITIONS = Conditions("source", budget="smoke")
RARE = "source-clock-of-a-paused-split-runs"


def reach(name: str, conditions: Conditions = CONDITIONS) -> dict[str, int]:
    """Of a named mutant."""
    engine = WrongEngine(load_mutants()[name], conditions)
    try:
        counted = reach_of(Arena(conditions), engine)
    finally:
        engine.close()
    assert counted is not None
    return counted


def scenarios(arena: Arena, suite: str) -> list[Scenario]:
    """All scenarios of a suite."""
    portions = arena.portions((suite,))
    return [one for portion in portions for one in scenarios_of(portion, arena.request, arena.policies)]


@pytest.mark.slower
def test_the_scenarios_of_each_suite_are_counted_that_the_judge_finds_failing() -> None:
    counted, arena = reach(RARE), Arena(CONDITIONS)
    engine = WrongEngine(load_mutants()[RARE], CONDITIONS)
    failing = {}
    for suite in SUITES:
        drawn = scenarios(arena, suite)
        judged = (
            judge(scenario, transcript, expect(scenario, arena.policies), "step")
            for scenario, transcript in zip(drawn, run(engine, drawn), strict=True)
        )
        failing[suite] = sum(not one.agrees for one in judged)
    engine.close()
    assert counted == failing
    assert 0 < sum(counted.values()) < ENOUGH


def test_counting_ends_when_there_are_enough() -> None:
    assert reach("source-does-nothing") == {"random-histories": ENOUGH}


def test_nothing_is_counted_of_whole_jobs() -> None:
    conditions = Conditions("job", budget="smoke")
    mutant = load_mutants()[COMPONENTS["job"].mutants[0].name]
    engine = WrongEngine(mutant, conditions)
    assert reach_of(Arena(conditions), engine) is None
    engine.close()
