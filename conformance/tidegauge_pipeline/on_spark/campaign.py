"""A campaign on Spark: each task draws, runs and judges one chunk and writes its file."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import pyarrow as pa

from tidegauge.engine.worker_process import WorkerProcess
from tidegauge.wire.scenario import BadInput

from ..campaign.chunks import judged_chunk
from ..campaign.specification import Chunk, Specification
from ..campaign.worker import worker_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_WORK: Final = "chunk binary"
_ANSWER: Final = pa.schema([("chunk", pa.string()), ("problem", pa.string())])
_SECONDS_BETWEEN_LOOKS: Final = 0.5

Batches = Iterable[Any]

_engines: dict[str, WorkerProcess] = {}
"""The process of the engine of this Python worker, which serves one task after the other."""


def judged_on_spark(
    spark: SparkSession,
    specification: Specification,
    chunks: Sequence[Chunk],
    folder: Path,
    done: Callable[[int], None],
) -> None:
    """Judge chunks, a task each, or all in one task if the engine is too heavy for several processes.

    `folder` must be the same for all executors. `done` is called with the number of scenarios judged. Raises
    `BadInput`.
    """
    if not chunks:
        return
    rows = [(msgspec.json.encode(chunk),) for chunk in chunks]
    one = 1 if specification.implementation.one_process else len(rows)
    frame = spark.createDataFrame(spark.sparkContext.parallelize(rows, one), _WORK)
    document, place = msgspec.json.encode(specification), str(folder)

    def judge(batches: Batches) -> Iterator[Any]:
        return _judge(batches, document, place)

    sizes = [chunk.stop - chunk.start for chunk in chunks]
    of_tasks = sizes if one > 1 else [sum(sizes)]
    answers = _with_progress(
        spark,
        lambda: frame.mapInArrow(judge, "chunk string, problem string").collect(),
        lambda finished: done(sum(of_tasks[finished[0] : finished[1]])),
    )
    problems = sorted({problem for _, problem in answers if problem is not None})
    if problems:
        raise BadInput(problems[0])


def _judge(batches: Batches, document: bytes, place: str) -> Iterator[Any]:
    """Judge the chunks of a task, on its executor."""
    specification = msgspec.json.decode(document, type=Specification)
    engine = _engine_of(specification)
    for batch in batches:
        chunks = [msgspec.json.decode(one, type=Chunk) for one in batch.column(0).to_pylist()]
        problems: list[str | None] = []
        for chunk in chunks:
            try:
                judged_chunk(chunk, specification, engine, Path(place))
                problems.append(None)
            except BadInput as problem:
                problems.append(str(problem))
        yield pa.RecordBatch.from_arrays(
            [pa.array([c.id for c in chunks]), pa.array(problems, pa.string())], schema=_ANSWER
        )


def _engine_of(specification: Specification) -> WorkerProcess:
    key = specification.digest
    if key not in _engines:
        for other in _engines.values():
            other.close()
        _engines.clear()
        _engines[key] = worker_of(specification)
        atexit.register(_engines[key].close)
    return _engines[key]


def _with_progress(
    spark: SparkSession, action: Callable[[], list[Any]], done: Callable[[tuple[int, int]], None]
) -> list[Any]:
    """What an action gives; `done` is called with how many tasks were finished before, and are now."""
    found: list[list[Any]] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(action())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    known = 0
    tracker = spark.sparkContext.statusTracker()
    while thread.is_alive():
        thread.join(_SECONDS_BETWEEN_LOOKS)
        for stage in tracker.getActiveStageIds():
            information = tracker.getStageInfo(stage)
            if information is not None and information.numCompletedTasks > known:
                done((known, information.numCompletedTasks))
                known = information.numCompletedTasks
    if failed:
        raise failed[0]
    return found[0]
