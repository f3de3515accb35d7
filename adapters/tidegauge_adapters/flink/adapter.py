"""The adapter `flink`: the released classes of Apache Flink behind the process protocol."""

from collections.abc import Mapping

from tidegauge import Scenario
from tidegauge.wire.steps.window import RecordStep, Sliding, WindowScenario
from tidegauge.wire.timestamps import MIN, from_wire
from tidegauge.wire.unknown_names import unknown

from ..java import require_java
from ..process.adapter import ProcessAdapter
from .driver import JAR, MAIN_CLASS
from .jars import flink_dist

_OPTIONS = ("flink", "splits")
_SPLITS = ("output", "bare")
_JVM = ("-XX:+UseSerialGC", "-Xmx512m", "-XX:-UsePerfData")


class FlinkAdapter(ProcessAdapter):
    """Stock classes of Flink, each without a task around it; one JVM a worker.

    Options: `flink`, the folder of Flink's jars (those of `tidegauge[flink]`); `splits`, whether the
    multiplexer of splits writes to its output as in a task (`output`), or is `bare`.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        for name in options:
            if name not in _OPTIONS:
                raise ValueError(unknown("option", name, _OPTIONS))
        splits = options.get("splits", "output")
        if splits not in _SPLITS:
            raise ValueError(f"option splits={splits!r}: {' or '.join(_SPLITS)}")
        java = require_java("Flink")
        class_path = f"{JAR}:{flink_dist(options)}"
        super().__init__({}, (java, *_JVM, "-cp", class_path, MAIN_CLASS, splits))
        self.options = dict(options)

    def inexpressible(self, scenario: Scenario) -> str | None:
        """Flink's windows take back no result, and it does not refuse what no runtime sends."""
        if isinstance(scenario, WindowScenario):
            if scenario.setup.accumulation == "accumulating-and-retracting":
                return "retractions"
            if _is_endless(scenario):
                return "records of the first moments in sliding windows: Flink's assigner never ends"
        return super().inexpressible(scenario)


def _is_endless(scenario: WindowScenario) -> bool:
    """Whether a record is so close to MIN that a sliding window would start before it: the loop of
    SlidingEventTimeWindows over the starts goes round and takes all of the memory."""
    assigner = scenario.setup.assigner
    if not isinstance(assigner, Sliding):
        return False
    times = (from_wire(step.timestamp) for step in scenario.history if isinstance(step, RecordStep))
    return any(MIN < time < MIN + assigner.size + assigner.slide for time in times)
