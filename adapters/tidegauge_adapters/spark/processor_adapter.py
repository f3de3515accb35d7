"""Stateful processors of a PySpark user under test: an adapter that needs a binding for each, and no more.

`--option engine=streaming` (the default) runs them in streaming queries on a real Spark, on `--option
master=URL`. `--option engine=tester` drives them without a JVM, through PySpark's `TwsTester` or, before
PySpark 4.2, through the kit's own tester.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import ClassVar, Literal

from msgspec.structs import replace

from tidegauge import Adapter, Implementation, Scenario, Session, Transcript
from tidegauge.components.registry import component_by_setup
from tidegauge.wire.implementation import Layer
from tidegauge.wire.scenario import component_of
from tidegauge.wire.shapes import SHAPES, AnyShape
from tidegauge.wire.vocabulary import Setup

from ..java import require_java
from ..required_pyspark import refuse_connect
from ..spark_session.session import DEFAULT_MASTER, MEMORY_MIB, end_spark, is_local, kill_spark, micro_batches
from .binding.processor_binding import ProcessorBinding
from .binding.processor_tester import TESTER_NAME
from .streaming.beyond_watermarks import beyond_watermarks
from .streaming.streaming_processors import StreamingProcessors
from .streaming.timed_processors import TimedProcessors
from .tester.tester_processors import TesterProcessors

Engine = Literal["streaming", "tester"]

OPTIONS: dict[Engine, dict[str, str]] = {
    "streaming": {"engine": "streaming", "master": DEFAULT_MASTER, "folder": ""},
    "tester": {"engine": "tester"},
}
"""The options of each engine, with their defaults."""

_AT_ONCE: dict[Engine, int] = {"streaming": 1_500, "tester": 20_000}
"""So many scenarios of a component go through a query side by side."""

_AT_MOST: dict[Engine, dict[str, int]] = {
    "streaming": {"state-cover": 200, "random-histories": 400, "scale": 40, "properties": 250, "restores": 7},
    "tester": {},
}
"""What of a run goes through queries: they are a thousand times slower than the tester, which does it all."""

_TIMED_AT_MOST = {
    "vectors": 40,
    "state-cover": 1_500,
    "random-histories": 24,
    "scale": 8,
    "properties": 6,
    "shrinking": 12,
}
"""The same where the watermark is Spark's: a query takes a second or two for each of its watermarks, however
many scenarios share it. Random ones have each a query of their own; those of a state cover share fifteen."""

_SECONDS: dict[Engine, dict[str, float]] = {
    "streaming": {
        "vectors": 4.0,
        "state-cover": 0.2,
        "random-histories": 3.6,
        "scale": 3.6,
        "properties": 1.1,
        "jobs": 2.0,
    },
    "tester": {},
}
"""What an item of each suite takes: measured, with the default budget on two free cores."""

_TIMED_SECONDS = {
    "vectors": 50.0,
    "state-cover": 50.0,
    "random-histories": 90.0,
    "scale": 30.0,
    "properties": 30.0,
}
"""The same where the watermark is Spark's."""

_REMARKS: dict[Engine, str] = {
    "streaming": (
        "Processors run in streaming queries with RocksDB state, in two micro-batches a scenario at least "
        "and with a restart from the checkpoint between them; a snapshot is a copy of the checkpoint."
    ),
    "tester": f"Processors run in {TESTER_NAME}: Python code as in a query, but no query.",
}


_RISING_REMARK = (
    " The watermark is Spark's: scenarios share a query only if their watermarks go through the same values, "
    "and timers expire in the micro-batch without data after it has risen. Steps have no event time for "
    "Spark, which therefore drops none of them as late. What follows a restore is a query of its own, "
    "restarted where the snapshot was taken."
)


