"""Faults under real queries: workers that die, damaged checkpoints, files and splits.

What planning and reading say of each fault is in `test_spark_files_faults.py` and
`test_spark_aligned_source.py`, reader by reader. Here it is what the user of a query sees of them. Killed drivers:
`test_spark_kills.py`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from pyspark import cloudpickle
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.streaming import StreamingQuery
from spark_programs import kill_points
from spark_programs.driven_files import PLAIN, write_json, write_parquet, write_table
from spark_programs.kill_points import (
    READING,
    WORKER_DIED,
    Kill,
    KilledSource,
)
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries

from tidegauge_spark import register
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.source.aligned_source import FORMAT

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


# A worker dies


@pytest.mark.slower
def test_a_worker_that_dies_fails_the_query_if_tasks_are_not_repeated(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """In `local[2]` a task may not fail once; in `local[2,4]`, above, it is repeated."""
    counts = tmp_path / "counts"
    counts.mkdir()

    class DyingSource(KilledSource):
        kill = Kill("none", 1, 0, counts, worker_dies=READING)

        @classmethod
        def name(cls) -> str:
            return "dying"

    cloudpickle.register_pickle_by_value(kill_points)
    try:
        queries.session.dataSource.register(DyingSource)
        options = {"end": "30000", "maxRowsPerTrigger": "20000"}
        dying = queries.session.readStream.format("dying").options(**options).load()
    finally:
        cloudpickle.unregister_pickle_by_value(kill_points)
    first = queries.start(dying, "dying")
    with pytest.raises(StreamingQueryException, match="Python worker exited unexpectedly"):
        first.wait()
    assert (counts / WORKER_DIED).exists()
    assert first.rows() == []
    second = queries.run(queries.source(**options), "dying")
    assert second.numbers(0) == list(range(30_001))


# Two queries begin at the same moment


def test_a_query_adds_no_entry_to_the_environment_that_all_queries_of_a_source_share(
    queries: SparkQueries,
) -> None:
    """Two that add one at the same moment break the map: `OptionalDataException` in each task thereafter."""

    def environment() -> set[str]:
        known = queries.session._jsparkSession.sessionState().dataSourceManager().lookupDataSource(FORMAT)
        return set(known.dataSourceCls().envVars())

    register(queries.session)
    registered = environment()
    assert queries.run(queries.source(end="10"), "environment").numbers(0) == list(range(11))
    assert environment() == registered


# What is on disk is damaged


class Outcome(NamedTuple):
    """How a query has ended: what it says, nothing if it did not fail; and the event times that came out."""

    error: str
    times: list[Any]


AT_ONCE = 2
"""How many queries start at the same time at most. Each starts a Python process, which must answer Spark within
ten seconds: many at once do not, on a machine that is busy with something else."""


class Faults:
    """Folders of logs and checkpoints, each with something wrong, and the queries over them."""

    def __init__(self, queries: SparkQueries, folder: Path) -> None:
        self.queries, self.folder = queries, folder
        self._running: dict[str, tuple[StreamingQuery, list[Any]]] = {}
        self._ended: dict[str, Outcome] = {}

    def start(self, name: str, log: str, checkpoint: Path | None = None, **options: str) -> None:
        """Start a query over a log, once few others run: see `AT_ONCE`."""
        path = str(self.folder / log)
        self.start_of(name, self.queries.source(path=path, eventTimeColumn="time", **options), checkpoint)

    def start_of(self, name: str, frame: DataFrame, checkpoint: Path | None = None) -> None:
        if len(self._running) == AT_ONCE:
            self._wait_for(next(iter(self._running)))
        times: list[Any] = []

        def take(frame: DataFrame, _: int) -> None:
            times.extend(frame.toArrow().column(0).to_pylist())

        writer = frame.writeStream.foreachBatch(take).trigger(availableNow=True)
        writer = writer.option("checkpointLocation", str(checkpoint or self.checkpoint(name)))
        self._running[name] = writer.start(), times

    def checkpoint(self, name: str) -> Path:
        return self.folder / "checkpoints" / name

    def copied(self, original: str, name: str) -> Path:
        """Return a copy of a checkpoint, of a query with another identity, without Spark's checksums."""
        copy = shutil.copytree(self.checkpoint(original), self.checkpoint(name))
        for checksum in copy.rglob(".*.crc"):
            checksum.unlink()
        (copy / "metadata").write_text(json.dumps({"id": str(uuid.uuid4())}))
        return copy

    def damaged(self, name: str, damage: Callable[[str], str]) -> Path:
        """Return a copy of the checkpoint "whole" whose last offset is damaged."""
        copy = self.copied("whole", name)
        last = max((copy / "offsets").glob("[0-9]*"), key=lambda file: int(file.name))
        content = last.read_text()
        last.write_text(damage(content))
        assert last.read_text() != content
        return copy

    def ended(self) -> dict[str, Outcome]:
        """Wait for the queries that still run; return how all have ended."""
        for name in list(self._running):
            self._wait_for(name)
        return self._ended

    def _wait_for(self, name: str) -> None:
        query, times = self._running.pop(name)
        error = ""
        try:
            assert query.awaitTermination(PATIENCE), name
        except StreamingQueryException as exception:
            error = str(exception)
        self._ended[name] = Outcome(error, times)


