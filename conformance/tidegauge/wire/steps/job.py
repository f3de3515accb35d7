"""Setup and step of a job: what its sources hold, how fast, and how they are aligned."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct

from ..base_scenario import BaseScenario
from ..timestamps import Timestamp, from_wire
from ..vocabulary import Setup, Step

Milliseconds = Annotated[int, Meta(ge=0, le=2**53 - 1)]


class SegmentSetup(Struct, frozen=True, forbid_unknown_fields=True):
    """`count` records with the timestamps `first`, `first + step`, ... (ms). The n-th, from 1, is readable
    from `readable_from` + n x `milliseconds_per_record` of processing time on, and after all those of the
    segments before."""

    first: Timestamp
    count: Annotated[int, Meta(ge=1, le=10**6)]
    step: Milliseconds
    readable_from: Milliseconds
    milliseconds_per_record: Annotated[int, Meta(ge=1, le=2**53 - 1)]


class Backpressure(Struct, frozen=True, forbid_unknown_fields=True):
    """A span of processing time (ms), `until` excluded, in which a subtask cannot emit."""

    since: Milliseconds
    until: Milliseconds


class SubtaskSetup(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Numbers from `first` to `end` (excluded); each is its own timestamp in ms. Number `first + n` is
    readable from (n + 1) / `records_per_millisecond` ms of processing time on.

    Where there are `segments` it reads those instead, and `first` and `end` bound their timestamps."""

    first: Timestamp
    end: Timestamp
    records_per_millisecond: Annotated[int, Meta(ge=1, le=1000)]
    segments: tuple[SegmentSetup, ...] = ()
    backpressure: tuple[Backpressure, ...] = ()


class SourceSetup(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A source with its subtasks; with alignment if it has a group. The drift is in ms. Sources of one
    `query` run in one query, where an engine has such a thing. A subtask without data for `idle_timeout`
    ms is idle, if that is set. Its generators expect records up to `max_out_of_orderness` ms behind the
    largest timestamp before them."""

    name: str
    subtasks: tuple[SubtaskSetup, ...]
    watermark_group: str | None = None
    max_allowed_watermark_drift: Milliseconds = 0
    query: str = "query"
    idle_timeout: Milliseconds | None = None
    max_out_of_orderness: Milliseconds = 0


class JobSetup(Setup, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A job. It runs until everything is read, or else until `until` ms of processing time; `endless`: it
    cannot have read everything by then. `restarts` are the times (ms) at which it is stopped and started
    again. `split_range`: the subtasks' numbers are one range that the engine divides. `window`: behind all
    sources there are tumbling event-time windows of this size (ms)."""

    name: str
    sources: tuple[SourceSetup, ...]
    until: Milliseconds
    restarts: tuple[Milliseconds, ...] = ()
    endless: bool = False
    split_range: bool = False
    window: Milliseconds | None = None


class RunStep(Step, frozen=True, tag="run"):
    """Run the job; its event log comes out."""


class JobScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="job"):
    """A job that runs, with its event log as the only output."""

    setup: JobSetup
    history: tuple[RunStep, ...] = (RunStep(),)


LONGEST_JOB = 1_000_000
"""The most ms of processing time that a job in a file may run; those of the suites run 240,000 at most."""

MOST_RECORDS = 1_000_000
"""The most records that a job in a file may read; those of the suites read 240,000 at most."""


def job_problems(setup: JobSetup) -> Iterator[str]:
    """Why a job takes too long to be run: each simulated record and each span of time is work."""
    if setup.until > LONGEST_JOB:
        yield f"the job runs {setup.until} ms; give {LONGEST_JOB:,} at most - at `$.setup.until`"
    records = sum(_readable(subtask, setup.until) for source in setup.sources for subtask in source.subtasks)
    if records > MOST_RECORDS:
        yield f"the job reads {records} records; give {MOST_RECORDS:,} at most - at `$.setup.sources`"


def _readable(subtask: SubtaskSetup, until: int) -> int:
    """How many records a subtask can read until then."""
    if subtask.segments:
        return sum(segment.count for segment in subtask.segments)
    size = from_wire(subtask.end) - from_wire(subtask.first)
    return max(0, min(size, subtask.records_per_millisecond * until))
