"""A limit of computing ends what does not end by itself."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tidegauge.engine.limits import NoAnswer, answering_within


def never_ends() -> None:
    """Computing."""
    while True:
        pass


def test_what_never_ends_is_ended() -> None:
    with pytest.raises(NoAnswer), answering_within(0.05):
        never_ends()


def test_what_ends_in_time_is_left_alone() -> None:
    with answering_within(5):
        assert sum(range(1000)) == 499_500


def test_what_swallows_its_end_is_ended_again() -> None:
    with pytest.raises(NoAnswer), answering_within(0.05):
        swallowing(3)


def swallowing(times: int) -> None:
    """Goes on, so many times, when it is told to end."""
    for _ in range(times):
        with suppress(NoAnswer):
            never_ends()
    never_ends()


@pytest.fixture
def collections() -> Iterator[None]:
    """Half of the computing is done in a callback of the garbage collector, as Hypothesis has one."""

    def callback(*_: object) -> None:
        for _ in range(200):
            pass

    gc.callbacks.append(callback)
    yield
    gc.callbacks.remove(callback)


def collecting() -> None:
    """Never ends, and collects garbage all the time."""
    while True:
        gc.collect(0)
        for _ in range(400):
            pass


@pytest.mark.usefixtures("collections")
def test_the_end_is_not_lost_in_a_callback_of_the_garbage_collector() -> None:
    """Where Python would swallow it, and warn."""
    for _ in range(10):
        with pytest.raises(NoAnswer), answering_within(0.02):
            collecting()
