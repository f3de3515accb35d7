"""`--adapter hazelcast` tests the released classes of Hazelcast Jet through the process protocol."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from tidegauge import Implementation, Scenario
from tidegauge.wire.steps.window import RecordStep, Session, Sliding, WatermarkStep, WindowScenario
from tidegauge.wire.timestamps import MAX, MIN, from_wire
from tidegauge.wire.unknown_names import unknown

from ..java import require_java
from ..process.adapter import ProcessAdapter
from .driver import DRIVER
from .jars import hazelcast_jar
from .shapes import SHAPES

_OPTIONS = ("hazelcast",)
_MOST_SLIDES = 1_000_000
_JVM = ("-XX:+UseSerialGC", "-Xmx512m", "-XX:-UsePerfData", "-Dhazelcast.logging.type=none")

_PROFILE = str(Path(__file__).with_name("profile.toml"))
_DEVIATIONS = str(Path(__file__).with_name("deviations.toml"))

_REMARK = (
    "Stock classes of hazelcast.jar, driven one step at a time. By the adapter: ACTIVE where a task sends "
    "the first item after IDLE, MAX where all queues are done, and a watermark t as the watermark t + 1 of "
    "Jet, which says that nothing before it will come."
)


class HazelcastAdapter(ProcessAdapter):
    """Drives stock classes of Hazelcast Jet, in one JVM per worker, without a cluster or a job.

    Under test are the watermark coalescer of a task and the processors of sliding and session windows.

    Option: `hazelcast`, the folder that contains Hazelcast's jar. By default, the folder into which
    `python -m tidegauge_adapters.hazelcast.jars` fetches the jar.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        for name in options:
            if name not in _OPTIONS:
                raise ValueError(unknown("option", name, _OPTIONS))
        java = require_java("Hazelcast Jet")
        jar = hazelcast_jar(options)
        super().__init__({}, (java, *_JVM, "-cp", f"{DRIVER.path}:{jar}", DRIVER.main_class))
        self.options = dict(options)

    def describe(self) -> Implementation:
        """Return the driver's description of its classes, with their shapes, the files of the profile and the
        known deviations, and a remark."""
        return replace(
            super().describe(), profile_file=_PROFILE, deviations=_DEVIATIONS, shapes=SHAPES, remark=_REMARK
        )

    def inexpressible(self, scenario: Scenario) -> str | None:
        """Return why a scenario is skipped, or None.

        When a watermark arrives, Jet visits each slide that the watermark passes, even if there are no
        records. Visiting millions of slides exceeds the kit's time limit.
        """
        if isinstance(scenario, WindowScenario) and _slides_passed(scenario) > _MOST_SLIDES:
            return f"watermarks that pass more than {_MOST_SLIDES:,} slides of windows"
        return super().inexpressible(scenario)


def _slides_passed(scenario: WindowScenario) -> int:
    """Return how many slides the watermarks of a scenario pass, at most.

    The range begins at the earliest record or watermark, and ends at the largest watermark. The end of the
    input counts as a watermark at the latest record.
    """
    assigner = scenario.setup.assigner
    if isinstance(assigner, Session):
        return 0
    earliest, latest_record, passed = MAX, MIN, MIN
    for step in scenario.history:
        if not isinstance(step, RecordStep | WatermarkStep):
            continue
        time = from_wire(step.timestamp)
        earliest = min(earliest, time)
        if isinstance(step, RecordStep):
            latest_record = max(latest_record, time)
        else:
            passed = max(passed, latest_record if time == MAX else time)
    slide = assigner.slide if isinstance(assigner, Sliding) else assigner.size
    return max(0, passed - earliest) // slide
