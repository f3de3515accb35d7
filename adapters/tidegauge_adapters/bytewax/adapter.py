"""`--adapter bytewax`: the windows of Bytewax, in this process."""

from collections.abc import Mapping

from tidegauge import ComponentAdapter, WindowShape
from tidegauge.wire.steps.window import WindowSetup
from tidegauge.wire.unknown_names import unknown

from . import VERSION
from .times import HIGHEST, LONGEST, LOWEST
from .windows import BytewaxWindows

_ORDERED = {"true": True, "false": False}

_BY_ADAPTER = {
    "WIN-6": "the adapter puts the watermark after the results; the order of the results is Bytewax's",
    "WIN-12": "Bytewax reports a late record once for each of its windows, the adapter once",
    "WIN-16": "the watermark in a snapshot is that of the adapter's clock; the windows are Bytewax's",
}
"""What the adapter does in place of the engine, by the rule that it could decide."""


class BytewaxAdapter(ComponentAdapter):
    """The operator `window` of Bytewax, whose logic is called without a running dataflow.

    Option: `ordered`, the argument of the operator: whether records are applied in the order of their
    timestamps (`true`, the default of Bytewax), or as they arrive (`false`).
    """

    name = "Bytewax"
    version = VERSION
    extras = ("snapshot",)
    known_options = ("ordered",)
    shapes = (
        # A window fires once, when it closes: all accumulation modes are the same.
        WindowShape(
            gaps=False,
            triggers=("event-time",),
            allowed_lateness=(0,),
            late_records=("output",),
            statuses="none",
            lowest=LOWEST,
            highest=HIGHEST,
            longest_duration=LONGEST,
            no_timestamp=False,
            # A clock whose watermark falls violates an assertion of the operator.
            contract=("falling-watermark", "input-after-end"),
        ),
    )
    by_adapter = _BY_ADAPTER

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        ordered = options.get("ordered", "true")
        if ordered not in _ORDERED:
            raise ValueError(unknown("value of the option ordered", ordered, _ORDERED))
        self._ordered = _ORDERED[ordered]

    def window(self, setup: WindowSetup) -> BytewaxWindows:
        """Return the windows of one key."""
        return BytewaxWindows(setup, self._ordered)
