"""The state cover: its size is a statement about the specification, so it is exact."""

from __future__ import annotations

import pytest

from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.cover import StateCover, state_cover
from tidegauge.run.plan import VOLUMES
from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.scenario import encode_scenario, problems, read_scenarios
from tidegauge_reference import CORE, FLINK_2_3, Policies

VALVE = COMPONENTS["valve"]

SIZES = {
    ("3-channels-2-timestamps", "core"): (360, 51_840),
    ("2-channels-1-timestamp-and-end", "core"): (33, 2_112),
    ("3-channels-3-timestamps", "core"): (908, 204_300),
    ("3-channels-1-timestamp-and-end", "core"): (185, 26_640),
    ("3-channels-2-timestamps", "flink-2.3"): (378, 54_432),
    ("2-channels-1-timestamp-and-end", "flink-2.3"): (48, 3_072),
}
POLICIES = {"core": CORE, "flink-2.3": FLINK_2_3}


def states_along(cover: StateCover, index: int, policies: Policies) -> list[object]:
    """The states of the reference before and after each step of a scenario."""
    scenario = cover.scenario(index)
    engine = VALVE.reference(scenario.setup, policies)
    states = [engine.state()]
    for step in scenario.history:
        VALVE.calls[type(step)](engine, step)
        states.append(engine.state())
    return states


@pytest.mark.parametrize(("scope_and_profile", "size"), SIZES.items(), ids=map("-".join, SIZES))
def test_the_sizes_are_exact(scope_and_profile: tuple[str, str], size: tuple[int, int]) -> None:
    scope, profile = scope_and_profile
    cover = state_cover(COMPONENTS["valve"], scope, POLICIES[profile])
    assert (len(cover.prefixes), len(cover)) == size


def test_the_default_budget_takes_the_whole_of_its_covers() -> None:
    assert VOLUMES["default"].cover_stride == 1
    assert [scope.name for scope in VALVE.covers["default"]] == [
        "3-channels-2-timestamps",
        "2-channels-1-timestamp-and-end",
    ]


def test_every_state_is_reached_by_its_own_shortest_history() -> None:
    cover = state_cover(COMPONENTS["valve"], "2-channels-1-timestamp-and-end", CORE)
    reached = {states_along(cover, number * cover.pairs, CORE)[-3] for number in range(len(cover.prefixes))}
    assert len(reached) == len(cover.prefixes) == 33
    assert cover.prefixes[0] == ()
    assert [len(prefix) for prefix in cover.prefixes] == sorted(len(prefix) for prefix in cover.prefixes)


def test_no_step_leads_out_of_the_cover() -> None:
    cover = state_cover(COMPONENTS["valve"], "3-channels-2-timestamps", CORE)
    reached = set()
    for number in range(len(cover.prefixes)):
        engine = VALVE.reference(cover.scope.setup, CORE)
        for step in cover.prefixes[number]:
            VALVE.calls[type(step)](engine, step)
        reached.add(engine.state())
    for state in list(reached):
        for step in cover.scope.alphabet:
            engine = VALVE.reference(cover.scope.setup, CORE)
            engine.restore(state)
            VALVE.calls[type(step)](engine, step)
            assert engine.state() in reached


def test_each_state_is_followed_by_every_two_steps() -> None:
    cover = state_cover(COMPONENTS["valve"], "2-channels-1-timestamp-and-end", CORE)
    alphabet = cover.scope.alphabet
    assert len(alphabet) == 8
    for number in (0, 17, 32):
        prefix = cover.prefixes[number]
        continuations = [cover.scenario(number * 64 + pair).history for pair in range(64)]
        assert continuations == [(*prefix, first, second) for first in alphabet for second in alphabet]


def test_scenarios_of_the_cover_are_legal_distinct_and_say_where_they_come_from() -> None:
    cover = state_cover(COMPONENTS["valve"], "2-channels-1-timestamp-and-end", CORE)
    scenarios = [cover.scenario(index) for index in range(len(cover))]
    assert [problem for scenario in scenarios for problem in problems(scenario)] == []
    assert list(read_scenarios(map(encode_scenario, scenarios), "cover")) == scenarios
    assert len({scenario.history for scenario in scenarios}) == len(scenarios)
    assert scenarios[5].id == "valve:cover:2-channels-1-timestamp-and-end:5"
    assert scenarios[5].origin == Origin("cover", index=5, of="2-channels-1-timestamp-and-end")
    assert all(scenario.groups[-1] == 1 for scenario in scenarios)
