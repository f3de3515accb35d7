"""What an engine's process is asked to do, and what it answers: data only."""

from __future__ import annotations

from msgspec import Struct

from tidegauge.judging.items.item_report import FoundFailure, ItemReport, SeenDifference
from tidegauge.run.plan import PlannedItem
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.transcript import Failure

Lost = dict[str, Failure]
"""The scenarios, by id, in which the engine ended its process or did not answer in time, and how."""


class Work(Struct, frozen=True, tag=True):
    """Something to do."""


class Judge(Work, frozen=True):
    """Judge the scenarios of a chunk from `start` to below `stop`, counting into `report`. `in_full`: keep
    which of them agree."""

    chunk: PlannedItem
    start: int
    stop: int
    report: ItemReport
    in_full: bool
    lost: Lost


class Shrink(Work, frozen=True):
    """Make a scenario small in which the engine differs."""

    scenario: Scenario
    lost: Lost


class Preflight(Work, frozen=True):
    """Put a scenario for each kind of step through the engine."""

    component: str
    lost: Lost


AnyWork = Judge | Shrink | Preflight


class Rows(Struct):
    """What became of scenarios, column by column. `at` is the last step of the first observed span that
    differs or was not answered, from 0; `duration` in ns."""

    scenario: list[str] = []
    index: list[int] = []
    verdict: list[str] = []
    rule: list[str | None] = []
    steps: list[int] = []
    at: list[int | None] = []
    duration: list[int] = []


class Judged(Struct, frozen=True):
    """`differences` are some of the scenarios that differ, of each kind some."""

    report: ItemReport
    rows: Rows
    differences: list[SeenDifference]


class Shrunk(Struct, frozen=True):
    """The failure of the smaller scenario."""

    failure: FoundFailure


class Refusals(Struct, frozen=True):
    """How the engine failed in every scenario of the preflight; None if it answered one."""

    failed: list[tuple[Scenario, Failure]] | None
