"""Random histories: the same everywhere for a seed, legal, and in nearly every step to the point."""

from __future__ import annotations

import hashlib
from itertools import islice

import pytest

from tidegauge.components.registry import COMPONENTS
from tidegauge.components.shared.random_source import RandomSource, split_mix
from tidegauge.drawing.histories import draw_history, has_effect
from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.scenario import Scenario, encode_scenario, problems, read_scenarios
from tidegauge.wire.steps.valve import ActiveStep, IdleStep, WatermarkStep
from tidegauge.wire.timestamps import from_wire
from tidegauge.wire.vocabulary import Restore, Snapshot
from tidegauge_reference import CORE, FLINK_2_3, PROFILES, Policies

VALVE = COMPONENTS["valve"]

FIRST_200_OF_SEED_1 = "0df826548de594d12bd8e9013572b36efef174fb10f9d554ad8f7a1f445dd928"


def drawn(seed: int, count: int, policies: Policies = CORE) -> list[Scenario]:
    """The first histories of a seed."""
    return [draw_history(VALVE, seed, index, policies) for index in range(count)]


def digest(scenarios: list[Scenario]) -> str:
    """A fingerprint of scenarios."""
    return hashlib.sha256(b"\n".join(map(encode_scenario, scenarios))).hexdigest()


def test_splitmix64_gives_the_published_numbers() -> None:
    assert list(islice(split_mix(1234567), 5)) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@pytest.mark.parametrize("state", [0, 1, 2**63, 2**64 - 1])
def test_splitmix64_gives_one_number_after_the_other_as_it_is_published(state: int) -> None:
    """It computes many at once; here each is computed alone, in the words of its authors."""

    def published(number: int) -> int:
        mixed = (state + number * 0x9E3779B97F4A7C15) % 2**64
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        return mixed ^ mixed >> 31

    assert list(islice(split_mix(state), 200)) == [published(number) for number in range(1, 201)]


def test_the_random_source_keeps_its_bounds() -> None:
    source = RandomSource(3, 4)
    assert {source.below(3) for _ in range(200)} == {0, 1, 2}
    assert {source.between(-2, 1) for _ in range(200)} == {-2, -1, 0, 1}
    assert {source.pick("ab") for _ in range(100)} == {"a", "b"}
    assert not any(source.chance(0) for _ in range(100))
    assert all(source.chance(100) for _ in range(100))


def test_a_seed_stands_for_the_same_scenarios_on_every_machine() -> None:
    """If this fails on purpose, seeds in old reports no longer mean what they meant: say so in CHANGELOG."""
    assert digest(drawn(1, 200)) == FIRST_200_OF_SEED_1


def test_the_same_seed_and_index_give_the_same_scenario_in_any_order() -> None:
    scenarios = drawn(5, 50)
    assert [draw_history(VALVE, 5, index, CORE) for index in reversed(range(50))] == scenarios[::-1]


def test_different_seeds_and_indices_give_different_scenarios() -> None:
    histories = [scenario.history for seed in (1, 2, 3, 2**40, -1) for scenario in drawn(seed, 100)]
    assert len(set(histories)) == len(histories)


def test_neighbouring_seeds_do_not_share_their_streams() -> None:
    streams = [[RandomSource(seed, index).next() for index in range(1000)] for seed in range(5)]
    numbers = [number for stream in streams for number in stream]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("policies", PROFILES.values(), ids=PROFILES)
def test_at_least_seventy_percent_of_the_steps_have_an_effect(policies: Policies) -> None:
    effective = steps = 0
    for scenario in drawn(1, 2000, policies):
        engine = VALVE.reference(scenario.setup, policies)
        for step in scenario.history:
            if not isinstance(step, Snapshot | Restore):
                steps += 1
                effective += has_effect(VALVE, engine, step)
    assert steps > 20_000
    assert 0.7 * steps <= effective < steps, "and that nothing happens must be tried as well"


@pytest.mark.parametrize("policies", PROFILES.values(), ids=PROFILES)
def test_every_drawn_scenario_is_legal(policies: Policies) -> None:
    scenarios = drawn(7, 500, policies)
    assert [problem for scenario in scenarios for problem in problems(scenario)] == []
    assert list(read_scenarios(map(encode_scenario, scenarios), "drawn")) == scenarios


def test_nothing_drawn_is_beyond_64_bits_however_near_the_end_of_event_time() -> None:
    near_the_end = draw_history(COMPONENTS["generator"], 20261125, 7192, FLINK_2_3)
    assert problems(near_the_end) == []


def test_a_drawn_scenario_says_where_it_comes_from() -> None:
    scenario = draw_history(VALVE, 9, 4, CORE)
    assert scenario.id == "valve:seed:9:4"
    assert scenario.origin == Origin("seed", seed=9, index=4)


def test_the_scenarios_depend_on_the_policies() -> None:
    assert digest(drawn(1, 100, CORE)) != digest(drawn(1, 100, FLINK_2_3))


def test_drawn_scenarios_are_various() -> None:
    scenarios = drawn(1, 1000)
    steps = [step for scenario in scenarios for step in scenario.history]
    assert {type(step) for step in steps} == {WatermarkStep, IdleStep, ActiveStep, Snapshot, Restore}
    assert {getattr(scenario.setup, "channels", 0) for scenario in scenarios} == {1, 2, 3, 4, 5}
    assert {"MIN", "MAX"} <= {step.timestamp for step in steps if isinstance(step, WatermarkStep)}
    assert any(
        from_wire(s.timestamp) < 0 for s in steps if isinstance(s, WatermarkStep) and s.timestamp != "MIN"
    )
    assert any(s.channel < 0 for s in steps if isinstance(s, IdleStep))
    assert min(len(scenario.history) for scenario in scenarios) >= 5
    assert all(len(scenario.groups) == 2 for scenario in scenarios)
    interrupted = [scenario for scenario in scenarios if scenario.needs == ("snapshot",)]
    assert 50 < len(interrupted) < 200
