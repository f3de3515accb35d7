"""Jobs made of a job: what they read, and when, against what the job itself reads."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest
from msgspec.structs import replace

from tidegauge.components.job.feed import feed_of
from tidegauge.components.job.jobs import JOBS, control, made_of
from tidegauge.components.job.transformations import (
    delay_of,
    delayed,
    duplicated,
    exchanged,
    reordered,
    shift_of,
    shifted,
)
from tidegauge.wire.scenario import encode_scenario, problems, read_scenarios
from tidegauge.wire.steps.job import JobSetup, SubtaskSetup

NUMBERS = replace(
    JOBS["slow-and-fast"].setup,
    sources=tuple(
        replace(source, subtasks=(SubtaskSetup(0, 400, 1), SubtaskSetup(100, 600, 4)))
        for source in JOBS["slow-and-fast"].setup.sources
    ),
)
WINDOWS = JOBS["slow-and-fast-windows"].setup
OUT_OF_ORDER = JOBS["slow-and-fast-out-of-order"].setup

Delivered = list[tuple[Fraction, int]]


def delivered(setup: JobSetup) -> dict[tuple[str, int], Delivered]:
    """From when on (ms) each record of each subtask is readable, with its timestamp, in order."""
    return {
        (source.name, index): [
            (segment.readable_from + (number + 1) * segment.interval, segment.first + number * segment.step)
            for segment in feed_of(subtask).segments
            for number in range(segment.count)
        ]
        for source in setup.sources
        for index, subtask in enumerate(source.subtasks)
    }


@pytest.mark.parametrize("name", JOBS)
@pytest.mark.parametrize(
    "transformation", ["control", "shifted", "delayed", "duplicated", "reordered", "exchanged"]
)
def test_what_is_made_of_a_job_of_the_suite_is_a_legal_job(name: str, transformation: str) -> None:
    made = made_of(JOBS[name], transformation)
    if made is not None:
        assert made.id == f"job:{name}:{transformation}"
        assert problems(made) == [] or "int64" not in JOBS[name].needs
        assert list(read_scenarios([encode_scenario(made)], "made")) == [made]


@pytest.mark.parametrize("setup", [NUMBERS, WINDOWS])
def test_shifted_moves_every_record_and_no_processing_time(setup: JobSetup) -> None:
    shift = shift_of(setup)
    moved = delivered(shifted(setup))
    for key, records in delivered(setup).items():
        assert moved[key] == [(readable, timestamp + shift) for readable, timestamp in records]


def test_shifted_is_by_whole_windows_and_mostly_to_before_zero() -> None:
    shift = shift_of(WINDOWS)
    assert WINDOWS.window is not None
    assert shift % WINDOWS.window == 0
    timestamps = [timestamp for records in delivered(shifted(WINDOWS)).values() for _, timestamp in records]
    assert min(timestamps) < 0 < max(timestamps)
    assert sum(timestamp < 0 for timestamp in timestamps) > 0.8 * len(timestamps)


@pytest.mark.parametrize("setup", [NUMBERS, WINDOWS])
def test_delayed_holds_up_one_subtask_by_at_most_the_delay(setup: JobSetup) -> None:
    other = delayed(setup)
    assert other is not None
    late = delivered(other)
    held_up = []
    for key, records in delivered(setup).items():
        delays = [after - before for (before, _), (after, _) in zip(records, late[key], strict=True)]
        assert [timestamp for _, timestamp in records] == [timestamp for _, timestamp in late[key]]
        assert all(0 <= delay <= delay_of(setup) for delay in delays)
        held_up += [max(delays)] if any(delays) else []
    assert len(held_up) == 1
    assert held_up[0] > delay_of(setup) - 1


def test_a_job_whose_numbers_come_at_the_lowest_rate_cannot_be_delayed() -> None:
    slow = replace(NUMBERS.sources[0], subtasks=(SubtaskSetup(0, 10, 1),))
    assert delayed(replace(NUMBERS, sources=(slow,))) is None
    assert delay_of(replace(NUMBERS, sources=(slow,))) == 0


def test_duplicated_delivers_each_record_again_before_the_next() -> None:
    other = duplicated(WINDOWS)
    assert other is not None
    twice = delivered(other)
    for key, records in delivered(WINDOWS).items():
        assert twice[key][::2] == records
        assert [timestamp for _, timestamp in twice[key][1::2]] == [timestamp for _, timestamp in records]
        readable = [time for time, _ in twice[key]]
        assert all(before < after for before, after in pairwise(readable))


def test_duplicated_numbers_come_from_a_twin_of_each_subtask() -> None:
    other = duplicated(NUMBERS)
    assert other is not None
    twice, once = delivered(other), delivered(NUMBERS)
    assert len(twice) == 2 * len(once)
    for (source, index), records in once.items():
        assert twice[source, index] == twice[source, index + 2] == records


def test_reordered_keeps_to_the_bound_and_to_the_times() -> None:
    other = reordered(OUT_OF_ORDER)
    assert other is not None
    bound = OUT_OF_ORDER.sources[0].max_out_of_orderness
    for key, records in delivered(OUT_OF_ORDER).items():
        shuffled = delivered(other)[key]
        assert [readable for readable, _ in shuffled] == [readable for readable, _ in records]
        timestamps = [timestamp for _, timestamp in shuffled]
        assert Counter(timestamps) == Counter(timestamp for _, timestamp in records)
        behind = [max(timestamps[: place + 1]) - one for place, one in enumerate(timestamps)]
        assert max(behind) == bound


@pytest.mark.parametrize("setup", [NUMBERS, WINDOWS])
def test_records_that_are_expected_in_order_are_not_reordered(setup: JobSetup) -> None:
    assert reordered(setup) is None


def test_exchanged_gives_each_subtask_the_number_opposite() -> None:
    other = exchanged(NUMBERS)
    assert other is not None
    first, second = delivered(NUMBERS).values()
    assert list(delivered(other).values()) == [second, first]


def test_subtasks_that_are_alike_or_divide_a_range_are_not_exchanged() -> None:
    alike = replace(NUMBERS.sources[0], subtasks=NUMBERS.sources[0].subtasks[:1] * 2)
    assert exchanged(replace(NUMBERS, sources=(alike,))) is None
    assert exchanged(JOBS["flip-182-literal"].setup) is None
    assert duplicated(JOBS["flip-182-literal"].setup) is None


def test_the_control_is_the_same_job_without_alignment() -> None:
    without = control(JOBS["flip-182-restarted"])
    assert [source.subtasks for source in without.setup.sources] == [
        source.subtasks for source in JOBS["flip-182-restarted"].setup.sources
    ]
    assert all(source.watermark_group is None for source in without.setup.sources)
    assert without.setup.restarts == ()
    assert without.needs == ()


def test_what_has_piled_up_is_read_ten_times_as_fast_as_it_comes_also_over_segments() -> None:
    """A record a segment, one each 100 ms: in 10 ms one can be read, in 50 ms five, however many wait."""
    other = reordered(OUT_OF_ORDER)
    assert other is not None
    feed = feed_of(other.sources[0].subtasks[1])
    assert len(list(feed.records(5_000, 10))) == 1
    assert len(list(feed.records(5_000, 50))) == 5
    assert len(list(feed.records(5_000, 10_000))) == 50 - 6
