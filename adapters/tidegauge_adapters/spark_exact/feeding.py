"""Scenarios of splits, of inputs and of valves as feeds of a log, made of data and silence only.

A part with data brings a record in each micro-batch; the record has no event time if the scenario gives no
watermark. A part without data brings none, and the virtual time of a micro-batch is longer than the idle
timeout of the source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tidegauge.wire.steps import splits, valve
from tidegauge.wire.steps.splits import OperatorInputsSetup, SplitsScenario
from tidegauge.wire.steps.valve import ValveScenario
from tidegauge.wire.timestamps import Timestamp
from tidegauge.wire.vocabulary import Step

from ..spark_schedule.courses import Course, courses
from ..spark_schedule.schedule import raised_to
from .scenario_log import Feed

CLOCK_STEP: Final = "1000ms"
"""The virtual time of a micro-batch."""

IDLE_TIMEOUT: Final = "500ms"
"""Less than the time of a micro-batch: a split without records in a micro-batch is idle afterwards."""


class InexpressibleError(Exception):
    """No log can contain this part of a scenario."""


@dataclass
class FedCourse:
    """The feeds of a course.

    steps: for each feed, the index of its step in the course. restarts: the feeds before which the query is
    restarted.
    """

    feeds: list[Feed] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    restarts: list[int] = field(default_factory=list)


class Feeding:
    """Turns the steps of one course into feeds."""

    def __init__(self, scenario: SplitsScenario | ValveScenario, course: Course) -> None:
        self._course = course
        self._fed = FedCourse()
        self._awake: dict[str, bool] = {}
        self._names: dict[str, str] = {}
        self._pending = Feed()
        self._complete: set[str] = set()
        self._unseen: set[str] = set()
        self._silent = False
        self._fixed = not isinstance(scenario.setup, splits.SplitOutputsSetup)
        setup = scenario.setup
        for number in range(setup.inputs if isinstance(setup, OperatorInputsSetup) else 0):
            self._add(str(number))
        for number in range(setup.channels if isinstance(setup, valve.ValveSetup) else 0):
            self._add(str(number))

    def fed(self) -> FedCourse:
        """Return the feeds of the whole course."""
        for place, entry in enumerate(self._course.steps):
            if entry is None:
                self._fed.restarts.append(len(self._fed.feeds))
            else:
                self._step(entry[1], place)
        return self._fed

    def _step(self, step: Step, place: int) -> None:
        match step:
            case splits.AddSplitStep(split):
                self._add(split)
            case splits.RemoveSplitStep(split):
                self._remove(split)
            case splits.SplitWatermarkStep(split, timestamp, deferred):
                self._watermark(split, timestamp)
                if self._silent and self._unseen and not deferred:
                    # It is an update only above the output, but a micro-batch is always an update.
                    raise InexpressibleError("the watermark of a new split of an idle source")
                self._flush_unless(deferred, place)
            case splits.InputWatermarkStep(number, timestamp) | valve.WatermarkStep(number, timestamp):
                self._watermark(str(number), timestamp)
                self._flush(place, place)
            case splits.SplitIdleStep(split, deferred):
                self._awake[self._name(split)] = False
                self._flush_unless(deferred, place)
            case splits.InputIdleStep(number) | valve.IdleStep(number):
                self._awake[self._name(str(number))] = False
                self._flush(place, place)
            case splits.SplitActiveStep(split, deferred):
                self._active(split)
                self._flush_unless(deferred, place)
            case splits.InputActiveStep(number) | valve.ActiveStep(number):
                self._active(str(number))
                self._flush(place, place)
            case splits.TickStep():
                self._flush(place, place)

    def _name(self, split: str) -> str:
        """Return the present name of a part in the log. A log lists a split as soon as it is written to."""
        if split not in self._names:
            self._add(split)
        return self._names[split]

    def _add(self, split: str) -> None:
        if split in self._names:
            raise InexpressibleError("a split that is added twice: a log lists each split once")
        count = sum(name.partition("#")[0] == split for name in self._awake)
        name = self._names[split] = f"{split}#{count}" if count else split
        self._awake[name] = True
        self._pending.rows.setdefault(name, [])
        self._unseen.add(name)

    def _remove(self, split: str) -> None:
        name = self._names.pop(split, None)
        if name is not None:
            self._finish(name)

    def _finish(self, name: str) -> None:
        self._complete.add(name)
        self._pending.complete.append(name)

    def _active(self, split: str) -> None:
        self._awake[self._name(split)] = True

    def _watermark(self, split: str, timestamp: Timestamp) -> None:
        name = self._name(split)
        self._awake[name] = True
        if timestamp == "MAX":
            self._finish(name)
        elif isinstance(timestamp, int) and name not in self._complete:
            # The watermark of a split is 1 ms behind its records.
            self._pending.rows.setdefault(name, []).append([None, None, raised_to(timestamp) + 1, None])

    def _flush_unless(self, deferred: bool, place: int) -> None:
        if not deferred:
            self._flush(place, place)

    def _flush(self, step: int, place: int) -> None:
        """Add one or two micro-batches. A split becomes idle in the micro-batch after the one that found the
        split, or read its last record."""
        silent = [name for name, awake in self._awake.items() if not awake and name not in self._complete]
        unread = any(self._pending.rows.get(name) for name in silent)
        unseen = any(name in self._unseen for name in silent)
        if (unread and not self._fixed) or (unseen and self._silent):
            raise InexpressibleError("a split without data whose records, or which itself, was not found yet")
        self._feed(step, place)
        if unread or unseen:
            self._feed(step, place)

    def _feed(self, step: int, place: int) -> None:
        feed, self._pending = self._pending, Feed()
        for name, awake in self._awake.items():
            if awake and name not in self._complete and not feed.rows.get(name):
                feed.rows[name] = [[None, None, None, None]]
        feed.ended = self._fixed or self._is_last(place)
        if self._names and self._complete.issuperset(self._names.values()) and not feed.ended:
            raise InexpressibleError("splits that have all ended, with others to come: a log ends once")
        self._unseen.clear()
        self._silent = not any(awake and name not in self._complete for name, awake in self._awake.items())
        self._fed.feeds.append(feed)
        self._fed.steps.append(step)

    def _is_last(self, place: int) -> bool:
        """Return whether the last split has ended, and no split is added or removed later."""
        ahead = self._course.steps[place + 1 :]
        changes = (splits.AddSplitStep, splits.RemoveSplitStep)
        if any(entry is not None and isinstance(entry[1], changes) for entry in ahead):
            return False
        return any(name in self._complete for name in self._names.values())


def fed_course(scenario: SplitsScenario | ValveScenario, course: Course) -> FedCourse:
    """Return the feeds of one course of a scenario."""
    return Feeding(scenario, course).fed()


def inexpressible(scenario: SplitsScenario | ValveScenario) -> str | None:
    """Return the part of a scenario that no log can contain, None if there is none."""
    try:
        for course in courses(scenario.history):
            fed_course(scenario, course)
    except InexpressibleError as error:
        return str(error)
    return None
