"""The aligned source as PySpark before 4.2 calls it: the same calls with any PySpark, and real queries with that one."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from pyspark.cloudpickle import dumps
from spark_programs.driven_query import DrivenQuery, make_reader, read, through_json

from tidegauge_spark import spark_version
from tidegauge_spark.source.backlog_listener import _said
from tidegauge_spark.source.planning.reader_before_limits import ReaderBeforeLimits
from tidegauge_spark.source.query_triggers import AVAILABLE_NOW, ONCE
from tidegauge_spark.spark_version import READ_LIMITS, ROW_PROCESSORS, PySparkVersionError

pytestmark = pytest.mark.xdist_group("spark")

OPTIONS = {"end": "29", "maxRowsPerTrigger": "10"}


class OldQuery:
    """A query as PySpark before 4.2 runs it. Measured: latestOffset, initialOffset, partitions, latestOffset, commit;
    after a restart the partitions of the batch that was logged last, from its end to its end."""

    def __init__(self, trigger: str = "ProcessingTimeTrigger", **options: str) -> None:
        self.trigger, self.options = trigger, {**OPTIONS, **options}
        self.log: list[dict[str, Any]] = []
        self.numbers: list[int] = []
        self.start()

    def start(self) -> None:
        self.reader: Any = ReaderBeforeLimits(make_reader(**self.options), lambda: self.trigger)
        if self.log:
            assert list(self.reader.partitions(self.log[-1], self.log[-1])) == []

    def batch(self) -> bool:
        end = through_json(self.reader.latestOffset())
        if json.dumps(end) == json.dumps(self.log[-1] if self.log else None):
            return False
        if not self.log:
            self.log.append(through_json(self.reader.initialOffset()))
        self.numbers += [each.number for each in read(self.reader, self.log[-1], end)]
        self.log.append(end)
        self.reader.commit(end)
        return True

    def run(self) -> None:
        while self.batch():
            assert len(self.log) < 100


def test_a_batch_begins_where_the_one_before_has_ended() -> None:
    query = OldQuery()
    query.run()
    assert query.numbers == list(range(30))
    assert len(query.log) == 4


@pytest.mark.parametrize("batches", [1, 2, 3])
def test_a_restart_continues_behind_the_last_logged_batch(batches: int) -> None:
    query = OldQuery()
    for _ in range(batches):
        query.batch()
    query.start()
    query.run()
    assert query.numbers == list(range(30))


def test_the_offset_has_the_progress_beside_it() -> None:
    query = OldQuery()
    query.batch()
    shown = query.log[-1]
    assert (shown["watermark"], shown["heldBy"]) == (8, ["0"])
    assert _said(json.dumps(shown)) == _said(json.dumps(shown["offset"]))


def test_once_reads_everything_in_one_batch() -> None:
    query = OldQuery(ONCE)
    query.batch()
    assert query.numbers == list(range(30))


def test_available_now_reads_everything_in_one_batch() -> None:
    query = OldQuery(AVAILABLE_NOW)
    query.batch()
    assert query.numbers == list(range(30))


def test_available_now_is_refused_where_one_batch_does_not_read_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spark_version, "PYSPARK", "4.1.4")
    query = OldQuery(AVAILABLE_NOW, recordsPerMillisecond__0="0.000001")
    with pytest.raises(
        PySparkVersionError, match=r"^Trigger\.AvailableNow .* PySpark 4\.2 or later, and PySpark 4\.1\.4 "
    ):
        query.batch()


def test_a_later_version_continues_the_checkpoint() -> None:
    old, new = OldQuery(), DrivenQuery(available_now=False, **OPTIONS)
    old.batch()
    new.start = old.log[-1]
    new.run()
    assert old.numbers + new.numbers(0) == list(range(30))


def test_an_earlier_version_continues_the_checkpoint() -> None:
    old, new = OldQuery(), DrivenQuery(available_now=False, **OPTIONS)
    new.batch()
    old.log.append(new.offset)
    old.start()
    old.run()
    assert new.numbers(0) + old.numbers == list(range(30))


def test_the_reader_is_pickled() -> None:
    reader = ReaderBeforeLimits(make_reader(**OPTIONS), str)
    assert isinstance(pickle.loads(dumps(reader)), ReaderBeforeLimits)


@pytest.mark.parametrize(
    ("version", "limits", "rows"),
    [("4.0.5", False, False), ("4.1.4", False, True), ("4.2.1", True, True), ("4.10.0.dev0", True, True)],
)
def test_what_a_version_can_do(
    monkeypatch: pytest.MonkeyPatch, version: str, limits: bool, rows: bool
) -> None:
    monkeypatch.setattr(spark_version, "PYSPARK", version)
    assert (READ_LIMITS.exists, ROW_PROCESSORS.exists) == (limits, rows)


def test_what_a_version_cannot_do_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_version, "PYSPARK", "4.0.5")
    with pytest.raises(PySparkVersionError) as refused:
        ROW_PROCESSORS.require("the operators need", "use others")
    assert str(refused.value) == (
        "the operators need PySpark 4.1 or later, and PySpark 4.0.5 is installed: use others, or "
        "pip install 'pyspark>=4.1'"
    )
