"""`--adapter kafka-streams` tests a topology of Kafka Streams through the process protocol."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from tidegauge import Implementation, Scenario
from tidegauge.wire.steps.window import RecordStep, Sliding, WindowScenario
from tidegauge.wire.timestamps import from_wire
from tidegauge.wire.unknown_names import unknown

from ..java import require_java
from ..process.adapter import ProcessAdapter
from .driver import DRIVER
from .jars import kafka_streams_jars
from .shapes import SHAPES

_OPTIONS = ("emit", "kafka-streams", "retention")
_FOLDER = Path(__file__).parent
_RETENTIONS = ("all", "dsl")
_JVM = ("-XX:+UseSerialGC", "-Xmx512m", "-XX:-UsePerfData")

_REMARK = (
    "A topology of stock classes, run by TopologyTestDriver with one record at a time. By the adapter: the "
    "watermark t is a record of another key at t + 1, whose windows are not output; the watermark that goes "
    "downstream is the stream time minus 1 ms, after the results."
)


class KafkaStreamsAdapter(ProcessAdapter):
    """Drives windowed aggregations of Kafka Streams, in one JVM per worker, without a broker.

    Options:
        emit: when a window emits results: once when it closes, by `EmitStrategy.onWindowClose` (`close`, the
            default) or by `suppress(untilWindowCloses)` (`suppress`), or with each record (`update`).
        retention: which windows stores retain: `all` (the default), or those within the retention that the
            DSL computes from size, gap and grace period (`dsl`).
        kafka-streams: the folder that contains the jars; by default, the folder into which
            `python -m tidegauge_adapters.kafka_streams.jars` fetches them.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        for name in options:
            if name not in _OPTIONS:
                raise ValueError(unknown("option", name, _OPTIONS))
        self._emit = options.get("emit", "close")
        if self._emit not in SHAPES:
            raise ValueError(unknown("value of option emit", self._emit, tuple(SHAPES)))
        self._retention = options.get("retention", "all")
        if self._retention not in _RETENTIONS:
            raise ValueError(unknown("value of option retention", self._retention, _RETENTIONS))
        java = require_java("Kafka Streams")
        jars = ":".join(map(str, [DRIVER.path, *kafka_streams_jars(options)]))
        super().__init__({}, (java, *_JVM, "-cp", jars, DRIVER.main_class, self._emit, self._retention))
        self.options = dict(options)

    def describe(self) -> Implementation:
        """Return the driver's description of its topology, with its shape, the files of the profile and the
        known deviations, and a remark."""
        is_suppressed = self._emit == "suppress"
        return replace(
            super().describe(),
            shapes=SHAPES[self._emit],
            profile_file="" if is_suppressed else str(_FOLDER / "profile.toml"),
            deviations=str(_FOLDER / ("deviations_suppress.toml" if is_suppressed else "deviations.toml")),
            remark=_REMARK,
        )

    def inexpressible(self, scenario: Scenario) -> str | None:
        """Return why a scenario is skipped, or None.

        In Kafka Streams, no window starts before 0. By the specification, a record near 0 also belongs to
        windows that start before 0 if windows overlap.
        """
        if isinstance(scenario, WindowScenario) and _has_windows_before_zero(scenario):
            return "windows that start before 1970"
        return super().inexpressible(scenario)


def _has_windows_before_zero(scenario: WindowScenario) -> bool:
    assigner = scenario.setup.assigner
    if not isinstance(assigner, Sliding):
        return False
    records = (from_wire(step.timestamp) for step in scenario.history if isinstance(step, RecordStep))
    return any((record - assigner.size) // assigner.slide + 1 < 0 for record in records)
