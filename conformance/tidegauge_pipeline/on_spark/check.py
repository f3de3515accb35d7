"""An event log judged on Spark: parts apart, each by one task; what overlaps too much is sorted by Spark
first."""

from __future__ import annotations

import heapq
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from tidegauge.wire.scenario import BadInput

from ..event_log.alignment import STEPS, Alignment, spread
from ..event_log.chunks import Chunk, Part
from ..event_log.findings import DECODER, ENCODER, OperatorFindings, together
from ..event_log.in_process import Judge
from ..event_log.order import BY
from ..event_log.schema import ROWS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TASKS_OF_A_CORE: Final = 4
_NAMES = {"int32": "int", "int64": "bigint", "string": "string"}

_WORK: Final = "work binary"
_ANSWER: Final = pa.schema([("what", pa.string()), ("payload", pa.binary()), *STEPS])
"""`findings` and `bad` have a payload; a `step` has the other columns."""

_BATCH: Final = 1 << 17

Batches = Iterable[Any]


def _ddl(schema: Any) -> str:
    names = {**_NAMES, "binary": "binary"}
    return ", ".join(f"{field.name} {names[str(field.type)]}" for field in schema)


def judged_on_spark(
    spark: SparkSession, parts: Sequence[Part], alignment: Alignment | None, skips: bool
) -> tuple[list[OperatorFindings], list[str]]:
    """What the parts of a log show, and what is wrong with files that were skipped. Raises `BadInput`."""
    answers = _answers(spark, [_found_anywhere(part) for part in parts], alignment, skips)
    if alignment is not None:
        answers = answers.persist()
    findings, bad = [], []
    for what, payload in answers.where("what != 'step'").select("what", "payload").collect():
        if what == "findings":
            findings.append(DECODER.decode(bytes(payload)))
        else:
            bad.append(bytes(payload).decode())
    if bad and not skips:
        raise BadInput(min(bad))
    if bad and not any(found.rows for found in findings):
        raise BadInput(f"no file of the log could be read; the first: {min(bad)}")
    if alignment is not None:
        findings += _spreads(answers, alignment)
    return together(findings), sorted(set(bad))


def _found_anywhere(part: Part) -> Part:
    """The part by whole paths: executors have working directories of their own."""
    files = {
        chunk.file: replace(chunk.file, path=path.absolute() if isinstance(path, Path) else path)
        for chunk in part.chunks
        for path in [chunk.file.path]
    }
    return replace(part, chunks=tuple(replace(chunk, file=files[chunk.file]) for chunk in part.chunks))


def _answers(
    spark: SparkSession, parts: Sequence[Part], alignment: Alignment | None, skips: bool
) -> DataFrame:
    apart = [part for part in parts if part.is_sortable]
    answers = _work(spark, _balanced(apart, spark)).mapInArrow(
        _each(lambda work: _judge_parts(work, alignment, skips)), _ddl(_ANSWER)
    )
    overlapping = [[chunk] for part in parts if not part.is_sortable for chunk in part.chunks]
    if not overlapping:
        return answers
    # a chunk that cannot be read is told of by the answers of its own task, and has no rows
    rows = _work(spark, overlapping).mapInArrow(_each(_rows_of_chunks), _ddl(ROWS))
    sorted_rows = rows.repartition(*BY[:3]).sortWithinPartitions(*BY)
    return answers.union(_work(spark, overlapping).mapInArrow(_each(_problems), _ddl(_ANSWER))).union(
        sorted_rows.mapInArrow(lambda batches: _judge_rows(batches, alignment), _ddl(_ANSWER))
    )


def _balanced(parts: Sequence[Part], spark: SparkSession) -> list[list[Part]]:
    """The parts in lists of about the same number of rows, some for each core."""
    many = min(len(parts), _TASKS_OF_A_CORE * spark.sparkContext.defaultParallelism)
    lists: list[list[Part]] = [[] for _ in range(many)]
    least = [(0, number) for number in range(many)]
    for part in sorted(parts, key=lambda part: -part.rows):
        rows, number = heapq.heappop(least)
        lists[number].append(part)
        heapq.heappush(least, (rows + part.rows, number))
    return lists


def _work(spark: SparkSession, lists: Sequence[Sequence[Any]]) -> DataFrame:
    """A frame with one task for each of the lists."""
    rows = [(pickle.dumps(one),) for one in lists]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, max(1, len(rows))), _WORK)


def _each(of_work: Callable[[Any], Iterator[Any]]) -> Callable[[Batches], Iterator[Any]]:
    """A function for `mapInArrow` from one of what is in a row of work."""

    def mapped(batches: Batches) -> Iterator[Any]:
        for batch in batches:
            for one in batch.column(0).to_pylist():
                yield from of_work(pickle.loads(one))

    return mapped


def _judge_parts(parts: Sequence[Part], alignment: Alignment | None, skips: bool) -> Iterator[Any]:
    judge = Judge(alignment, skips=True)
    for part in parts:
        judge.add(part)
        if judge.bad and not skips:
            break
    yield from _told(judge, alignment)


def _judge_rows(batches: Batches, alignment: Alignment | None) -> Iterator[Any]:
    judge = Judge(alignment)
    for batch in batches:
        judge.add_rows(pa.Table.from_batches([batch], ROWS))
    yield from _told(judge, alignment)


def _rows_of_chunks(chunks: Sequence[Chunk]) -> Iterator[Any]:
    judge = Judge(skips=True)
    for chunk in chunks:
        yield from judge.read(chunk).to_batches(_BATCH)


def _problems(chunks: Sequence[Chunk]) -> Iterator[Any]:
    """What is wrong with chunks that cannot be read."""
    judge = Judge(skips=True)
    for chunk in chunks:
        judge.read(chunk)
    yield _answer("bad", [text.encode() for text in judge.bad.values()])


def _told(judge: Judge, alignment: Alignment | None) -> Iterator[Any]:
    yield _answer("findings", [ENCODER.encode(found) for found in judge.findings()])
    yield _answer("bad", [text.encode() for text in judge.bad.values()])
    if alignment is not None:
        for batch in judge.steps().to_batches(_BATCH):
            number = batch.num_rows
            what, payload = pa.repeat("step", number), pa.nulls(number, pa.binary())
            yield pa.RecordBatch.from_arrays([what, payload, *batch.columns], schema=_ANSWER)


def _answer(what: str, payloads: Sequence[bytes]) -> Any:
    number = len(payloads)
    columns = [pa.repeat(what, number), pa.array(payloads, pa.binary())]
    columns += [pa.nulls(number, field.type) for field in STEPS]
    return pa.RecordBatch.from_arrays(columns, schema=_ANSWER)


def _spreads(answers: DataFrame, alignment: Alignment) -> list[OperatorFindings]:
    """The alignment of the sources of each job, judged by one task for a job."""
    steps = answers.where("what = 'step'").select(*STEPS.names).repartition("job")
    ordered = steps.sortWithinPartitions("job", "moment", "source", "subtask")
    found = ordered.mapInArrow(lambda batches: _judge_steps(batches, alignment), "payload binary").collect()
    return [DECODER.decode(bytes(payload)) for (payload,) in found]


def _judge_steps(batches: Batches, alignment: Alignment) -> Iterator[Any]:
    tables = (pa.Table.from_batches([batch], STEPS) for batch in batches)
    payloads = [ENCODER.encode(found) for found in spread(tables, alignment)]
    yield pa.RecordBatch.from_arrays([pa.array(payloads, pa.binary())], names=["payload"])
