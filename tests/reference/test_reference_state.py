"""The reference's state: hashable, complete, restorable, and unharmed by a step that is refused."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegauge.engine.errors import raised
from tidegauge.wire.vocabulary import Error
from tidegauge_reference import (
    MAX,
    MIN,
    PROFILES,
    IllegalArgument,
    IllegalState,
    Policies,
    Unsupported,
    Valve,
)
from tidegauge_reference.outputs import Output

Call = tuple[str, int] | tuple[str, int, int]

EXACTLY_AGAIN = settings(database=None, deadline=None, derandomize=True, max_examples=150)

policies = st.sampled_from(list(PROFILES.values()))


def calls(channels: int) -> st.SearchStrategy[list[Call]]:
    """Histories on a valve, as calls; now and then a channel that does not exist."""
    channel = st.integers(-1, channels)
    timestamp = st.sampled_from([MIN, MIN + 1, -3, 0, 1, 2, 3, 4, 5, MAX - 1, MAX])
    return st.lists(
        st.one_of(
            st.tuples(st.just("watermark"), channel, timestamp),
            st.tuples(st.sampled_from(["idle", "active"]), channel),
        ),
        max_size=25,
    )


worlds = st.integers(1, 4).flatmap(lambda channels: st.tuples(st.just(channels), calls(channels)))


def do(valve: Valve, call: Call) -> list[Output] | str:
    """One call's outputs, or that it was refused."""
    name, *arguments = call
    try:
        return list(getattr(valve, name)(*arguments))
    except IllegalArgument:
        return "refused"


def test_the_state_at_the_start_has_no_watermark_and_everything_active_and_aligned() -> None:
    assert Valve(2).state() == (((MIN, False, True), (MIN, False, True)), MIN, False, MIN)


def test_the_state_tells_apart_what_behaves_differently() -> None:
    states = set()
    for history in ([], [("watermark", 0, 5)], [("idle", 0)], [("idle", 1)], [("idle", 0), ("idle", 1)]):
        valve = Valve(2)
        for call in history:
            do(valve, call)
        states.add(valve.state())
    assert len(states) == 5


@EXACTLY_AGAIN
@given(world=worlds, policies=policies)
def test_the_state_is_hashable_and_does_not_change_later(
    world: tuple[int, list[Call]], policies: Policies
) -> None:
    channels, history = world
    valve = Valve(channels, policies)
    states = [valve.state()]
    for call in history:
        do(valve, call)
        states.append(valve.state())
    again = Valve(channels, policies)
    assert hash(states[0]) == hash(again.state())
    for call, state in zip(history, states[1:], strict=True):
        do(again, call)
        assert again.state() == state
        assert hash(again.state()) == hash(state)


@EXACTLY_AGAIN
@given(world=worlds, policies=policies, place=st.integers(0, 25))
def test_a_valve_restored_anywhere_goes_on_as_if_nothing_had_happened(
    world: tuple[int, list[Call]], policies: Policies, place: int
) -> None:
    channels, history = world
    uninterrupted, first = Valve(channels, policies), Valve(channels, policies)
    for call in history[:place]:
        assert do(uninterrupted, call) == do(first, call)
    saved = pickle.loads(pickle.dumps(first.snapshot()))
    for call in history[:place]:
        do(first, call)
    second = Valve(channels, policies)
    second.restore(saved)
    assert second.state() == uninterrupted.state()
    for call in history[place:]:
        assert do(second, call) == do(uninterrupted, call)
    assert second.state() == uninterrupted.state()


@EXACTLY_AGAIN
@given(world=worlds, policies=policies, unknown=st.sampled_from([-2, -1, 4, 5, 2**31 - 1, -(2**31)]))
def test_a_refused_step_leaves_the_state_as_it_was(
    world: tuple[int, list[Call]], policies: Policies, unknown: int
) -> None:
    channels, history = world
    valve = Valve(channels, policies)
    for call in history:
        do(valve, call)
    before = valve.state()
    refused: list[Call] = [
        ("watermark", unknown, 7),
        ("watermark", unknown, MAX),
        ("idle", unknown),
        ("active", unknown),
    ]
    for call in refused:
        with pytest.raises(IllegalArgument, match="VALVE-22"):
            getattr(valve, call[0])(*call[1:])
        assert valve.state() == before


@pytest.mark.parametrize("channels", [0, -1])
def test_a_valve_without_channels_is_refused(channels: int) -> None:
    with pytest.raises(IllegalArgument, match="VALVE-22"):
        Valve(channels)


def test_errors_of_the_closed_list_are_those_an_adapter_recognises() -> None:
    outputs = [raised(error) for error in (IllegalArgument(), IllegalState(), Unsupported())]
    assert outputs == [Error("illegal-argument"), Error("illegal-state"), Error("unsupported")]
