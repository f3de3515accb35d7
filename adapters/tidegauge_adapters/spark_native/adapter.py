"""`--adapter spark-native`: the event time of Spark itself, a stranger under test.

`withWatermark`, `multipleWatermarkPolicy`, windows in append mode, the dropping of late rows and of state, in
streaming queries. What Spark does otherwise than the specification is listed in
`deviations.toml`, which a run takes unless it is told not to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files

from tidegauge.wire.steps.splits import SplitsScenario
from tidegauge.wire.steps.valve import ValveScenario
from tidegauge.wire.transcript import Outputs
from tidegauge.wire.vocabulary import AnyOutput

from ..spark_session.session import RunningSpark
from .query import native_session
from .query_adapter import QueryAdapter
from .shapes import SHAPES
from .watermarks import watermark_outputs
from .window_outputs import History
from .windows import window_outputs

DEVIATIONS = str(files(__package__) / "deviations.toml")

_AT_MOST = {
    "vectors": 40,
    "state-cover": 4,
    # In 60 of them no channel of a valve lags behind the output after a restart: VALVE-4 was not tested.
    "random-histories": 160,
    "scale": 12,
    "properties": 4,
    "shrinking": 12,
}
_REMARK = (
    "Spark has one watermark a query. Valves are unions of inputs under the policy min, splits are rows "
    "of one source, each in a query of its own; windows are side by side in a query whose watermark has "
    "an input of its own. A watermark t is Spark's t + 1 ms: all before it has arrived. A step for "
    "which Spark has no word (a status, the end of an input) is silence, as it would be in a query. "
    "Rows of a micro-batch have no order; results are put in that of their ends. A dropped record is "
    "one that no result holds and whose micro-batch counted dropped rows. Queries are restarted where a "
    "history restores."
)


class SparkNativeAdapter(QueryAdapter):
    """Spark's own watermark and windows, on `local[2]`."""

    name = "spark-native"
    product = "Spark Structured Streaming"
    shapes = SHAPES
    at_most = _AT_MOST
    deviations = DEVIATIONS
    remark = _REMARK

    def watermark_outputs(
        self, spark: RunningSpark, scenario: ValveScenario | SplitsScenario
    ) -> Sequence[Outputs]:
        """Return what each step gives: one watermark is that of the slowest input."""
        session = native_session(spark.session, "min")
        return watermark_outputs(session, spark.folder.subfolder("native"), scenario)

    def window_outputs(
        self, spark: RunningSpark, histories: Mapping[str, History]
    ) -> Mapping[str, Mapping[int, Sequence[AnyOutput]]]:
        """Return what each new step of each history gives: one watermark is that of its own input."""
        session = native_session(spark.session, "max")
        return window_outputs(session, spark.folder.subfolder("native"), histories)
