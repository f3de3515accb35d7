"""`--adapter beam` tests the windows and triggers of Apache Beam for Python in this process."""

from collections.abc import Mapping
from pathlib import Path

from tidegauge import ComponentAdapter, WindowShape
from tidegauge.wire.steps.window import WindowSetup
from tidegauge.wire.unknown_names import unknown

from . import VERSION
from .times import HIGHEST, LONGEST, LOWEST
from .windows import TRIGGERS, BeamWindows

_BY_ADAPTER = {
    "WIN-6": "the adapter sorts timers by time, as the direct runner does, and puts the watermark last",
}
"""What the adapter does in place of the engine, by the id of the rule whose verdict it may affect."""


class BeamAdapter(ComponentAdapter):
    """Drives the trigger driver with which Beam's direct runner groups a stream, without a pipeline.

    Option: `trigger`, the event-time trigger. `default` is `DefaultTrigger()`; `after-watermark` is
    `AfterWatermark(late=AfterCount(1))`.
    """

    name = "Apache Beam Python"
    version = VERSION
    known_options = ("trigger",)
    shapes = (
        WindowShape(
            accumulation=("discarding", "accumulating"),
            late_records=("drop",),
            statuses="none",
            lowest=LOWEST,
            highest=HIGHEST,
            longest_duration=LONGEST,
            no_timestamp=False,
            # The runner's watermark manager only passes on watermarks that rise.
            contract=("falling-watermark",),
        ),
    )
    by_adapter = _BY_ADAPTER
    profile_file = str(Path(__file__).with_name("profile.toml"))
    deviations = str(Path(__file__).with_name("deviations.toml"))

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        trigger = options.get("trigger", "default")
        if trigger not in TRIGGERS:
            raise ValueError(unknown("value of the option trigger", trigger, TRIGGERS))
        self._trigger = trigger

    def window(self, setup: WindowSetup) -> BeamWindows:
        """Return the windows under test, for one key."""
        return BeamWindows(setup, self._trigger)
