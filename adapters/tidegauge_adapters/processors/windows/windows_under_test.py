"""A user writes the adapter of a windowing processor as a class with two attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from tidegauge import Implementation, Scenario

from ...spark.processor_adapter import ProcessorAdapter
from ..processor_under_test import ProcessorUnderTest
from .hints import hints_on
from .window_results import WindowResults
from .windows_binding import windows_binding

_REMARK = (
    " Records reach the processor one by one, late ones included: rows are not filtered by the watermark in "
    "front of it, as Spark does where withWatermark is on the event time. A result is compared with the "
    "aggregate of the records that the processor has accepted. Expired state is the number of entries left "
    "in the states of a key that has no open window, apart from those in `keeps`."
)

_AT_MOST = {
    "vectors": 12,
    "state-cover": 1_500,
    "random-histories": 10,
    "scale": 10,
    "properties": 6,
    "shrinking": 2,
    "counterexamples": 2,
}
"""Limits with which the smoke budget takes less than three minutes in queries. The scenarios of the state
cover share a dozen queries. Every other scenario has its own query. PySpark's tester shrinks the
counterexamples of an item with four queries each; one that the tester does not show is shrunk in queries,
with `shrinking` candidates at a time."""

_SECONDS = {
    "vectors": 28.0,
    "state-cover": 30.0,
    "random-histories": 25.0,
    "scale": 35.0,
    "properties": 8.0,
}
"""Seconds that an item of each suite takes with these limits, measured on two idle cores."""

_UNORDERED = "the adapter puts results of one step into the order of their ends, as rows have none in Spark"
_DROPPED = "the adapter counts a late record as dropped if the processor changes no state and returns no row"


class WindowsUnderTest(ProcessorAdapter):
    """This adapter tests an unchanged processor with tumbling, sliding or session windows (chapter WIN).

    Attributes:
        processor: the description of the processor, its rows, its key and its time. It sees late rows
            (`late_rows="seen"`): a processor that relies on Spark to drop them would be accused of WIN-10.
        windows: the description of its windows, and of the output rows that report them.
    """

    extras = ("snapshot",)
    processor: ClassVar[ProcessorUnderTest]
    windows: ClassVar[WindowResults]

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if hasattr(cls, "processor") and hasattr(cls, "windows"):
            cls.bindings = (windows_binding(cls.processor, cls.windows),)
            cls.name = cls.name or cls.processor.name

    def __init__(self, options: Mapping[str, str]) -> None:
        for name, kind in {"processor": ProcessorUnderTest, "windows": WindowResults}.items():
            if not isinstance(getattr(self, name, None), kind):
                raise ValueError(f"{type(self).__name__} has no {name}; set it to a {kind.__name__}(...)")
        if self.processor.late_rows != "seen":
            raise ValueError(
                f"{type(self).__name__}: the chapter WIN gives late rows to a processor; say "
                "late_rows='seen' in its ProcessorUnderTest; if Spark drops them in the job, check it by "
                "`tidegauge processor` instead"
            )
        super().__init__(options)

    def describe(self) -> Implementation:
        """Describe the processor under test, and the rules that the adapter keeps in its place."""
        by_adapter = {} if self.processor.ordered else {"WIN-6": _UNORDERED}
        if self.windows.late is None:
            by_adapter["WIN-12"] = _DROPPED
        described = super().describe()
        return replace(
            described,
            at_most=_AT_MOST if self.engine == "streaming" else described.at_most,
            seconds=_SECONDS if self.engine == "streaming" else described.seconds,
            by_adapter=by_adapter,
            remark=described.remark + _REMARK,
        )

    def hints(self, scenario: Scenario) -> list[str]:
        """Return the user's rows in the step that differs, and a cause in terms of timers, state or clock."""
        return hints_on(scenario, self.name or type(self).__name__, self.processor, self.windows)

    def stand_in(self) -> WindowsUnderTest | None:
        """Return the same processor in PySpark's tester, where a scenario takes milliseconds."""
        return type(self)({"engine": "tester"}) if self.engine == "streaming" else None
