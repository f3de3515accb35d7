"""`--adapter beam`: the windows and triggers of Apache Beam for Python, in this process."""

from collections.abc import Mapping

from tidegauge import ComponentAdapter, WindowShape
from tidegauge.wire.steps.window import WindowSetup
from tidegauge.wire.unknown_names import unknown

from . import VERSION
from .times import HIGHEST, LONGEST, LOWEST
from .windows import TRIGGERS, BeamWindows

_BY_ADAPTER = {
    "WIN-6": "the adapter sorts timers by time, as the direct runner does, and puts the watermark last",
}
"""What the adapter does in place of the engine, by the rule that it could decide."""


class BeamAdapter(ComponentAdapter):
    """The trigger driver by which the direct runner of Beam groups a stream, without a pipeline around it.

    Option: `trigger`, the event-time trigger: the `default` of Beam, or `after-watermark`, which is
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
            # The watermark manager of the runner hands over rising watermarks only.
            contract=("falling-watermark",),
        ),
    )
    by_adapter = _BY_ADAPTER

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        trigger = options.get("trigger", "default")
        if trigger not in TRIGGERS:
            raise ValueError(unknown("value of the option trigger", trigger, TRIGGERS))
        self._trigger = trigger

    def window(self, setup: WindowSetup) -> BeamWindows:
        """Return the windows of one key."""
        return BeamWindows(setup, self._trigger)
