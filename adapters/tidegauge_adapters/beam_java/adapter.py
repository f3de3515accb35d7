"""`--adapter beam-java` runs scenarios as pipelines of Apache Beam for Java on its direct runner."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from tidegauge import Implementation
from tidegauge.wire.unknown_names import unknown

from ..java import require_java
from ..process.adapter import ProcessAdapter
from .driver import DRIVER
from .jars import beam_class_path
from .shapes import ANY_TIME, SINCE_EPOCH

PROFILE = str(Path(__file__).with_name("profile.toml"))
"""The profile that names Beam's choices, each with its source."""

_TRIGGERS = ("default", "after-watermark")
_TIMES = {"since-1970": SINCE_EPOCH, "any": ANY_TIME}
_OPTIONS = ("beam", "times", "trigger")
# Pipelines are short: compilation by the second JIT compiler (C2) would take longer than it saves.
_JVM = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m", "-XX:-UsePerfData")
_AT_MOST = {
    "state-cover": 400,
    "random-histories": 500,
    "scale": 80,
    "properties": 250,
    "shrinking": 40,
}
"""Limits for each suite and for shrinking, since a pipeline takes about 40 ms."""

_BY_ADAPTER = {
    "WIN-6": "the adapter sorts the panes of a step by the ends of their windows, since the elements of a "
    "PCollection have no order, and writes the watermark last",
}
_REMARK = (
    "Each scenario is a whole pipeline on the direct runner: TestStream, Window, GroupByKey. Before each "
    "step the stream has an element that marks the step; since TestStream waits until the pipeline is "
    "quiescent, panes, counter, watermark and state are read step by step. A watermark t is t + 1 ms in Beam."
)


class BeamJavaAdapter(ProcessAdapter):
    """Runs pipelines of Apache Beam for Java in one JVM per worker.

    Options:
        beam: the folder that contains Beam's jars; by default, the folder into which
            `python -m tidegauge_adapters.beam_java.jars` fetches them.
        trigger: the event-time trigger. `default` is `DefaultTrigger`; `after-watermark` is
            `AfterWatermark.pastEndOfWindow()` with a late firing for each record.
        times: `since-1970`, or `any` to test records before 1970 as well.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        for name in options:
            if name not in _OPTIONS:
                raise ValueError(unknown("option", name, _OPTIONS))
        trigger = _value(options, "trigger", _TRIGGERS)
        self._shape = _TIMES[_value(options, "times", tuple(_TIMES))]
        java = require_java("Apache Beam")
        class_path = f"{DRIVER.path}:{beam_class_path(options)}"
        super().__init__({"seconds": "30"}, (java, *_JVM, "-cp", class_path, DRIVER.main_class, trigger))
        self.options = dict(options)

    def describe(self) -> Implementation:
        """Return the driver's description, with Beam's profile, the shape of its windows and a remark."""
        return replace(
            super().describe(),
            profile_file=PROFILE,
            at_most=_AT_MOST,
            shapes=(self._shape,),
            by_adapter=_BY_ADAPTER,
            remark=_REMARK,
        )


def _value(options: Mapping[str, str], name: str, values: tuple[str, ...]) -> str:
    value = options.get(name, values[0])
    if value not in values:
        raise ValueError(unknown(f"value of the option {name}", value, values))
    return value
