"""The progress of a run: its phase, the number of finished units, and the time left.

While items run, events and marks give the progress. The later phases report their progress with `tell`.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import ceil
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ..engine.runner import Mark
from ..judging.reference.profiles import recorded_profile
from .expected_time import ExpectedTime
from .journal import AnyEvent, Finished, Started
from .plan import plan

SessionPhase = Literal["drawing", "scenarios", "shrinking"]
LaterPhase = Literal["diagnosing", "confirming", "reports"]

_UNITS = {"diagnosing": "component", "confirming": "question", "reports": "report"}


class Progress(Struct, frozen=True, kw_only=True):
    """The progress of a run or of a campaign: a line of `--progress json`.

    Attributes:
        phase: `drawing` (scenarios and their expected outputs), `scenarios` (they run on the engine),
            `shrinking`, `diagnosing`, `confirming` (counterexamples run again) or `reports`. The first three
            alternate: each item passes through them, and several items run at the same time. A campaign shows
            `scenarios` only.
        unit: what is counted: `item`, `component`, `question` or `report`; in a campaign `scenario`. A
            component counts twice, before and after its model is tried.
        done: the number of finished units.
        total: the total number of units; null if it is not known yet.
        doing: the item that ended last, or the name of the engine; in a campaign the scenarios per second.
            Empty after the items.
        elapsed_s: the seconds since the start of the run.
        seconds_left: the estimated seconds until the end of the run, at least 1; null without an estimate.
    """

    phase: SessionPhase | LaterPhase
    unit: str
    done: int
    total: int | None = None
    doing: str = ""
    elapsed_s: int = 0
    seconds_left: int | None = None


def phase_of(marks: Iterable[Mark]) -> SessionPhase:
    """Return the phase of the items whose processes have left these marks."""
    scenarios = [mark.scenario for mark in marks if mark.scenario]
    if not scenarios:
        return "drawing"
    return "shrinking" if all(":shrunk:" in scenario for scenario in scenarios) else "scenarios"


class RunProgress:
    """Tracks the progress of a run, and passes it to `show`."""

    def __init__(self, show: Callable[[Progress], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._show, self._clock, self._began = show, clock, clock()
        self._expected: ExpectedTime | None = None
        self._now = Progress(phase="drawing", unit="item", done=0)

    @property
    def declared_seconds(self) -> float | None:
        """The duration of the items that the engine declares; None if it declares none."""
        return self._expected.total if self._expected is not None else None

    def session(self, events: Sequence[AnyEvent], marks: Iterable[Mark]) -> None:
        """Show the progress of the items, from new journal events and the marks of the processes."""
        before = {event.item for event in events if isinstance(event, Finished)}
        for event in events:
            if isinstance(event, Started):
                self._now = replace(self._now, total=len(event.planned), doing=event.implementation.name)
                self._expected = _expected_time(event, before)
            elif isinstance(event, Finished):
                self._now = replace(self._now, done=self._now.done + 1, doing=event.item)
                if self._expected is not None:
                    self._expected.finished(event.item, differs=event.outcome == "failed")
        self._tell(replace(self._now, phase=phase_of(marks)))

    def later(self, phase: LaterPhase, done: int, total: int) -> None:
        """Show the progress of a phase after the items."""
        if self._expected is not None:
            self._expected.reached(phase, done / max(total, 1))
        self._tell(Progress(phase=phase, unit=_UNITS[phase], done=done, total=total))

    def _tell(self, now: Progress) -> None:
        elapsed = self._clock() - self._began
        left = self._expected.left(elapsed) if self._expected is not None else None
        self._now = replace(
            now, elapsed_s=int(elapsed), seconds_left=None if left is None else max(1, ceil(left))
        )
        self._show(self._now)


def _expected_time(started: Started, before: Iterable[str]) -> ExpectedTime:
    """Return the expected time of the planned items, without those that were finished `before`."""
    policies = recorded_profile(started.profile, started.own_profile).policies
    items = plan(started.request, replace(started.implementation, shapes=started.drawn), policies)
    names = set(started.planned).difference(before)
    return ExpectedTime([item for item in items if item.id in names], started.implementation)


_TOLD: ContextVar[Callable[[LaterPhase, int, int], None]] = ContextVar(
    "_TOLD", default=lambda phase, done, total: None
)


def tell(phase: LaterPhase, done: int, total: int) -> None:
    """Report the progress of a phase to the current listener."""
    _TOLD.get()(phase, done, total)


@contextmanager
def telling(listener: Callable[[LaterPhase, int, int], None]) -> Iterator[None]:
    """Pass the progress that is reported in the block to `listener`."""
    token = _TOLD.set(listener)
    try:
        yield
    finally:
        _TOLD.reset(token)
