"""`--adapter bytewax` tests the windows of Bytewax in this process."""

from collections.abc import Mapping
from pathlib import Path

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
"""What the adapter does in place of the engine, by the id of the rule whose verdict it may affect."""


class BytewaxAdapter(ComponentAdapter):
    """Drives Bytewax's operator `window`: its logic is called without a running dataflow.

    Option: `ordered`, the operator's argument. With `true`, the default of Bytewax, records are applied in
    timestamp order; with `false`, as they arrive.
    """

    name = "Bytewax"
    version = VERSION
    extras = ("snapshot",)
    known_options = ("ordered",)
    shapes = (
        # A window fires once, when it closes, so all accumulation modes give the same results.
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
            # The operator asserts that the watermark of its clock never falls.
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
        profile = "profile.toml" if self._ordered else "profile-as-they-arrive.toml"
        self.profile_file = str(Path(__file__).with_name(profile))

    def window(self, setup: WindowSetup) -> BytewaxWindows:
        """Return the windows under test, for one key."""
        return BytewaxWindows(setup, self._ordered)
