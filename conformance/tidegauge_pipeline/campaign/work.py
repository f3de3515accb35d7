"""The messages of the worker process of a campaign: its work and its answers. Data only."""

from __future__ import annotations

from msgspec import Struct

from tidegauge.judging.items.item_report import FoundFailure, ItemReport, SeenDifference
from tidegauge.run.plan import PlannedItem
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.transcript import Failure

Lost = dict[str, Failure]
"""The failures of scenarios, by id, in which the engine ended its process or did not answer in time."""


class Work(Struct, frozen=True, tag=True):
    """A piece of work."""


class Judge(Work, frozen=True):
    """Judge the scenarios of a chunk from `start` to below `stop`, counting into `report`. `in_full`: whether
    to record which of them agree."""

    chunk: PlannedItem
    start: int
    stop: int
    report: ItemReport
    in_full: bool
    lost: Lost


class Shrink(Work, frozen=True):
    """Shrink a scenario in which the engine differs."""

    scenario: Scenario
    lost: Lost


class Preflight(Work, frozen=True):
    """Run a scenario for each kind of step on the engine."""

    component: str
    lost: Lost


AnyWork = Judge | Shrink | Preflight


class Rows(Struct):
    """The results of scenarios, column by column. `at` is the last step of the first observed span that
    differs or was not answered, from 0; `duration` is in ns."""

    scenario: list[str] = []
    index: list[int] = []
    verdict: list[str] = []
    rule: list[str | None] = []
    steps: list[int] = []
    at: list[int | None] = []
    duration: list[int] = []


class Judged(Struct, frozen=True):
    """The results of `Judge`. `differences` are some of the scenarios that differ, a few of each kind."""

    report: ItemReport
    rows: Rows
    differences: list[SeenDifference]


class Shrunk(Struct, frozen=True):
    """The failure of the smaller scenario."""

    failure: FoundFailure


class Refusals(Struct, frozen=True):
    """The failures of the engine in all scenarios of the preflight; None if it answered at least one."""

    failed: list[tuple[Scenario, Failure]] | None