@pytest.fixture(scope="module", name="outcomes")
def _outcomes(queries: SparkQueries, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    faults = Faults(queries, tmp_path_factory.mktemp("faults"))
    folder = faults.folder
    for log in ("whole", "vanished"):
        for split in "xy":
            write_parquet(folder / log, split, "a", range(10))
    faults.start("whole", "whole", maxRowsPerTrigger="8")
    faults.start("vanished", "vanished", maxRowsPerTrigger="8")
    faults.start_of("numbers", queries.source(end="9"))
    assert [outcome.error for outcome in faults.ended().values()] == ["", "", ""]

    write_parquet(folder / "whole", "x", "b", [10])
    write_parquet(folder / "vanished", "x", "b", [10])
    shutil.rmtree(folder / "vanished" / "y")
    faults.start("goes on", "whole", faults.copied("whole", "goes on"))
    for name, damage in _DAMAGES.items():
        faults.start(name, "whole", faults.damaged(name, damage))
    faults.start("of numbers", "whole", faults.copied("numbers", "of numbers"))
    faults.start_of("of files", queries.source(end="9"), faults.copied("whole", "of files"))
    faults.start("of another path", "vanished", faults.copied("whole", "of another path"))
    faults.start("split", "vanished", faults.copied("vanished", "split"))
    left_out = faults.copied("vanished", "split, left out")
    faults.start("split, left out", "vanished", left_out, failOnDataLoss="false")

    cut = write_parquet(folder / "cut off", "x", "b", range(10))
    cut.write_bytes(cut.read_bytes()[:-20])
    write_parquet(folder / "cut off", "x", "a", range(10))
    faults.start("cut off", "cut off")
    write_parquet(folder / "not Parquet", "x", "a", range(10))
    (folder / "not Parquet" / "x" / "b").write_text("time\n1\n")
    faults.start("not Parquet", "not Parquet")
    _write_undecodable(folder / "undecodable")
    faults.start("undecodable", "undecodable")
    write_parquet(folder / "invalid", "x", "a", [1, None, MAX, 2])
    faults.start("invalid", "invalid")
    faults.start("invalid, let through", "invalid", failOnInvalidTimestamp="false")
    write_json(folder / "invalid JSON", "x", "a", [{"time": 1}, {"id": 1}, {"time": None}, {"time": MAX}])
    faults.start("invalid JSON", "invalid JSON", fileFormat="json")
    tolerant = {"fileFormat": "json", "failOnInvalidTimestamp": "false"}
    faults.start("invalid JSON, let through", "invalid JSON", **tolerant)
    return faults.ended()


_DAMAGES: dict[str, Callable[[str], str]] = {
    "changed": lambda content: content.replace('"now": ', '"now": 1'),
    "shortened": lambda content: content[:-40],
    "empty": lambda content: "",
}


def _write_undecodable(folder: Path) -> None:
    """Write a file whose event times can be read, and another column cannot."""
    table = pa.table({"time": range(5000), "id": range(5000)})
    file = write_table(folder, "x", "a", table)
    column = parquet.ParquetFile(file).metadata.row_group(0).column(1)
    begin, size = column.dictionary_page_offset, column.total_compressed_size
    content = file.read_bytes()
    file.write_bytes(content[:begin] + b"\xff" * size + content[begin + size :])


_NEW = "start with a new checkpoint folder"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("changed", r"the checkpoint has an offset that was damaged \(its checksum is wrong\): restore the "),
        ("of numbers", f"the checkpoint has an offset that is not one of a source over files .*: {_NEW}"),
        ("of files", f"the checkpoint has an offset that is not one of this source .*: {_NEW}"),
        (
            "of another path",
            f"the checkpoint is of path '.*/whole', .* the options say '.*/vanished'.*{_NEW}",
        ),
        ("split", "the folder '.*/vanished/y' of a split has vanished; bring it back, or set failOnDataLoss"),
        (
            "cut off",
            "the file '.*/x/b' is not Parquet, or is damaged or cut off .*: replace it by a whole one",
        ),
        (
            "not Parquet",
            "the file '.*/x/b' is not Parquet, or is damaged or cut off .*: replace it by a whole",
        ),
        (
            "undecodable",
            "the file '.*/x/a' is not Parquet, or is damaged or cut off .*: replace it by a whole",
        ),
        (
            "invalid",
            "row 1, counted from 0, of the file '.*/x/a' has no valid event time in the column 'time'",
        ),
        ("invalid JSON", "row 1, counted from 0, of the file '.*/x/a' has no valid event time in the column"),
    ],
)
def test_the_user_of_a_query_is_told_in_one_line_what_is_wrong(
    outcomes: dict[str, Outcome], name: str, message: str
) -> None:
    assert re.search(rf"^tidegauge_spark\.[\w.]+Error: {message}", outcomes[name].error, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "message"), [("shortened", "JSONDecodeError"), ("empty", "Incomplete log file")]
)
def test_a_checkpoint_that_is_cut_off_is_refused(
    outcomes: dict[str, Outcome], name: str, message: str
) -> None:
    assert message in outcomes[name].error
    assert outcomes[name].times == []


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("goes on", [10]),
        ("split, left out", [10]),
        ("invalid, let through", [1, None, MAX, 2]),
        ("invalid JSON, let through", [1, None, None, MAX]),
    ],
)
def test_what_is_allowed_comes_through(outcomes: dict[str, Outcome], name: str, times: list[Any]) -> None:
    assert outcomes[name] == ("", times)


