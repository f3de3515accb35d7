"""Scenarios through streaming queries: those of valves and splits one by one, those of windows together."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from itertools import islice
from typing import ClassVar

from tidegauge import Adapter, Failure, Implementation, Scenario, Transcript
from tidegauge.components.within import outside_of_shapes
from tidegauge.wire.shapes import AnyShape
from tidegauge.wire.steps.splits import SplitsScenario
from tidegauge.wire.steps.valve import ValveScenario
from tidegauge.wire.steps.window import WindowScenario
from tidegauge.wire.transcript import Outputs, joined, spans
from tidegauge.wire.vocabulary import AnyOutput

from ..java import require_java
from ..required_pyspark import refuse_connect
from ..spark_session.checksums import without_checksums
from ..spark_session.session import DEFAULT_MASTER, MEMORY_MIB, RunningSpark, end_spark, running_spark
from .window_outputs import History
from .windows import queries

_AT_ONCE = 2_000
QUERIES_AT_A_TIME = 2

Part = tuple[str, "dict[int, Outputs] | str"]
"""What a query shows of the scenario of an id: outputs by step, or why there are none."""


class QueryAdapter(Adapter):
    """Puts scenarios through queries on `local[2]`.

    Attributes:
        product: what is under test, by its name.
        shapes: the features that it has.
        at_most: how many scenarios of an item of each suite go through queries.
        deviations: the file of the known deviations.
        remark: what a reader of the results has to know.
    """

    name = ""
    product = ""
    shapes: tuple[AnyShape, ...] = ()
    at_most: ClassVar[Mapping[str, int]] = {}
    deviations = ""
    remark = ""

    def __init__(self, options: Mapping[str, str]) -> None:
        if options:
            raise ValueError(f"{self.name} takes no options, got {', '.join(sorted(options))}")
        super().__init__(options)
        refuse_connect(DEFAULT_MASTER)
        require_java("Spark", instead="--adapter spark --option engine=tester")

    def describe(self) -> Implementation:
        """Return what a run must know of the engine."""
        return Implementation(
            name=self.product,
            version=version("pyspark"),
            capabilities=("splits", "valve", "window", "snapshot"),
            profile="spark-4",
            observes="group",
            layer="streaming",
            memory_mib=MEMORY_MIB,
            one_process=True,
            at_most=dict(self.at_most),
            deviations=self.deviations,
            shapes=self.shapes,
            remark=self.remark,
        )

    @abstractmethod
    def watermark_outputs(
        self, spark: RunningSpark, scenario: ValveScenario | SplitsScenario
    ) -> Sequence[Outputs]:
        """Return what each step gives, from queries of its own."""

    @abstractmethod
    def window_outputs(
        self, spark: RunningSpark, histories: Mapping[str, History]
    ) -> Mapping[str, Mapping[int, Sequence[AnyOutput]]]:
        """Return what each new step of each history gives, by its index, from one query for all of them."""

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """A query a scenario, or of windows a query for those of one kind; two at a time."""
        remaining = iter(scenarios)
        while several := list(islice(remaining, _AT_ONCE)):
            within = []
            for scenario in several:
                if lacking := outside_of_shapes(scenario, self.shapes) or self.inexpressible(scenario):
                    yield _failed(scenario, f"Spark has no word for it: {lacking}")
                else:
                    within.append(scenario)
            if within:
                yield from self._transcripts(running_spark(), within)

    def close(self) -> None:
        """End the Spark of this process, if there is one."""
        end_spark()

    def _transcripts(self, spark: RunningSpark, scenarios: Sequence[Scenario]) -> Iterator[Transcript]:
        """A query for each of them, or for several."""
        alone = [each for each in scenarios if isinstance(each, ValveScenario | SplitsScenario)]
        together = queries([each for each in scenarios if isinstance(each, WindowScenario)])
        tasks: list[Callable[[], list[Part]]] = [
            *(partial(self._watermarks, spark, scenario) for scenario in alone),
            *(partial(self._windows, spark, histories) for histories in together),
        ]
        awaited = Counter(
            [scenario.id for scenario in alone]
            + [history.scenario.id for histories in together for history in histories.values()]
        )
        by_id = {scenario.id: scenario for scenario in scenarios}
        parts: dict[str, list[dict[int, Outputs] | str]] = {name: [] for name in by_id}
        with without_checksums(spark.session), ThreadPoolExecutor(QUERIES_AT_A_TIME) as pool:
            for shown in pool.map(lambda task: task(), tasks):
                for name, part in shown:
                    parts[name].append(part)
                    if len(parts[name]) == awaited[name]:  # the kit waits for the next one, not for all
                        yield _transcript(by_id[name], parts[name])

    def _watermarks(self, spark: RunningSpark, scenario: ValveScenario | SplitsScenario) -> list[Part]:
        try:
            outputs = self.watermark_outputs(spark, scenario)
        except Exception as error:
            return [(scenario.id, _first_line(error))]
        return [(scenario.id, dict(enumerate(outputs)))]

    def _windows(self, spark: RunningSpark, histories: Mapping[str, History]) -> list[Part]:
        try:
            given = self.window_outputs(spark, histories)
        except Exception as error:
            return [(history.scenario.id, _first_line(error)) for history in histories.values()]
        return [
            (history.scenario.id, {index: tuple(outputs) for index, outputs in given[name].items()})
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
