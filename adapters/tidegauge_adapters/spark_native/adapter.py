"""`--adapter spark-native`: the event time of Spark itself, a stranger under test.

`withWatermark`, `multipleWatermarkPolicy`, windows in append mode, the dropping of late rows and of state, in
streaming queries. What Spark does otherwise than the specification is listed in
`deviations.toml`, which a run takes unless it is told not to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from itertools import islice

from tidegauge import Adapter, Failure, Implementation, Scenario, Transcript
from tidegauge.components.within import outside_of_shapes
from tidegauge.wire.steps.splits import SplitsScenario
from tidegauge.wire.steps.valve import ValveScenario
from tidegauge.wire.steps.window import WindowScenario
from tidegauge.wire.transcript import Outputs, joined, spans

from ..java import require_java
from ..required_pyspark import refuse_connect
from ..spark_session.checksums import without_checksums
from ..spark_session.session import DEFAULT_MASTER, MEMORY_MIB, RunningSpark, end_spark, running_spark
from .query import native_session
from .shapes import SHAPES
from .watermarks import watermark_outputs
from .window_outputs import History
from .windows import queries, window_outputs

DEVIATIONS = str(files(__package__) / "deviations.toml")
_AT_ONCE = 2_000
_QUERIES_AT_A_TIME = 2

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


class SparkNativeAdapter(Adapter):
    """Spark's own watermark and windows, on `local[2]`."""

    def __init__(self, options: Mapping[str, str]) -> None:
        if options:
            raise ValueError(f"spark-native takes no options, got {', '.join(sorted(options))}")
        super().__init__(options)
        refuse_connect(DEFAULT_MASTER)
        require_java("Spark", instead="--adapter spark --option engine=tester")

    def describe(self) -> Implementation:
        """Spark, with what a run must know of it."""
        return Implementation(
            name="Spark Structured Streaming",
            version=version("pyspark"),
            capabilities=("splits", "valve", "window", "snapshot"),
            profile="spark-4",
            observes="group",
            layer="streaming",
            memory_mib=MEMORY_MIB,
            one_process=True,
            at_most=_AT_MOST,
            deviations=DEVIATIONS,
            shapes=SHAPES,
            remark=_REMARK,
        )

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """A query a scenario, or of windows a query for those of one kind; two at a time."""
        remaining = iter(scenarios)
        while several := list(islice(remaining, _AT_ONCE)):
            for scenario in several:
                if lacking := outside_of_shapes(scenario, SHAPES):
                    yield _failed(scenario, f"Spark has no word for it: {lacking}")
            said = [scenario for scenario in several if not outside_of_shapes(scenario, SHAPES)]
            if said:
                yield from _transcripts(running_spark(), said)

    def close(self) -> None:
        """End the Spark of this process, if there is one."""
        end_spark()


def _transcripts(spark: RunningSpark, scenarios: Sequence[Scenario]) -> Iterator[Transcript]:
    """A query for each of them, or for several."""
    alone = [one for one in scenarios if isinstance(one, ValveScenario | SplitsScenario)]
    together = queries([one for one in scenarios if isinstance(one, WindowScenario)])
    tasks = [
        *(partial(_watermarks, spark, scenario) for scenario in alone),
        *(partial(_windows, spark, histories) for histories in together),
    ]
    parts: dict[str, list[dict[int, Outputs] | str]] = {scenario.id: [] for scenario in scenarios}
    with without_checksums(spark.session), ThreadPoolExecutor(_QUERIES_AT_A_TIME) as pool:
        for found in pool.map(lambda task: task(), tasks):
            for name, part in found:
                parts[name].append(part)
    for scenario in scenarios:
        yield _transcript(scenario, parts[scenario.id])


_Part = tuple[str, "dict[int, Outputs] | str"]
"""What a query shows of the scenario of an id: outputs by step, or why there are none."""


def _watermarks(spark: RunningSpark, scenario: ValveScenario | SplitsScenario) -> list[_Part]:
    session, folder = native_session(spark.session, "min"), spark.folder.subfolder("native")
    try:
        outputs = watermark_outputs(session, folder, scenario)
    except Exception as error:
        return [(scenario.id, _first_line(error))]
    return [(scenario.id, dict(enumerate(outputs)))]


def _windows(spark: RunningSpark, histories: Mapping[str, History]) -> list[_Part]:
    session, folder = native_session(spark.session, "max"), spark.folder.subfolder("native")
    try:
        found = window_outputs(session, folder, histories)
    except Exception as error:
        return [(history.scenario.id, _first_line(error)) for history in histories.values()]
    return [
        (history.scenario.id, {index: tuple(outputs) for index, outputs in found[name].items()})
        for name, history in histories.items()
    ]


def _transcript(scenario: Scenario, parts: Sequence[dict[int, Outputs] | str]) -> Transcript:
    outputs: list[Outputs] = [()] * len(scenario.history)
    for part in parts:
        if isinstance(part, str):
            return _failed(scenario, part)
        for index, given in part.items():
            outputs[index] = given
    return Transcript(scenario.id, tuple(joined(outputs, spans(scenario, "group"))))


def _failed(scenario: Scenario, why: str) -> Transcript:
    return Transcript(scenario.id, (), Failure("exception", why[:2000]))


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]
