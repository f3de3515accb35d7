"""The adapter `flink`: the released classes of Apache Flink behind the process protocol."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from msgspec.structs import replace

from tidegauge import Implementation, Scenario, Session, Transcript, WindowShape
from tidegauge.wire.steps.generator import AdvanceStep, GeneratorScenario
from tidegauge.wire.steps.job import JobScenario, JobSetup
from tidegauge.wire.steps.window import RecordStep, Sliding, Tumbling, WindowScenario
from tidegauge.wire.timestamps import MIN, from_wire
from tidegauge.wire.unknown_names import unknown
from tidegauge.wire.vocabulary import Setup

from ..java import require_java
from ..process.adapter import ProcessAdapter
from . import jobs
from .driver import driver_for
from .jars import NEWEST, flink_jars

_OPTIONS = ("flink", "splits", "alignment-buffer")
_SPLITS = ("output", "bare")
_LATEST_MS = (2**63 - 1) // 1_000_000
"""The largest processing time whose nanoseconds fit into 64 bits: the year 2262."""

_WINDOWS = WindowShape(accumulation=("discarding", "accumulating"))
"""Flink's windows take back no result."""

_PROFILES = Path(__file__).parent / "profiles"
"""The profiles of older releases (`flink-RELEASE.toml`) and their known defects
(`flink-RELEASE-deviations.toml`)."""

_JVM = ("-XX:+UseSerialGC", "-Xmx512m", "-XX:-UsePerfData")


class FlinkAdapter(ProcessAdapter):
    """Stock classes of Flink, each without a task around it, in one JVM a worker; whole jobs run on a cluster
    of Flink in another.

    Options: `flink`, the folder of Flink's jars (those of `tidegauge[flink]`); `splits`, whether the
    multiplexer of splits writes to its output as in a task (`output`), or is `bare`; `alignment-buffer`, the
    `pipeline.watermark-alignment.buffer-size` of jobs from Flink 2.3 on. The default here is 0. With Flink's
    own default, 3, Flink checks samples that it takes at a wall-clock interval, and it is not predictable how
    far a subtask runs past its bound.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        for name in options:
            if name not in _OPTIONS:
                raise ValueError(unknown("option", name, _OPTIONS))
        splits = options.get("splits", "output")
        if splits not in _SPLITS:
            raise ValueError(f"option splits={splits!r}: {' or '.join(_SPLITS)}")
        buffer = options.get("alignment-buffer", "0")
        if not buffer.isdecimal():
            raise ValueError(f"option alignment-buffer={buffer!r} is no number from 0 on")
        java = require_java("Flink")
        flink = flink_jars(options)
        if "alignment-buffer" in options and flink.release != NEWEST:
            raise ValueError(f"option alignment-buffer: Flink {flink.version} has no buffer; 2.3 added it")
        driver = driver_for(flink.release)
        class_path = f"{driver.class_path}:{flink.class_path}"
        super().__init__({}, (java, *_JVM, "-cp", class_path, driver.main_class, splits))
        self.options = dict(options)
        self._release = flink.release
        self._of_cluster = java, class_path, buffer
        self._cluster: jobs.JobsOnACluster | None = None

    def describe(self) -> Implementation:
        """Return the driver's description of its classes, with the layer of jobs and with the profile and the
        known deviations of the release. Starts no cluster."""
        described = super().describe()
        return replace(
            described,
            profile_file=_file_of(f"flink-{self._release}.toml"),
            deviations=_file_of(f"flink-{self._release}-deviations.toml"),
            layers={"job": "cluster"},
            shapes=(_WINDOWS,),
            remark=described.remark + jobs.remark(self._release, self._of_cluster[2]),
        )

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """Jobs on the cluster, one after the other; all else without one."""
        for is_job, some in groupby(scenarios, lambda scenario: isinstance(scenario, JobScenario)):
            if not is_job:
                yield from super().run(some)
                continue
            if self._cluster is None:
                self._cluster = jobs.JobsOnACluster(*self._of_cluster)
            yield from self._cluster.run(some)

    def session(self, setup: Setup) -> Session | None:
        """An instance of the classes; a job runs as a whole."""
        return None if isinstance(setup, JobSetup) else super().session(setup)

    def close(self) -> None:
        """End both JVMs."""
        super().close()
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None

    def inexpressible(self, scenario: Scenario) -> str | None:
        """Flink's clock counts ns in 64 bits, its first windows overflow, and it does not refuse what no
        runtime sends."""
        if isinstance(scenario, GeneratorScenario) and _latest_ms(scenario) > _LATEST_MS:
            return "a processing time beyond 2^63 ns: the clock of the operator tests of Flink counts ns"
        if isinstance(scenario, WindowScenario) and _begins_before_time(scenario):
            return "windows that begin before event time: the sums of Flink's assigners overflow"
        return super().inexpressible(scenario)


def _file_of(name: str) -> str:
    """Return the path of a file in the folder of profiles, or an empty string if the release has none."""
    return str(_PROFILES / name) if (_PROFILES / name).is_file() else ""


def _latest_ms(scenario: GeneratorScenario) -> int:
    """The processing time (ms) at the end of a scenario."""
    passed = sum(step.milliseconds for step in scenario.history if isinstance(step, AdvanceStep))
    return scenario.setup.processing_time + passed


def _begins_before_time(scenario: WindowScenario) -> bool:
    """Return whether a record is so close to MIN that one of its windows would begin before it.

    In SlidingEventTimeWindows the loop over the starts of windows overflows, never ends and takes all of the
    memory. A tumbling window of 2^53 - 97 ms begins at 9214364837600134241 for a record at MIN + 4.
    """
    assigner = scenario.setup.assigner
    if not isinstance(assigner, Tumbling | Sliding):
        return False
    slide = assigner.slide if isinstance(assigner, Sliding) else assigner.size
    times = (from_wire(step.timestamp) for step in scenario.history if isinstance(step, RecordStep))
    return any(MIN < time < MIN + assigner.size + slide for time in times)
