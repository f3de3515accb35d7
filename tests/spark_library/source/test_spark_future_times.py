"""Event times far beyond the clock, under the calls that Spark makes: what the guard lets through, and where."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from spark_programs.driven_files import DrivenFiles, aligned, write_json, write_parquet
from spark_programs.driven_log import DrivenLog
from spark_programs.driven_query import WallClock
from test_spark_own_log import MemoryLog

from tidegauge_spark import BrokenLogError
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.options.source import parse_options

NOW = WallClock().now
START = NOW - 100_000
"""Event times begin a hundred seconds before the clock of a query."""

HOUR = 3_600_000
YEAR_2100 = 4_102_444_800_000
PLACES = {"first": 0, "middle": 2, "last": 5}
GUARD = {"maxFutureEventTime": "1 hour"}


def times_with_future(place: str, step: int = 1_000) -> list[int]:
    """Return six event times a second apart, one of which is the year 2100, at a place."""
    times = [START + n * step for n in range(6)]
    times[PLACES[place]] = YEAR_2100
    return times


def latest(query: DrivenFiles, split: str) -> int:
    """The greatest event time (ms) that moves the watermark of a split."""
    return int(query.offset["splits"][split][9])


@pytest.mark.parametrize("alignment", ["aligned", "not aligned"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("row_group", [2, 100])
def test_a_row_of_the_future_passes_and_moves_no_watermark(
    tmp_path: Path, place: str, alignment: str, row_group: int
) -> None:
    write_parquet(tmp_path, "wrong", "a", times_with_future(place), row_group)
    write_parquet(tmp_path, "wrong", "b", [START + 60_000])
    write_parquet(tmp_path, "right", "a", [START + n * 10_000 for n in range(8)])
    options = {**GUARD, **(aligned(5_000) if alignment == "aligned" else {})}
    query = DrivenFiles(tmp_path, WallClock(), maxRowsPerTrigger="3", **options)
    query.run()
    assert query.times("wrong") == [*times_with_future(place), START + 60_000]
    assert query.times("right") == [START + n * 10_000 for n in range(8)]
    assert latest(query, "wrong") == START + 60_000


@pytest.mark.parametrize("place", PLACES)
def test_the_guard_fails_where_it_is_told_to(tmp_path: Path, place: str) -> None:
    write_parquet(tmp_path, "wrong", "a", times_with_future(place), 2)
    query = DrivenFiles(tmp_path, WallClock(), onFutureEventTime="fail", **GUARD)
    with pytest.raises(BrokenLogError) as refused:
        query.run()
    line = str(refused.value)
    assert f"row {PLACES[place]}, counted from 0, of the file '{tmp_path / 'wrong' / 'a'}' of split" in line
    assert "'wrong' has the event time 2100-01-01T00:00:00.000Z" in line
    assert "27,806.1 days beyond the clock; maxFutureEventTime allows 3600000 ms" in line
    assert 'set onFutureEventTime to "pass"' in line
    assert "\n" not in line


def test_json_is_guarded_as_parquet_is(tmp_path: Path) -> None:
    records = [{"time": time, "id": 0} for time in times_with_future("first")]
    write_json(tmp_path, "wrong", "a", records)
    query = DrivenFiles(tmp_path, WallClock(), fileFormat="json", **GUARD, **aligned(1_000))
    query.run()
    assert query.times("wrong") == times_with_future("first")
    assert latest(query, "wrong") == START + 5_000


def test_without_the_option_one_warning_tells_what_is_wrong(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_parquet(tmp_path, "near", "a", [NOW + 23 * HOUR])
    write_parquet(tmp_path, "wrong", "a", [START, YEAR_2100])
    write_parquet(tmp_path, "wrong", "b", [YEAR_2100 + 1])
    query = DrivenFiles(tmp_path, WallClock())
    with caplog.at_level(logging.WARNING, "tidegauge_spark"):
        query.run()
    (record,) = caplog.records
    assert "row 1, counted from 0, of the file" in record.getMessage()
    assert "2100-01-01T00:00:00.000Z (4102444800000 ms), 27,806.1 days beyond" in record.getMessage()
    assert latest(query, "wrong") == YEAR_2100 + 1


def test_what_passes_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_parquet(tmp_path, "wrong", "a", [YEAR_2100, START, YEAR_2100], 1)
    with caplog.at_level(logging.WARNING, "tidegauge_spark"):
        DrivenFiles(tmp_path, WallClock(), **GUARD).run()
    (record,) = caplog.records
    assert "such rows pass, and move no watermark" in record.getMessage()


def test_a_row_is_of_the_future_only_until_its_time_has_come(tmp_path: Path) -> None:
    """The block was read, and kept, while the row was still in the future."""
    clock = WallClock()
    write_parquet(tmp_path, "x", "a", [START, NOW + 2 * HOUR])
    write_parquet(tmp_path, "y", "a", [START])
    query = DrivenFiles(tmp_path, clock, available_now=False, maxRowsPerTrigger="2", **GUARD)
    assert query.batch()
    clock.now += HOUR
    assert query.batch()
    assert latest(query, "x") == NOW + 2 * HOUR


def test_the_clock_of_the_guard_is_the_one_on_the_wall(tmp_path: Path) -> None:
    """The virtual clock begins at 0: by that one all event times of today would be in the future."""
    write_parquet(tmp_path, "x", "a", [START, YEAR_2100])
    query = DrivenFiles(tmp_path, WallClock(), clockStep="1 second", **GUARD)
    query.run()
    assert latest(query, "x") == START


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_a_log_is_guarded_as_files_are(place: str, indexed: bool) -> None:
    times = times_with_future(place)
    records = {"a": dict(enumerate(times)), "b": {n: START + n * 1_000 for n in range(40)}}
    options = parse_options({**GUARD, **aligned(2_000)}, own=())
    query = DrivenLog(options, MemoryLog(records, indexed=indexed))
    query.run()
    assert sorted(query.column("at")) == sorted([*times, *records["b"].values()])
    assert query.latest()[-1]["a"] == max(time for time in times if time != YEAR_2100)


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_a_log_fails_where_it_is_told_to(place: str, indexed: bool) -> None:
    """Also where an index leads further than the driver reads event times."""
    times = [START + n for n in range(100)]
    position = {"first": 0, "middle": 50, "last": 99}[place]
    times[position] = YEAR_2100
    options = parse_options({**GUARD, "onFutureEventTime": "fail"}, own=())
    query = DrivenLog(options, MemoryLog({"a": dict(enumerate(times))}, indexed=indexed))
    with pytest.raises(
        BrokenLogError, match=f"position {position} of split 'a' has the event time 2100-01-01"
    ):
        query.run()


def test_options_that_say_nothing_are_refused() -> None:
    with pytest.raises(IllegalOptionError, match="set maxFutureEventTime as well"):
        parse_options({"path": "x", "eventTimeColumn": "at", "onFutureEventTime": "fail"})
    with pytest.raises(IllegalOptionError, match='write "pass" or "fail"'):
        parse_options({"path": "x", "eventTimeColumn": "at", "onFutureEventTime": "drop", **GUARD})
    with pytest.raises(IllegalOptionError, match="set path as well"):
        parse_options(dict(GUARD))
    assert json.dumps(parse_options({"path": "x", "eventTimeColumn": "at", **GUARD}).files.future) == (
        "[3600000, false]"
    )