class ProcessorAdapter(Adapter):
    """The processors of `bindings`, each under the chapter of its component.

    `name` and `version` are those of what is tested. `extras`: what all the processors can do beside their
    component: `snapshot` says that all they know is in their state, `int64` that timestamps may be anything
    from -2^63 to 2^63 - 1. The latter is not claimed where the watermark is Spark's (a binding with
    `time_mode="EventTime"`), which is judged under the profile `spark-4`: an adapter of its own.

    Option `folder` (default: memory, or the system's temporary folder) is where temporary files go; executors
    on other machines must see it too. There, the processors' modules must be installed.
    """

    name: ClassVar[str] = ""
    version: ClassVar[str] = "0"
    bindings: ClassVar[tuple[ProcessorBinding, ...]] = ()
    extras: ClassVar[tuple[str, ...]] = ("snapshot", "int64")

    def __init__(self, options: Mapping[str, str]) -> None:
        engine = options.get("engine", "streaming")
        if engine not in OPTIONS:
            raise ValueError(f"unknown engine {engine!r}; known are {', '.join(OPTIONS)}")
        self.engine: Engine = engine
        known = OPTIONS[self.engine]
        unknown = set(options) - set(known)
        if unknown:
            raise ValueError(
                f"unknown option {', '.join(sorted(unknown))}; engine={engine} knows {', '.join(known)}"
            )
        super().__init__({name: value for name, value in {**known, **options}.items() if value})
        self.folder = _folder(self.options.get("folder"))
        if engine == "streaming":
            refuse_connect(self.options["master"])
            require_java("Spark", instead="--option engine=tester")
        self._timed = any(binding.timed for binding in self.bindings)
        if self._timed and not all(binding.timed for binding in self.bindings):
            raise ValueError(
                f"{type(self).__name__} has bindings with and without a time mode: those with Spark's "
                "watermark are judged under the profile spark-4; give them an adapter of their own"
            )
        self._processors = {binding.component: self._running(binding) for binding in self.bindings}

    def describe(self) -> Implementation:
        """Who is under test, with the version of PySpark that it runs on."""
        return Implementation(
            name=self.name or type(self).__name__,
            version=f"{self.version} on PySpark {version('pyspark')}",
            capabilities=(*self._processors, *(one for one in self.extras if not self._out_of_reach(one))),
            profile="spark-4" if self._timed else "core",
            layer=self.layer(),
            options=self.options,
            memory_mib=MEMORY_MIB,
            one_process=self.engine == "streaming",
            at_most=_TIMED_AT_MOST if self._rising else _AT_MOST[self.engine],
            seconds=_TIMED_SECONDS if self._rising else _SECONDS[self.engine],
            shapes=tuple(filter(None, (self._shape(binding) for binding in self.bindings))),
            remark=_REMARKS[self.engine] + (_RISING_REMARK if self._rising else ""),
        )

    def _out_of_reach(self, extra: str) -> bool:
        """Spark's watermark has no moments beyond the year 294247."""
        return self._timed and extra == "int64"

    def _shape(self, binding: ProcessorBinding) -> AnyShape | None:
        """The shape of a processor; Spark's watermark has no value for the end of the input."""
        if not self._rising:
            return binding.shape
        return replace(binding.shape or SHAPES[binding.component](), end_of_input=False)

    @property
    def _rising(self) -> bool:
        """Whether the watermarks of scenarios are those of real queries."""
        return self._timed and self.engine == "streaming"

    def inexpressible(self, scenario: Scenario) -> str | None:
        """What Spark's watermark does not do, where the scenario's is Spark's, in a query."""
        return beyond_watermarks(scenario) if self._rising else None

    def layer(self) -> Layer:
        """Where the processors run."""
        if self.engine == "tester":
            return "tester"
        return "streaming" if is_local(self.options["master"]) else "cluster"

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """Scenarios of a component side by side, a key each; the batches are the groups of the scenarios."""
        remaining = iter(scenarios)
        while several := list(islice(remaining, _AT_ONCE[self.engine])):
            of_component: dict[str, list[Scenario]] = {}
            for scenario in several:
                of_component.setdefault(component_of(scenario), []).append(scenario)
            for component, alike in of_component.items():
                yield from self.transcripts(component, alike)

    def transcripts(self, component: str, scenarios: Sequence[Scenario]) -> Iterator[Transcript]:
        """Those of scenarios of one component; none if it is not bound."""
        processors = self._processors.get(component)
        return iter(()) if processors is None else processors.transcripts(scenarios)

    def session(self, setup: Setup) -> Session | None:
        """A processor that gets every step in a batch of its own; a streaming query is too slow for that."""
        processors = self._processors.get(component_by_setup(setup).name)
        return processors.session(setup) if isinstance(processors, TesterProcessors) else None

    @property
    def ahead(self) -> bool:  # type: ignore[override]
        """A call starts queries, which takes seconds; where scenarios share none it is no help."""
        return self.engine == "streaming" and self.layer() == "streaming" and not self._rising

    def progress(self) -> int:
        """The micro-batches so far."""
        return micro_batches()

    def interrupt(self) -> None:
        """Without its JVM no query goes on."""
        kill_spark()

    def close(self) -> None:
        """End the Spark of this process, if there is one."""
        if self.engine == "streaming":
            end_spark()

    def _running(self, binding: ProcessorBinding) -> TesterProcessors | StreamingProcessors:
        if self.engine == "tester":
            return TesterProcessors(binding)
        processors = TimedProcessors if binding.timed else StreamingProcessors
        return processors(binding, self.options["master"], self.folder)


def _folder(option: str | None) -> Path | None:
    if option is None:
        return None
    folder = Path(option)
    if not folder.is_dir():
        raise ValueError(f"option folder: {option!r} is not a folder; make it, or name another")
    return folder.resolve()
