"""`--adapter spark`: the library `tidegauge_spark` under test.

Stateful operators run as `processor_adapter.py` says; what stays in the driver runs in this process, and
whole jobs are streaming queries over the aligned source.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace
from pyspark.sql.datasource import DataSource

from tidegauge import ComponentAdapter, Implementation, Scenario, Session, Transcript, __version__
from tidegauge.components.registry import component_by_setup
from tidegauge.wire.steps.job import JobScenario
from tidegauge.wire.vocabulary import Setup

try:
    from tidegauge_spark.source.aligned_source import AlignedSource
except ModuleNotFoundError as missing:
    if missing.name != "tidegauge_spark":
        raise
    raise ImportError(
        "it tests the library tidegauge_spark, a distribution of its own that is not installed: `pip install "
        "tidegauge-spark`, or `pip install ./adapters/tidegauge_spark` in a clone"
    ) from None

from tidegauge_spark.spark_version import READ_LIMITS

from .components import BINDINGS, DECISIONS, EXTRAS, REFUSALS
from .jobs.streaming_jobs import CLOCK_STEP, StreamingJobs
from .processor_adapter import ProcessorAdapter
from .shapes import SHAPES

_OF_JOBS = (
    "job",
    "alignment",
    "restart",
    "job-idleness",
    "job-backpressure",
    "job-windows",
    "job-out-of-orderness",
)
_REMARK = " What decides in the driver ({}) runs in this process."
_REMARK_ON_JOBS = " Jobs are streaming queries over the aligned source, on its virtual clock."
_REMARK_WITHOUT_JOBS = (
    f" Jobs need PySpark {'.'.join(map(str, READ_LIMITS.since))} or later: before that version "
    "Trigger.AvailableNow reads all of a source in one micro-batch."
)


class SparkAdapter(ProcessorAdapter):
    """Every component of `tidegauge_spark` that a query runs; whole jobs need the streaming engine.

    A subclass may put other `bindings`, `decisions` or another `source` in their place; see `having`.
    """

    name = "tidegauge_spark"
    version = __version__
    bindings = BINDINGS
    decisions: ClassVar[Mapping[str, Callable[[Any], Any]]] = DECISIONS
    extras = EXTRAS
    source: ClassVar[type[DataSource]] = AlignedSource

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self._in_process = _InProcess(self.decisions)
        self._jobs: StreamingJobs | None = None
        # Jobs run under AvailableNow. Alignment needs several micro-batches there, which PySpark 4.2 allows.
        if self.engine == "streaming" and READ_LIMITS.exists:
            self._jobs = StreamingJobs(self.source, self.options["master"], self.folder)

    @classmethod
    def having(cls, **makes: Callable[[Any], Any]) -> type["SparkAdapter"]:
        """The same with other components, by name: a setup makes the processor of a stateful operator, or
        the object whose methods are the steps. For wrong ones, to see what finds them."""
        bindings = tuple(
            binding.having(makes[binding.component]) if binding.component in makes else binding
            for binding in cls.bindings
        )
        of_bindings = {binding.component for binding in bindings}
        decisions = {name: make for name, make in makes.items() if name not in of_bindings}
        if unknown := decisions.keys() - cls.decisions.keys():
            raise ValueError(f"no component {', '.join(sorted(unknown))} in {cls.__name__}")
        return type(cls.__name__, (cls,), {"bindings": bindings, "decisions": {**cls.decisions, **decisions}})

    def describe(self) -> Implementation:
        """The library, with the versions it runs on."""
        described = super().describe()
        jobs = _OF_JOBS if self._jobs else ()
        remark = f"{described.remark}{_REMARK.format(', '.join(self.decisions))}"
        return replace(
            described,
            capabilities=(*described.capabilities, *self.decisions, *jobs),
            layers=dict.fromkeys(self.decisions, "in-process"),
            shapes=(*described.shapes, *SHAPES),
            overshoot="none: a batch is never planned past the bound; with a drift below 2 ms one record",
            overshoot_ms=1,
            reaction_ms=CLOCK_STEP,
            remark=remark + self._remark_on_jobs(),
        )

    def _remark_on_jobs(self) -> str:
        if self.engine == "tester":
            return ""
        return _REMARK_ON_JOBS if self._jobs else _REMARK_WITHOUT_JOBS

    def transcripts(self, component: str, scenarios: Sequence[Scenario]) -> Iterator[Transcript]:
        """Those of scenarios of one component; jobs one by one."""
        if component in self.decisions:
            yield from self._in_process.run(scenarios)
        elif self._jobs is not None and component == "job":
            yield from self._jobs.transcripts(job for job in scenarios if isinstance(job, JobScenario))
        else:
            yield from super().transcripts(component, scenarios)

    def session(self, setup: Setup) -> Session | None:
        """As of any processor; what runs in this process can always be stepped."""
        in_process = component_by_setup(setup).name in self.decisions
        return self._in_process.session(setup) if in_process else super().session(setup)


class _InProcess(ComponentAdapter):
    """Components by name, each made by its setup."""

    errors = REFUSALS

    def __init__(self, decisions: Mapping[str, Callable[[Any], Any]]) -> None:
        super().__init__({})
        for name, make in decisions.items():
            setattr(self, name, make)
