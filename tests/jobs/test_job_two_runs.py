"""Comparisons of the logs of two jobs: what counts as a difference, and what is within the declared reaction."""

from __future__ import annotations

import pytest

from tidegauge.components.job.job_property import JobRun
from tidegauge.components.job.log import JobLog
from tidegauge.components.job.segments import of_segments
from tidegauge.components.job.transformations import CONTROL, DELAY, TRANSFORMATIONS, shift_of
from tidegauge.components.job.two_runs import (
    delayed,
    delays_only,
    duplicated,
    exchanged,
    reordered,
    shifted,
)
from tidegauge.wire.steps.job import JobSetup, SegmentSetup, SourceSetup
from tidegauge.wire.vocabulary import LogEvent

OVERSHOOT, REACTION = 20, 100
LATER = 2 * REACTION
FURTHER = OVERSHOOT + 1

SUBTASKS = tuple(of_segments([SegmentSetup(0, 4, 1_000, 0, pace)]) for pace in (200, 100))
SETUP = JobSetup(
    "job",
    (SourceSetup("s", SUBTASKS, "group", 500, max_out_of_orderness=1_000),),
    until=60_000,
    window=2_000,
)

Record = tuple[int, int, int]
"""A subtask, the timestamp of a record that it read, and when."""

IN_ORDER: tuple[Record, ...] = tuple((subtask, n * 1_000, 1_000 + n) for subtask in (0, 1) for n in range(4))
FIRES = ((2_000, 4), (4_000, 4))


def run(
    records: tuple[Record, ...] = IN_ORDER,
    fires: tuple[tuple[int, int], ...] = FIRES,
    transformation: str = "",
) -> JobRun:
    """A run of the job, or of the one made of it; records by time, then windows by their end."""
    setup = TRANSFORMATIONS[transformation](SETUP) if transformation else SETUP
    assert setup is not None
    events = [LogEvent("record", "s", subtask, timestamp, time) for subtask, timestamp, time in records]
    events.sort(key=lambda event: event.processing_time)
    events += [LogEvent("fire", "", 0, end, 9_000, count) for end, count in fires]
    return JobRun(JobLog.of(setup, events), OVERSHOOT, REACTION)


SHIFT = shift_of(SETUP)
TWICE = tuple(record for record in IN_ORDER for _ in range(2))
RIGHT = {
    "delays_only": (delays_only, CONTROL, IN_ORDER, FIRES),
    "shifted": (
        shifted,
        "shifted",
        tuple((subtask, timestamp + SHIFT, time) for subtask, timestamp, time in IN_ORDER),
        tuple((end + SHIFT, count) for end, count in FIRES),
    ),
    "delayed": (delayed, "delayed", IN_ORDER, FIRES),
    "duplicated": (duplicated, "duplicated", TWICE, tuple((end, 2 * count) for end, count in FIRES)),
    "reordered": (reordered, "reordered", IN_ORDER, FIRES),
    "exchanged": (exchanged, "exchanged", tuple((1 - n, *rest) for n, *rest in IN_ORDER), FIRES),
}


@pytest.mark.parametrize("name", RIGHT)
def test_two_right_runs_agree(name: str) -> None:
    seen, transformation, records, fires = RIGHT[name]
    assert seen(run(), run(records, fires, transformation)) is None


@pytest.mark.parametrize("name", RIGHT)
def test_an_engine_that_does_nothing_shows_nothing(name: str) -> None:
    seen, transformation, _, _ = RIGHT[name]
    assert seen(run((), ()), run((), (), transformation)) == "no record came out"


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("lost", range(8))
def test_a_record_that_only_one_of_the_runs_has_is_named(name: str, lost: int) -> None:
    seen, transformation, records, fires = RIGHT[name]
    without = tuple(record for record in IN_ORDER if record != IN_ORDER[lost])
    found = seen(run(without), run(records, fires, transformation))
    assert found is not None
    assert f"the record {IN_ORDER[lost][1]} of subtask {IN_ORDER[lost][0]} of source 's'" in found


@pytest.mark.parametrize("name", [name for name in RIGHT if name != "delays_only"])
def test_windows_must_fire_and_with_as_many_records(name: str) -> None:
    seen, transformation, records, fires = RIGHT[name]
    (end, count), other = fires
    found = seen(run(), run(records, ((end, 99), other), transformation))
    assert f"fired with 99 records, while in a conforming engine it fired with {count} records" in (
        found or ""
    )
    found = seen(run(), run(records, (other,), transformation))
    assert f"did not fire, while in a conforming engine it fired with {count} records" in (found or "")
    again = seen(run(), run(records, ((end, count), *fires), transformation))
    assert f"fired with {count}, then {count} records, while in a conforming" in (again or "")
    assert seen(run(fires=()), run(records, (), transformation)) == "no window ever fired"


@pytest.mark.parametrize(
    ("name", "slower"), [("shifted", 0), ("delayed", DELAY), ("duplicated", 200), ("exchanged", 0)]
)
def test_the_other_run_may_be_slower_by_what_was_done_and_the_time_to_react(name: str, slower: int) -> None:
    seen, transformation, records, fires = RIGHT[name]

    def other(by: int) -> JobRun:
        later = tuple((subtask, timestamp, time + by) for subtask, timestamp, time in records)
        return run(later, fires, transformation)

    assert seen(run(), other(LATER + slower)) is None
    found = seen(run(), other(LATER + slower + 1))
    assert found is not None
    assert found.startswith("in the job itself, subtask ")
    assert seen(run(), other(-LATER)) is None
    found = seen(run(), other(-LATER - 1))
    assert found is not None
    assert found.startswith("in the same job with")


@pytest.mark.parametrize(
    ("name", "further"), [("shifted", 0), ("delayed", 0), ("reordered", 1_000), ("exchanged", 0)]
)
def test_the_other_run_may_be_further_by_the_overshoot_and_by_how_much_is_out_of_order(
    name: str, further: int
) -> None:
    """A subtask stands at a second record while the other, after the time to react, still is at the first."""
    seen, transformation, _, _ = RIGHT[name]
    shift = shift_of(SETUP) if name == "shifted" else 0
    partner = 1 if name == "exchanged" else 0

    def logs(gap: int, mine: int, theirs: int) -> str | None:
        one = run(((0, 0, 1_000), (0, gap, mine)), ((2_000, 2),))
        records = ((partner, shift, 1_000), (partner, gap + shift, theirs))
        return seen(one, run(records, ((2_000 + shift, 2),), transformation))

    slow = 2_000 + LATER + DELAY + 1
    assert logs(FURTHER, 2_000, slow) is None
    assert "in the job itself, subtask 0" in (logs(FURTHER + 1, 2_000, slow) or "")
    assert logs(FURTHER + further, slow, 2_000) is None
    assert f"subtask {partner} of source 's' had read" in (logs(FURTHER + further + 1, slow, 2_000) or "")


def test_what_comes_after_the_end_of_the_job_is_not_compared() -> None:
    def compared(time: int) -> str | None:
        early = tuple((subtask, timestamp, time) for subtask, timestamp, _ in IN_ORDER)
        other = tuple((1 - subtask, timestamp, 2 * SETUP.until) for subtask, timestamp, _ in IN_ORDER)
        return exchanged(run(early), run(other, transformation="exchanged"))

    assert compared(SETUP.until - LATER) is not None
    assert compared(SETUP.until - LATER + 1) is None
