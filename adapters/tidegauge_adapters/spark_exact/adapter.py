"""`--adapter spark-exact`: Spark's own operators behind `tidegauge_spark.load(reader)`.

A scenario becomes the log of a source: its splits, their records, and the micro-batch in which each of them
appears. Time is the virtual clock of the source. The adapter makes no decisions: it reads Spark's watermark
and the signals of the source from the progress of the query, and the windows that fire from its rows.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from queue import SimpleQueue

from pyspark.sql import DataFrame

from tidegauge import Scenario
from tidegauge.wire.steps.splits import SplitsScenario
from tidegauge.wire.steps.valve import ValveScenario
from tidegauge.wire.transcript import Outputs
from tidegauge.wire.vocabulary import AnyOutput
from tidegauge_spark.source.own_log import register_log

from ..spark_native.query import native_session
from ..spark_native.query_adapter import QUERIES_AT_A_TIME, QueryAdapter
from ..spark_native.window_outputs import History
from ..spark_session.session import RunningSpark
from .feeding import CLOCK_STEP, IDLE_TIMEOUT, inexpressible
from .query import ExactRows
from .scenario_log import FORMAT, OPTIONS, open_log
from .shapes import SHAPES
from .watermarks import watermark_outputs
from .windows import window_outputs

DEVIATIONS = str(files(__package__) / "deviations.toml")

_AT_MOST = {
    "vectors": 40,
    "state-cover": 4,
    "random-histories": 48,
    "scale": 6,
    "properties": 8,
    "shrinking": 12,
}
_REMARK = (
    "Rows come from an aligned source by load(reader). Splits, inputs and channels are the splits of the "
    "source: one that is idle brings no record for longer than the idle timeout, on the virtual clock of the "
    "source, and one that is active brings a record without an event time where the scenario gives it "
    "nothing else. An update is a micro-batch. Each scenario of splits and valves is a query of its own; "
    "windows are side by side in one. Watermarks are those of Spark, which says a watermark t as "
    "t + 1 ms: all before it "
    "has arrived; the year 9999 is its MAX. Statuses are what the source says in the progress of the query. "
    "A dropped record is one that no result holds and whose micro-batch counted dropped rows. Queries are "
    "restarted where a history restores."
)
_OPTIONS = {"clockStep": CLOCK_STEP, "idleTimeout": IDLE_TIMEOUT}


class SparkExactAdapter(QueryAdapter):
    """Spark's own operators on the exact watermark, on `local[2]`."""

    name = "spark-exact"
    product = "Apache Spark behind tidegauge-spark"
    shapes = SHAPES
    at_most = _AT_MOST
    deviations = DEVIATIONS
    remark = _REMARK

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self._rooms: Rooms | None = None
        self._opening = threading.Lock()

    def inexpressible(self, scenario: Scenario) -> str | None:
        """Return the part of a scenario that no log can contain, None if there is none."""
        return inexpressible(scenario) if isinstance(scenario, SplitsScenario | ValveScenario) else None

    def watermark_outputs(
        self, spark: RunningSpark, scenario: ValveScenario | SplitsScenario
    ) -> Sequence[Outputs]:
        """Return the outputs of each step."""
        with self._rooms_of(spark).room() as rows:
            return watermark_outputs(rows, scenario)

    def window_outputs(
        self, spark: RunningSpark, histories: Mapping[str, History]
    ) -> Mapping[str, Mapping[int, Sequence[AnyOutput]]]:
        """Return the outputs of each new step of each history."""
        session = self._rooms_of(spark).session
        return window_outputs(session, spark.folder.subfolder("exact"), histories)

    def _rooms_of(self, spark: RunningSpark) -> Rooms:
        with self._opening:
            if self._rooms is None or self._rooms.spark is not spark:
                self._rooms = Rooms(spark)
            return self._rooms


class Rooms:
    """The sources of a Spark session for scenarios of splits and valves: one for each query that runs at a
    time."""

    def __init__(self, spark: RunningSpark) -> None:
        self.spark = spark
        self.session = native_session(spark.session, "min")
        register_log(self.session, FORMAT, open_log, OPTIONS)
        self._free: SimpleQueue[ExactRows] = SimpleQueue()
        for _ in range(QUERIES_AT_A_TIME):
            folder = spark.folder.subfolder("exact")
            self._free.put(ExactRows(self.session, folder, _unchanged, _OPTIONS, collects=False))

    @contextmanager
    def room(self) -> Iterator[ExactRows]:
        """Yield a source that no other query reads while the block runs."""
        rows = self._free.get()
        try:
            yield rows
        finally:
            self._free.put(rows)


def _unchanged(rows: DataFrame) -> DataFrame:
    return rows
