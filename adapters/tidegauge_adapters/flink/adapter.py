"""The adapter `flink`: the released classes of Apache Flink behind the process protocol."""

from collections.abc import Mapping

from tidegauge import Scenario
from tidegauge.wire.steps.window import WindowScenario
from tidegauge.wire.unknown_names import unknown

from ..java import require_java
from ..process.adapter import ProcessAdapter
from .driver import JAR, MAIN_CLASS
from .jars import flink_dist

_OPTIONS = ("flink", "splits")
_SPLITS = ("output", "bare")
_RETRACTING = "accumulating-and-retracting"
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
        """Flink's windows take back no result; and what no runtime sends, Flink does not refuse."""
        retracts = isinstance(scenario, WindowScenario) and scenario.setup.accumulation == _RETRACTING
        return "retractions" if retracts else super().inexpressible(scenario)