# What was wrong is mended


@pytest.mark.slower
def test_when_each_fault_is_mended_the_query_continues_and_no_row_is_lost(
    queries: SparkQueries, tmp_path: Path
) -> None:
    """A file that is cut off, one that is deleted half read, one of another type, one without the event time."""
    log, rows = tmp_path / "log", range(10)
    files = {
        f"{split}/{name}": write_parquet(log, split, name, [10 * place + row for row in rows])
        for place, (split, name) in enumerate((s, n) for s in "xy" for n in "abc")
    }
    written: dict[int, list[Any]] = {}

    def take(frame: DataFrame, batch: int) -> None:
        written[batch] = frame.toArrow()["time"].to_pylist()

    def run() -> str:
        """Run the query; return the line with which it fails."""
        options = {"path": str(log), "eventTimeColumn": "time", "maxRowsPerTrigger": "8"}
        frame = queries.session.readStream.format(FORMAT).schema(PLAIN).options(**options).load()
        writer = frame.writeStream.foreachBatch(take).trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
        try:
            assert query.awaitTermination(PATIENCE)
        except StreamingQueryException as error:
            return next(line for line in str(error).splitlines() if line.startswith("tidegauge_spark."))
        return ""

    def column(name: str, values: Any) -> Callable[[Path, Any], None]:
        def write(file: Path, table: Any) -> None:
            at = table.schema.get_field_index(name) if name in table.column_names else 0
            renamed = table.set_column(at, name, values(table))
            parquet.write_table(renamed, file)

        return write

    faults: list[tuple[str, Callable[[Path, Any], Any], str]] = [
        (
            "x/b",
            lambda file, _: os.truncate(file, file.stat().st_size - 20),
            "is not Parquet, or is damaged or",
        ),
        (
            "x/a",
            lambda file, _: file.unlink(),
            "has vanished after 8 of its rows were read; bring it back, or",
        ),
        (
            "y/b",
            column("id", lambda table: table["id"].cast(pa.string())),
            "is string, and cannot be read as",
        ),
        ("x/c", column("when", lambda table: table["time"]), "has no column 'time', which eventTimeColumn"),
    ]
    whole: dict[str, bytes] = {}
    for name, damage, message in faults:
        whole[name] = files[name].read_bytes()
        damage(files[name], parquet.read_table(files[name]))
        said = run()
        assert f"{files[name]}' " in said, said
        assert message in said, said
        if name != "x/b":  # which stays cut off until the next fault, in the file before it, is mended
            files[name].write_bytes(whole[name])
        if name == "x/a":
            files["x/b"].write_bytes(whole["x/b"])
    assert run() == ""
    came = [time for batch in written.values() for time in batch]
    assert sorted(came) == list(range(60))
