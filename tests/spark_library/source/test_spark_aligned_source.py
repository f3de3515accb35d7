"""The aligned source of tidegauge_spark: its reader driven as Spark drives it, then in real queries.

Expectations are worked out by hand. Numbers are timestamps in ms; the record of number n leaves its subtask
at watermark n - 1, and before its first record at first - 1.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from pyspark.cloudpickle import dumps
from pyspark.errors import AnalysisException
from pyspark.sql.types import StructType
from spark_programs.driven_query import DrivenQuery, WallClock, make_reader, read, spread, spread_of
from spark_programs.queries import SparkQueries, spark_queries, spreads

from tidegauge_spark import IllegalOptionError
from tidegauge_spark.decisions.durations import parse_duration
from tidegauge_spark.decisions.sources.bounds import share_out
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.aligned_source import AlignedSource
from tidegauge_spark.source.numbers.rows import ROWS_PER_ARROW_BATCH, SubtaskPartition
from tidegauge_spark.source.options.numbers import SOURCE_SCHEMA
from tidegauge_spark.source.options.source import parse_options
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError
from tidegauge_spark.spark_version import READ_LIMITS, ReadAllAvailable, ReadMaxRows, to_arrow_in_utc

FLIP_182 = {
    "numSubtasks": "4",
    "split": "repeat",
    "end": "60000",
    "recordsPerMillisecond.0": "1",
    "clockStep": "10 seconds",
}
ALIGNED = {"watermarkGroup": "group-1", "maxAllowedWatermarkDrift": "30 seconds"}


def flip_182(**changes: str) -> dict[str, str]:
    """Return the FLIP-182 job, a tenth of its size: drift 3 s, 6001 records each; one round a planning."""
    return {
        "numSubtasks": "4",
        "split": "repeat",
        "end": "6000",
        "recordsPerMillisecond__0": "1",
        "clockStep": "1 second",
        "watermarkGroup": "group-1",
        "maxAllowedWatermarkDrift": "3 seconds",
        "updateInterval": "1 millisecond",
        **changes,
    }


def in_rounds(**changes: str) -> dict[str, str]:
    """Return the same with a bound that a planning raises by what it has planned."""
    options = flip_182(**changes)
    del options["updateInterval"]
    return options


def lasts(query: DrivenQuery) -> list[int]:
    """Return the last number that is planned of each subtask."""
    return [subtask["next"] - 1 for subtask in query.offset["subtasks"]]


# ALIGN, SOURCE and JOB: the rules, batch by batch


def test_job_5_all_but_subtask_0_are_held_back() -> None:
    query = DrivenQuery(**flip_182())
    assert query.batch()
    assert lasts(query) == [999, 2999, 2999, 2999]  # the bound is -1 + 3000
    assert query.offset["bound"] == 2999
    assert query.batch()
    assert lasts(query) == [1999, 3998, 3998, 3998]  # 998 + 3000
    assert query.batch()
    assert lasts(query) == [2999, 4998, 4998, 4998]


@pytest.mark.slower
def test_a_source_alone_in_its_group_raises_the_bound_while_it_plans() -> None:
    query = DrivenQuery(**in_rounds())
    query.batch()
    assert lasts(query) == [999, 3998, 3998, 3998]
    catching_up = DrivenQuery(**in_rounds(recordsPerMillisecond__0="1000", end="999999"))
    catching_up.batch()
    assert lasts(catching_up) == [64 * 2999] * 4
    limited = DrivenQuery(**in_rounds(recordsPerMillisecond__0="100", maxRowsPerTrigger="30000"))
    limited.batch()
    assert sum(last + 1 for last in lasts(limited)) == min(30000, 4 * 6001)


def test_job_1_every_record_comes_out_once() -> None:
    query = DrivenQuery(**flip_182())
    query.run()
    assert [query.numbers(subtask) for subtask in range(4)] == [list(range(6001))] * 4


@pytest.mark.parametrize("options", [flip_182(), in_rounds()])
def test_job_2_the_spread_never_exceeds_the_drift(options: dict[str, str]) -> None:
    query = DrivenQuery(**options)
    while query.batch():
        assert spread(query.unfinished) <= 3000


def test_source_2_subtask_0_reads_all_that_is_readable() -> None:
    query = DrivenQuery(**flip_182())
    while query.batch():
        assert lasts(query)[0] == min(6000, query.now - 1)


def test_source_3_the_others_finish_as_soon_as_the_bound_admits_it() -> None:
    query = DrivenQuery(**flip_182())
    while query.batch():
        before = query.log[-2] if len(query.log) > 1 else query.start
        slowest = before["subtasks"][0]
        if not slowest["finished"]:
            assert lasts(query)[1:] == [min(6000, slowest["watermark"] + 3000)] * 3


def test_source_4_without_alignment_nobody_is_held_back() -> None:
    options = flip_182()
    del options["watermarkGroup"], options["maxAllowedWatermarkDrift"], options["updateInterval"]
    query = DrivenQuery(**options)
    query.batch()
    assert lasts(query) == [999, 6000, 6000, 6000]
    assert query.offset["bound"] is None
    query.run()
    assert [len(query.numbers(subtask)) for subtask in range(4)] == [6001] * 4


def test_job_6_in_the_literal_job_only_the_lowest_range_runs() -> None:
    query = DrivenQuery(**flip_182(split="range", end=str(MAX)))
    firsts = [subtask["first"] for subtask in query.start["subtasks"]]
    assert firsts == [0, 2**61, 2**62, 3 * 2**61]
    for batch in range(1, 5):
        assert query.batch()
        assert lasts(query) == [batch * 1000 - 1, *(first - 1 for first in firsts[1:])]


@pytest.mark.parametrize("drift", [0, 1, 2, 3])
def test_source_2_with_hardly_any_drift_the_slowest_reads_on(drift: int) -> None:
    query = DrivenQuery(
        **flip_182(end="20", clockStep="5 milliseconds", maxAllowedWatermarkDrift=f"{drift} milliseconds")
    )
    while query.batch():
        assert spread(query.unfinished) <= max(drift, 1)
    assert [query.numbers(subtask) for subtask in range(4)] == [list(range(21))] * 4


def test_a_bound_stands_for_the_update_interval() -> None:
    query = DrivenQuery(**flip_182(updateInterval="2 seconds"))
    for _ in range(5):
        query.batch()
    assert [offset["bound"] for offset in query.log] == [2999, 2999, 4998, 4998, 6998]
    query.restart()
    query.batch()
    assert query.offset["bound"] == 7998  # a new reader asks at once


def test_align_5_a_finished_subtask_is_not_waited_for() -> None:
    query = DrivenQuery(
        numSubtasks="3", split="repeat", end="1000", end__0="5", **_aligned("100 milliseconds")
    )
    query.run()
    assert [len(query.numbers(subtask)) for subtask in range(3)] == [6, 1001, 1001]


def test_align_5_when_all_are_finished_the_offset_stays() -> None:
    query = DrivenQuery(**flip_182(end="10"))
    query.run()
    assert all(subtask["finished"] for subtask in query.offset["subtasks"])
    assert query.reader.latestOffset(query.offset, query.limit) == query.offset


def test_subtasks_without_numbers_are_finished_from_the_beginning() -> None:
    query = DrivenQuery(numSubtasks="4", start="1", end="2", **_aligned("0 seconds"))
    assert [subtask["finished"] for subtask in query.start["subtasks"]] == [False, False, True, True]
    query.run()
    assert [record.number for record in query.records()] == [1, 2]


def test_the_ends_of_the_range_do_not_overflow() -> None:
    top = DrivenQuery(numSubtasks="2", split="repeat", start=str(MAX - 2), **_aligned("10 days"))
    top.run()
    assert top.numbers(0) == top.numbers(1) == [MAX - 2, MAX - 1, MAX]
    assert top.offset["bound"] == MAX
    bottom = DrivenQuery(
        numSubtasks="2", split="repeat", start=str(MIN), end=str(MIN + 2), **_aligned("1 millisecond")
    )
    assert bottom.watermarks == [MIN, MIN]
    bottom.run()
    assert bottom.numbers(0) == bottom.numbers(1) == [MIN, MIN + 1, MIN + 2]


def _aligned(drift: str) -> dict[str, str]:
    return {"watermarkGroup": "g", "maxAllowedWatermarkDrift": drift}


# Read limits


def test_a_limit_is_shared_evenly_and_what_one_cannot_use_goes_to_the_others() -> None:
    query = DrivenQuery(**flip_182(maxRowsPerTrigger="1600", clockStep="100 milliseconds"))
    assert query.limit == ReadMaxRows(1600)
    query.batch()
    assert lasts(query) == [99, 499, 499, 499]
    query.run()
    assert [len(query.numbers(subtask)) for subtask in range(4)] == [6001] * 4


def test_a_limit_of_one_row_starves_nobody() -> None:
    query = DrivenQuery(numSubtasks="3", end="8", maxRowsPerTrigger="1")
    query.run()
    assert [record.number for record in query.records()] == [0, 3, 6, 1, 4, 7, 2, 5, 8]


def test_read_all_available_ignores_the_option() -> None:
    query = DrivenQuery(**flip_182(maxRowsPerTrigger="1"))
    query.limit = ReadAllAvailable()
    query.batch()
    assert lasts(query) == [999, 2999, 2999, 2999]


@pytest.mark.parametrize("limit", ["ReadMinRows", "ReadMaxFiles", "ReadMaxBytes"])
def test_a_limit_that_does_not_count_rows_is_refused(limit: str) -> None:
    limits = pytest.importorskip("pyspark.sql.streaming.datasource")
    query = DrivenQuery(**flip_182())
    with pytest.raises(ValueError, match="maxRowsPerTrigger"):
        query.reader.latestOffset(query.start, getattr(limits, limit)(1))


def test_shares_use_up_the_limit_and_are_fair() -> None:
    draw = random.Random(1)
    for _ in range(500):
        count = draw.randint(1, 6)
        available = [draw.choice([0, 1, draw.randint(0, 50)]) for _ in range(count)]
        planned = [draw.randint(0, 9) for _ in range(count)]
        most = draw.randint(1, 100)
        left = list(available)

        def reading(index: int, left: list[int] = left) -> Callable[[int], int]:
            def take(rows: int) -> int:
                taken = min(rows, left[index])
                left[index] -= taken
                return taken

            return take

        counts = share_out([reading(index) for index in range(count)], planned, most)
        assert [had - rest for had, rest in zip(available, left, strict=True)] == counts
        assert sum(counts) == min(most, sum(available))
        assert all(0 <= got <= had for got, had in zip(counts, available, strict=True))
        short = [got for got, had in zip(counts, available, strict=True) if got < had]
        assert not short or max(counts) <= min(short) + 1


# Clocks, and what "available now" means


def test_the_virtual_clock_goes_on_when_nothing_can_be_read() -> None:
    query = DrivenQuery(end="1", recordsPerMillisecond__0="0.001", clockStep="400 milliseconds")
    query.run()
    assert [(record.number, record.planned_at) for record in query.records()] == [(0, 1200), (1, 2000)]
    assert [len(query.batches[batch]) for batch in range(5)] == [0, 0, 1, 0, 1]


def test_a_fractional_rate_is_exact() -> None:
    query = DrivenQuery(end="100", recordsPerMillisecond__0="0.3", clockStep="10 milliseconds")
    query.batch()
    assert query.numbers(0) == [0, 1, 2]


def test_on_the_wall_clock_nothing_new_is_the_same_offset() -> None:
    clock = WallClock()
    query = DrivenQuery(clock, available_now=False, end="10", recordsPerMillisecond__0="0.001")
    assert not query.batch()
    clock.now += 1000
    assert query.batch()
    assert [(record.number, record.planned_at) for record in query.records()] == [(0, 1000)]
    assert not query.batch()


def test_available_now_on_the_wall_clock_waits_and_does_not_end_early() -> None:
    clock = WallClock()
    query = DrivenQuery(clock, end="2", recordsPerMillisecond__0="0.004")
    assert query.batch()
    assert (query.now, query.records()) == (100, [])  # an empty batch: Spark is let go after 100 ms
    query.run()
    assert [(record.number, record.planned_at) for record in query.records()] == [
        (0, 250),
        (1, 500),
        (2, 750),
    ]


def test_available_now_does_not_end_early_though_the_clock_stands_still() -> None:
    clock = WallClock()
    query = DrivenQuery(clock, end="2", recordsPerMillisecond__0="1")
    clock.sleep = lambda seconds: None  # type: ignore[method-assign]
    query.restart()
    assert query.batch()
    assert query.now == 1


def test_the_wall_clock_counts_from_the_first_start_and_never_goes_back() -> None:
    clock = WallClock()
    query = DrivenQuery(clock, available_now=False, end="5000", recordsPerMillisecond__0="1")
    clock.now += 500
    query.batch()
    clock.now += 1000
    query.restart()
    query.batch()
    assert lasts(query) == [1499]
    clock.now -= 700
    assert not query.batch()
    assert query.now == 1500


def test_the_wall_clock_of_the_source_stands_still_when_the_real_one_is_put_back() -> None:
    clock = WallClock()
    query = DrivenQuery(clock, end="5000", maxRowsPerTrigger="1")
    for step in (500, -300, 400):
        clock.now += step
        query.batch()
    assert [(record.number, record.planned_at) for record in query.records()] == [
        (0, 500),
        (1, 500),
        (2, 600),
    ]


# JOB-4: crashes and restarts


def test_job_4_a_fresh_reader_replays_exactly_what_was_planned() -> None:
    query = DrivenQuery(**flip_182())
    query.batch()
    query.batch()
    fresh = make_reader(**flip_182())
    assert read(fresh, query.log[0], query.log[1]) == query.batches[1]
    assert fresh.latestOffset(query.log[1], query.limit) == query.reader.latestOffset(
        query.log[1], query.limit
    )


@pytest.mark.parametrize("seed", range(10))
def test_job_4_crashes_anywhere_lose_nothing_and_repeat_nothing(seed: int) -> None:
    draw = random.Random(seed)
    query = DrivenQuery(**flip_182(clockStep="300 milliseconds"))
    going = True
    while going:
        match draw.randrange(4):
            case 0:
                query.restart()
            case 1:
                query.reader.latestOffset(query.offset, query.limit)  # planned, and not logged
                query.restart()
            case 2:
                going = query.plan()
                query.restart()  # logged, and not read
            case 3:
                going = query.batch()
        assert spread_of(query.offset) <= 3000
    assert [query.numbers(subtask) for subtask in range(4)] == [list(range(6001))] * 4


def test_job_4_the_identity_is_made_once() -> None:
    query = DrivenQuery(**flip_182(end="10"))
    query.batch()
    query.restart()
    query.run()
    assert {record.source for record in query.records()} == {query.start["source"]}
    assert query.start["source"] != DrivenQuery(**flip_182()).start["source"]


@pytest.mark.parametrize("change", [{"numSubtasks": "3"}, {"end": "6001"}, {"start": "1"}])
def test_job_4_a_checkpoint_of_other_numbers_is_refused(change: dict[str, str]) -> None:
    query = DrivenQuery(**flip_182())
    query.batch()
    other = make_reader(**flip_182(**change))
    with pytest.raises(IllegalOffsetError, match="start with a new checkpoint folder"):
        other.latestOffset(query.offset, query.limit)
    with pytest.raises(IllegalOffsetError, match="set numSubtasks"):
        other.partitions(query.start, query.offset)


@pytest.mark.parametrize("stored", [{}, {"version": 2}, {"version": 1}, {"version": 1, "subtasks": 3}])
def test_an_offset_of_something_else_is_refused(stored: dict[str, Any]) -> None:
    with pytest.raises(IllegalOffsetError, match="checkpoint"):
        make_reader().latestOffset(stored, ReadAllAvailable())


@pytest.mark.parametrize("change", [{"now": 1}, {"bound": None}, {"checksum": 0}, {"subtasks": []}])
def test_a_damaged_offset_is_refused(change: dict[str, Any]) -> None:
    query = DrivenQuery(**flip_182())
    query.batch()
    with pytest.raises(IllegalOffsetError, match="checksum is wrong"):
        make_reader(**flip_182()).latestOffset({**query.offset, **change}, query.limit)


def test_an_offset_of_an_earlier_version_has_no_checksum() -> None:
    query = DrivenQuery(**flip_182())
    query.batch()
    without = {name: value for name, value in query.offset.items() if name != "checksum"}
    planned = make_reader(**flip_182()).latestOffset(without, query.limit)
    assert planned == query.reader.latestOffset(query.offset, query.limit)


# Rows


def test_rows_are_arrow_batches_of_the_declared_schema() -> None:
    partition = SubtaskPartition("s", 3, 70, 5, 6)
    (batch,) = make_reader().read(partition)
    assert batch.schema.equals(to_arrow_in_utc(SOURCE_SCHEMA))
    assert batch.to_pylist() == [
        {"source": "s", "subtask": 3, "number": number, "timestamp": number, "planned_at": 70}
        for number in (5, 6)
    ]


def test_big_ranges_are_read_in_chunks() -> None:
    batches = make_reader().read(SubtaskPartition("s", 0, 0, 0, MAX))
    first, second = next(batches), next(batches)
    assert first.num_rows == second.num_rows == ROWS_PER_ARROW_BATCH
    assert second["number"][0].as_py() == ROWS_PER_ARROW_BATCH
    sizes = [batch.num_rows for batch in make_reader().read(SubtaskPartition("s", 0, 0, MAX - 65_536, MAX))]
    assert sizes == [65_536, 1]


def test_the_column_source_can_be_named() -> None:
    query = DrivenQuery(end="1", sourceName="Kafka")
    query.run()
    assert {record.source for record in query.records()} == {"Kafka"}


# Options


def test_options_are_all_optional_and_their_case_does_not_matter() -> None:
    assert parse_options({"NUMSUBTASKS": "2", "RecordsPerMillisecond.1": "2"}) == parse_options(
        {"numSubtasks": "2", "recordspermillisecond.1": "2"}
    )
    (only,) = parse_options({}).sequences
    assert (only.first, only.last, only.records_per_millisecond) == (0, MAX, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"subtasks": "4"},
            "option subtasks = '4': there is no such option (did you mean numSubtasks?); there are numSubtasks,",
        ),
        ({"endd": "4"}, "option endd = '4': there is no such option (did you mean end?); there are"),
        ({"xyz": "4"}, "option xyz = '4': there is no such option; there are numSubtasks, start,"),
        ({"numSubtasks": "0"}, "option numSubtasks = '0': write a whole number from 1 to 10000"),
        ({"numSubtasks": "four"}, "option numSubtasks = 'four': write a whole number from 1 to 10000"),
        ({"end": str(MAX + 1)}, f"option end = '{MAX + 1}': write a whole number from {MIN} to {MAX}"),
        ({"end": "-1"}, "option end = '-1': it is included and must not be less than start, 0"),
        ({"split": "even"}, 'option split = \'even\': write "range" or "repeat"'),
        ({"end.0": "5"}, "option end.0 = '5': a range has one end; write split \"repeat\" or leave it out"),
        ({"end.1": "5", "split": "repeat"}, "option end.1 = '5': the subtasks are 0 to 0; correct the"),
        ({"end.x": "5", "split": "repeat"}, "option end.x = '5': the subtasks are 0 to 0; correct the"),
        ({"end.0": "-5", "split": "repeat"}, "option end.0 = '-5': it is included and must not be less"),
        ({"recordsPerMillisecond.0": "0"}, "option recordsPerMillisecond.0 = '0': write a number greater"),
        ({"recordsPerMillisecond.0": "fast"}, "option recordsPerMillisecond.0 = 'fast': write a number"),
        ({"recordsPerMillisecond": "1"}, "option recordsPerMillisecond = '1': there is no such option"),
        ({"watermarkGroup": "g"}, "option watermarkGroup = 'g': set maxAllowedWatermarkDrift as well, or"),
        (
            {"maxAllowedWatermarkDrift": "1 second"},
            "option maxAllowedWatermarkDrift = '1 second': set watermarkGroup as well, or leave",
        ),
        (
            {"watermarkGroup": "", "maxAllowedWatermarkDrift": "1 second"},
            "option watermarkGroup = '': it is empty",
        ),
        (
            {"watermarkGroup": "g", "maxAllowedWatermarkDrift": "-1 second"},
            "option maxAllowedWatermarkDrift = '-1 second': it is negative; write for example",
        ),
        (
            {"watermarkGroup": "g", "maxAllowedWatermarkDrift": "30"},
            "option maxAllowedWatermarkDrift = '30': it is not a number and a unit, such as",
        ),
        ({"clockStep": "1 month"}, "option clockStep = '1 month': it has the unknown unit 'month'; units"),
        ({"clockStep": "0 seconds"}, "option clockStep = '0 seconds': write a duration from 1 to"),
        ({"coordinator": "127.0.0.1:1/x"}, "option coordinator = '127.0.0.1:1/x': set watermarkGroup as"),
        (
            {**ALIGNED, "coordinator": "here"},
            "option coordinator = 'here': write the address that coordination() gave",
        ),
        ({**ALIGNED, "sourcesInGroup": "2"}, "option sourcesInGroup = '2': set coordinator to the address"),
        ({**ALIGNED, "sourcesInQuery": "2"}, "option sourcesInQuery = '2': set coordinator to the address"),
        (
            {**ALIGNED, "sourcesInQuery": "3", "sourcesInGroup": "2"},
            "option sourcesInGroup = '2': sourcesInQuery counts 3 of them already",
        ),
        ({"maxRowsPerTrigger": "0"}, "option maxRowsPerTrigger = '0': write a whole number from 1 to"),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(options: Mapping[str, str], message: str) -> None:
    with pytest.raises(IllegalOptionError) as refusal:
        AlignedSource(dict(options)).schema()
    assert str(refusal.value).startswith(message)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("30 seconds", 30_000),
        ("1 second", 1000),
        ("500 milliseconds", 500),
        ("1 minute 30 seconds", 90_000),
        ("1.5 seconds", 1500),
        ("INTERVAL 2 Hours", 7_200_000),
        ("10 Milliseconds", 10),
        ("1 week", 604_800_000),
        ("0 seconds", 0),
        ("30s", 30_000),
        ("100ms", 100),
        ("2min", 120_000),
        ("1m 30s", 90_000),
        ("1.5h", 5_400_000),
        ("1d", 86_400_000),
    ],
)
def test_durations_are_written_as_in_spark(text: str, milliseconds: int) -> None:
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "seconds",
        "-1 second",
        "1 -second",
        "1e3 seconds",
        "0.0001 seconds",
        "1 year",
        "1 2 s",
        "30",
        "5 ss",
        "1us",
    ],
)
def test_other_texts_are_no_durations(text: str) -> None:
    with pytest.raises(ValueError, match=r"^(is|has)"):
        parse_duration(text)


def test_a_schema_of_the_users_own_is_refused() -> None:
    with pytest.raises(IllegalOptionError, match=r"leave schema\(\) out"):
        AlignedSource({}).streamReader(StructType([SOURCE_SCHEMA["number"]]))


def test_a_reader_can_be_sent_to_executors() -> None:
    reader = pickle.loads(dumps(AlignedSource({"end": "3"}).streamReader(SOURCE_SCHEMA)))
    assert [batch.num_rows for batch in reader.read(SubtaskPartition("s", 0, 0, 0, 3))] == [4]


# On Spark


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


@pytest.mark.xdist_group("spark")
def test_spark_runs_the_flip_182_job(queries: SparkQueries) -> None:
    query = queries.run(queries.source(**FLIP_182, **ALIGNED), "flip-182")
    assert [query.numbers(subtask) for subtask in range(4)] == [list(range(60_001))] * 4
    first = [(rows.subtask, rows.numbers[-1]) for rows in query.rows() if rows.batch == 0]
    # Alone in its group the source raises the bound to what subtask 0 has reached, within the batch.
    assert first == [(0, 9_999), (1, 39_998), (2, 39_998), (3, 39_998)]
    second = [(rows.subtask, rows.numbers[-1]) for rows in query.rows() if rows.batch == 1]
    assert second == [(0, 19_999), (1, 49_998), (2, 49_998), (3, 49_998)]
    lasts = {(query.offsets()[0]["source"], subtask): 60_000 for subtask in range(4)}
    assert max(spreads(query.rows(), lasts)) == 29_999
    assert len(query.offsets()) == 7
    for rows in query.rows():
        assert rows.planned_at == (rows.batch + 1) * 10_000
        assert rows.subtask != 0 or rows.numbers[-1] == min(60_000, rows.planned_at - 1)


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_spark_without_alignment_runs_ahead(queries: SparkQueries) -> None:
    query = queries.run(queries.source(**FLIP_182), "unaligned")
    assert [query.numbers(subtask) for subtask in range(4)] == [list(range(60_001))] * 4
    assert [rows.numbers[-1] for rows in query.rows() if rows.batch == 0] == [9_999, 60_000, 60_000, 60_000]


@pytest.mark.xdist_group("spark")
def test_spark_reads_on_after_a_subtask_has_finished(queries: SparkQueries) -> None:
    source = queries.source(
        numSubtasks="3", split="repeat", end="1000", end__0="5", **_aligned("500 milliseconds")
    )
    query = queries.run(source, "finished")
    assert [len(query.numbers(subtask)) for subtask in range(3)] == [6, 1001, 1001]


@pytest.mark.xdist_group("spark")
def test_spark_reads_only_the_lowest_range_of_the_literal_job(queries: SparkQueries) -> None:
    options = {**FLIP_182, **ALIGNED, "split": "range", "end": str(MAX), "clockStep": "1 second"}
    query = queries.start(queries.source(**options), "literal", available_now=False)
    query.stop_after(3)
    assert query.numbers(0)[:3000] == list(range(3000))
    assert {rows.subtask for rows in query.rows()} == {0}


@pytest.mark.xdist_group("spark")
def test_spark_goes_on_from_the_checkpoint(queries: SparkQueries) -> None:
    source = queries.source(**flip_182())
    first = queries.start(source, "restarted")
    first.stop_after(2)
    second = queries.run(source, "restarted")
    rows = {(each.batch, each.subtask): each.numbers for each in [*first.rows(), *second.rows()]}
    for subtask in range(4):
        numbers = [number for key, found in sorted(rows.items()) if key[1] == subtask for number in found]
        assert numbers == list(range(6001))
    assert len({offset["source"] for offset in second.offsets()}) == 1
    assert all(spread_of(offset) <= 3000 for offset in second.offsets())
    assert min(each.batch for each in second.rows()) >= 1


@pytest.mark.skipif(not READ_LIMITS.exists, reason="Trigger.AvailableNow in several batches: PySpark 4.2")
@pytest.mark.xdist_group("spark")
def test_spark_does_not_end_early_on_the_wall_clock(queries: SparkQueries) -> None:
    options = {**flip_182(end="300", maxAllowedWatermarkDrift="50 milliseconds")}
    del options["clockStep"]
    query = queries.run(queries.source(**options), "wall")
    assert [query.numbers(subtask) for subtask in range(4)] == [list(range(301))] * 4
    assert all(rows.numbers[-1] < rows.planned_at for rows in query.rows() if rows.subtask == 0)


@pytest.mark.xdist_group("spark")
def test_spark_refuses_wrong_options_when_the_source_is_loaded(queries: SparkQueries) -> None:
    with pytest.raises(AnalysisException, match="option watermarkGroup = 'g': set maxAllowedWatermarkDrift"):
        queries.source(watermarkGroup="g")
