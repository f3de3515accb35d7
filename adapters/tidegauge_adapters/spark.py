"""`--adapter spark`: the library `tidegauge_spark` under test.

`--option engine=streaming` (the default) runs it in a streaming query on a real Spark, on `--option
master=URL`. `--option engine=tester` drives it through PySpark's `TwsTester`, without a JVM.
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import ClassVar

from pyspark.sql.datasource import DataSource
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from tidegauge import Adapter, Implementation, Scenario, Session, Transcript
from tidegauge import __version__ as tidegauge_version
from tidegauge.adapter import Layer
from tidegauge.components.valve.vocabulary import ValveSetup
from tidegauge.scenario import JobScenario, ValveScenario
from tidegauge.vocabulary import Setup
from tidegauge_spark import AlignedSource, ValveProcessor

from .java import require_java
from .spark_session import DEFAULT_MASTER, end_spark, is_local
from .streaming_jobs import CLOCK_STEP, StreamingJobs
from .streaming_valves import StreamingValves
from .tester_valves import TesterValves

OPTIONS = {
    "streaming": {"engine": "streaming", "master": DEFAULT_MASTER, "folder": ""},
    "tester": {"engine": "tester"},
}
"""The options of each engine, with their defaults."""

_AT_ONCE = 20_000
_OF_JOBS = ("job", "alignment", "restart")
_REMARKS = {
    "streaming": (
        "The processor runs in a streaming query with RocksDB state, in two micro-batches a scenario at "
        "least and with a restart from the checkpoint between them; a snapshot is a copy of the checkpoint. "
        "Jobs are streaming queries over the aligned source, on its virtual clock."
    ),
    "tester": "The processor runs in PySpark's TwsTester: Python code as in a query, but no query.",
}


class SparkAdapter(Adapter):
    """The valve and the aligned source of `tidegauge_spark`; a subclass may put another `processor` or
    `source` in their place. Whole jobs need the streaming engine.

    `folder` (default: memory, or the system's temporary folder) is where temporary files go; executors on
    other machines must see it too.
    """

    processor: ClassVar[type[StatefulProcessor]] = ValveProcessor
    source: ClassVar[type[DataSource]] = AlignedSource

    def __init__(self, options: Mapping[str, str]) -> None:
        engine = options.get("engine", "streaming")
        if engine not in OPTIONS:
            raise ValueError(f"unknown engine {engine!r}; known are {', '.join(OPTIONS)}")
        known = OPTIONS[engine]
        unknown = set(options) - set(known)
        if unknown:
            raise ValueError(
                f"unknown option {', '.join(sorted(unknown))}; engine={engine} knows {', '.join(known)}"
            )
        super().__init__({name: value for name, value in {**known, **options}.items() if value})
        self._engine = engine
        self._valves: TesterValves | StreamingValves = TesterValves(self.processor)
        self._jobs: StreamingJobs | None = None
        if engine == "streaming":
            require_java()
            folder = _folder(self.options.get("folder"))
            self._valves = StreamingValves(self.processor, self.options["master"], folder)
            self._jobs = StreamingJobs(self.source, self.options["master"], folder)

    def describe(self) -> Implementation:
        """The library, with the versions it runs on."""
        return Implementation(
            name="tidegauge_spark",
            version=f"{tidegauge_version} on PySpark {version('pyspark')}",
            capabilities=("valve", *_OF_JOBS, "snapshot", "int64")
            if self._jobs
            else ("valve", "snapshot", "int64"),
            layer=self._layer(),
            options=self.options,
            overshoot="none: a batch is never planned past the bound; with a drift below 2 ms one record",
            overshoot_ms=1,
            reaction_ms=CLOCK_STEP,
            one_process=self._engine == "streaming",
            remark=_REMARKS[self._engine],
        )

    def _layer(self) -> Layer:
        if self._engine == "tester":
            return "tester"
        return "streaming" if is_local(self.options["master"]) else "cluster"

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """Valves side by side, a key each, the batches being the groups of the scenarios; jobs one by one."""
        remaining = iter(scenarios)
        while several := list(islice(remaining, _AT_ONCE)):
            yield from self._valves.transcripts([one for one in several if isinstance(one, ValveScenario)])
            for job in several:
                if isinstance(job, JobScenario) and self._jobs is not None:
                    yield self._jobs.transcript(job)

    def session(self, setup: Setup) -> Session | None:
        """A valve that gets every step in a batch of its own; a streaming query is too slow for that."""
        assert isinstance(setup, ValveSetup)
        return self._valves.session(setup) if isinstance(self._valves, TesterValves) else None

    def close(self) -> None:
        """End the Spark of this process, if there is one."""
        if self._engine == "streaming":
            end_spark()


def _folder(option: str | None) -> Path | None:
    if option is None:
        return None
    folder = Path(option)
    if not folder.is_dir():
        raise ValueError(f"option folder: {option!r} is not a folder; make it, or name another")
    return folder.resolve()
