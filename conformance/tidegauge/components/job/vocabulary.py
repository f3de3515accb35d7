"""Setup and step of a job: what its sources hold, how fast, and how they are aligned."""

from typing import Annotated

from msgspec import Meta, Struct

from ...base_scenario import BaseScenario
from ...timestamps import Timestamp
from ...vocabulary import Setup, Step

Milliseconds = Annotated[int, Meta(ge=0, le=2**53 - 1)]


class SubtaskSetup(Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers from `first` to `end` (excluded); each is its own timestamp in ms. Number `first + n` is
    readable from n / `records_per_millisecond` ms of processing time on."""

    first: Timestamp
    end: Timestamp
    records_per_millisecond: Annotated[int, Meta(ge=1, le=1000)]


class SourceSetup(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A source with its subtasks; with alignment if it has a group. The drift is in ms. Sources of one
    `query` run in one query, where an engine has such a thing."""

    name: str
    subtasks: tuple[SubtaskSetup, ...]
    watermark_group: str | None = None
    max_allowed_watermark_drift: Milliseconds = 0
    query: str = "query"


class JobSetup(Setup, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A job. It runs until everything is read, or else until `until` ms of processing time; `endless`: it
    cannot have read everything by then. `restarts` are the times (ms) at which it is stopped and started
    again. `split_range`: the subtasks' numbers are one range that the engine divides."""

    name: str
    sources: tuple[SourceSetup, ...]
    until: Milliseconds
    restarts: tuple[Milliseconds, ...] = ()
    endless: bool = False
    split_range: bool = False


class RunStep(Step, frozen=True, tag="run"):
    """Run the job; its event log comes out."""


class JobScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="job"):
    """A job that runs, with its event log as the only output."""

    setup: JobSetup
    history: tuple[RunStep, ...] = (RunStep(),)
