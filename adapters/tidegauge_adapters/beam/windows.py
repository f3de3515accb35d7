"""Pass elements and timers to Beam's trigger driver, as the streaming direct runner does."""

from collections.abc import Iterable
from typing import Any

from apache_beam.transforms.core import Windowing
from apache_beam.transforms.trigger import (
    AccumulationMode,
    AfterCount,
    AfterWatermark,
    DefaultTrigger,
    GeneralTriggerDriver,
    InMemoryUnmergedState,
    MergeableStateAdapter,
    Repeatedly,
    create_trigger_driver,
)
from apache_beam.transforms.window import FixedWindows, Sessions, SlidingWindows, WindowFn
from apache_beam.utils.timestamp import MIN_TIMESTAMP
from apache_beam.utils.windowed_value import WindowedValue

from tidegauge.wire.steps.window import Session, Sliding, WindowSetup

from .times import duration_of, milliseconds_of, timestamp_of, watermark_of

Output = tuple[Any, ...]

TRIGGERS = {
    "default": DefaultTrigger,
    "after-watermark": lambda: AfterWatermark(late=AfterCount(1)),
}
"""Triggers that fire at the end of a window and then for each late record, by the option `trigger`."""

_MODES = {"discarding": AccumulationMode.DISCARDING, "accumulating": AccumulationMode.ACCUMULATING}


class BeamWindows:
    """The windows of one key.

    Args:
        setup: the assigner, trigger, accumulation mode and allowed lateness of the windows.
        trigger: the name of the event-time trigger, a key of `TRIGGERS`.
    """

    def __init__(self, setup: WindowSetup, trigger: str) -> None:
        self._assigner = _window_fn(setup)
        self._lateness = duration_of(setup.allowed_lateness)
        fires = TRIGGERS[trigger]() if setup.trigger == "event-time" else Repeatedly(AfterCount(1))
        self._driver = create_trigger_driver(
            Windowing(
                self._assigner,
                fires,
                _MODES[setup.accumulation],
                allowed_lateness=self._lateness,
            )
        )
        self._state = InMemoryUnmergedState()
        self._watermark = MIN_TIMESTAMP

    def record(self, timestamp: int, value: int) -> list[Output]:
        """Assign a record to windows and pass it to the driver."""
        time = timestamp_of(timestamp)
        windows = self._assigner.assign(WindowFn.AssignContext(time, value))
        element = WindowedValue(value, time, windows)
        return _results(
            self._driver.process_elements(self._state, [element], self._watermark, self._watermark)
        )

    def watermark(self, timestamp: int) -> list[Output]:
        """Fire the timers that a watermark reaches, in the order of their times, then forward the watermark.

        The adapter forwards the watermark because the driver outputs only results. In a pipeline, the runner
        computes the output watermark.
        """
        self._watermark = watermark_of(timestamp)
        outputs: list[Output] = []
        while timers := self._state.get_and_clear_timers(self._watermark):
            # The same order as in `WatermarkManager.extract_all_timers` of the direct runner.
            for window, (name, domain, time, _) in sorted(timers, key=lambda timer: timer[1][2]):
                outputs += _results(
                    self._driver.process_timer(window, name, domain, time, self._state, self._watermark)
                )
        return [*outputs, ("watermark", timestamp)]

    def expired_state(self) -> list[Output]:
        """Return the number of elements kept for windows that can no longer receive elements."""
        state = MergeableStateAdapter(self._state)
        elements = GeneralTriggerDriver.ELEMENTS
        # The driver ignores the elements of a window under the same condition.
        expired = (
            window for window in state.known_windows() if self._watermark > window.end + self._lateness
        )
        return [("state-size", sum(len(state.get_state(window, elements)) for window in expired))]


def _results(panes: Iterable[WindowedValue]) -> list[Output]:
    outputs: list[Output] = []
    for pane in panes:
        (window,) = pane.windows
        start, end = milliseconds_of(window.start), milliseconds_of(window.end)
        outputs.append(("fire", start, end, sorted(pane.value)))
    return outputs


def _window_fn(setup: WindowSetup) -> FixedWindows | SlidingWindows | Sessions:
    assigner = setup.assigner
    if isinstance(assigner, Session):
        return Sessions(duration_of(assigner.gap))
    size, offset = duration_of(assigner.size), timestamp_of(assigner.offset)
    if isinstance(assigner, Sliding):
        return SlidingWindows(size, duration_of(assigner.slide), offset)
    return FixedWindows(size, offset)
