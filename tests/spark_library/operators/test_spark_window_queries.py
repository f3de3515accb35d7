"""Windows in real queries: records of any columns and keys, aggregates of users, and what comes out.

What is expected is computed by pandas, or by plain Python, from the records that were written.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.functions import col

from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import (
    SessionWindows,
    SlidingWindows,
    TumblingWindows,
    WindowSettings,
    run_valves,
    run_windows,
)
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.operators.aggregates import (
    Aggregate,
    ArrowAggregate,
    PandasAggregate,
    RecordAggregate,
    count,
    max_of,
    mean_of,
    min_of,
    sum_of,
    values_of,
)
from tidegauge_spark.operators.operator_input import operator_input, run_operator_input
from tidegauge_spark.spark_version import ROW_PROCESSORS

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(not ROW_PROCESSORS.exists, reason="the operators need PySpark 4.1"),
]

PROGRESS = "progress struct<source: string, subtask: int, kind: string, timestamp: bigint>"
START = datetime(2026, 1, 1, tzinfo=UTC)
Marks = list[tuple[str, int | None]]


@pytest.fixture(scope="module", name="spark")
def _spark() -> Iterator[SparkSession]:
    session = running_spark().session
    zone = session.conf.get("spark.sql.session.timeZone")
    session.conf.set("spark.sql.session.timeZone", "America/New_York")  # the packed columns do not care
    yield session
    session.conf.set("spark.sql.session.timeZone", str(zone))


def milliseconds(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def frame(spark: SparkSession, schema: str, records: list[tuple[Any, ...]], marks: Marks) -> DataFrame:
    """Return records and what a source says in band; the first column is the event time, a timestamp."""
    width = schema.count(":") + 1 if not records else len(records[0])
    rows = [
        (*record, ("s", 0, "record", None if record[0] is None else milliseconds(record[0])))
        for record in records
    ]
    rows += [(*[None] * width, ("s", 0, kind, timestamp)) for kind, timestamp in marks]
    return spark.createDataFrame(rows, f"{schema}, {PROGRESS}")


def windows(
    rows: DataFrame,
    settings: WindowSettings,
    aggregates: dict[str, Aggregate],
    subtasks: int = 2,
    **arguments: Any,
) -> DataFrame:
    inputs = run_operator_input(operator_input(rows, {"s": 1}, subtasks, **arguments), 1)
    return run_windows(inputs, settings, aggregates)


def results(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.kind == "result"]


# Aggregates


def test_sliding_windows_by_two_keys_are_what_pandas_makes_of_them(spark: SparkSession) -> None:
    draw = np.random.default_rng(3)
    size, slide = timedelta(minutes=3), timedelta(minutes=1)
    records = [
        (
            START + timedelta(milliseconds=int(draw.choice([draw.integers(0, 1_200_000), 60_000, 240_000]))),
            [None, "north", "south"][int(draw.integers(0, 3))],
            int(draw.integers(0, 4)),
            None if draw.random() < 0.1 else int(draw.integers(-50, 50)),
            float(draw.normal()),
        )
        for _ in range(3_000)
    ]
    schema = "at timestamp, region string, shelf int, amount bigint, factor double"
    aggregates: dict[str, Aggregate] = {
        "records": count(),
        "amounts": count("amount"),
        "total": sum_of("amount"),
        "mean": mean_of("amount"),
        "first": min_of("at"),
        "most": max_of("factor"),
        "ordered": values_of("amount"),
        "distinct": RecordAggregate(
            "amount",
            zero=set,
            add=lambda seen, amount: seen | {amount},
            merge=lambda one, other: one | other,
            result=len,
            result_type="int",
        ),
        "longest": PandasAggregate(
            "amount",
            "factor",
            partial=lambda frame: (frame["amount"] * frame["factor"]).max(),
            merge=np.fmax,
            result=float,
            result_type="double",
        ),
        "squares": ArrowAggregate(
            "factor",
            partial=lambda table: pc.sum(pc.power(table["factor"], 2)).as_py(),
            merge=lambda one, other: one + other,
            result=lambda total: total,
            result_type="double",
        ),
    }
    renamed = {("n" if name == "records" else name): each for name, each in aggregates.items()}
    found = windows(
        frame(spark, schema, records, [("watermark", MAX)]),
        WindowSettings(SlidingWindows(180_000, 60_000)),
        renamed,
        key=["region", "shelf"],
    ).collect()
    table = pd.DataFrame(records, columns=["at", "region", "shelf", "amount", "factor"])
    copies = []
    for back in range(size // slide):
        starts = table["at"].dt.floor("min") - back * slide
        copies.append(table.assign(start=starts))
    expected = {}
    for (start, region, shelf), group in pd.concat(copies).groupby(
        ["start", "region", "shelf"], dropna=False
    ):
        amounts = group["amount"].dropna()
        expected[start, None if pd.isna(region) else region, shelf] = (
            len(group),
            len(amounts),
            sum(amounts) if len(amounts) else None,
            amounts.mean() if len(amounts) else None,
            group["at"].min(),
            group["factor"].max(),
            sorted(amounts),
            group["amount"].nunique(dropna=True) + int(group["amount"].isna().any()),
            (group["amount"] * group["factor"]).max(),
            (group["factor"] ** 2).sum(),
        )
    fired = results(found)
    assert len(fired) == len(expected) > 200
    for row in fired:
        start = row.window_start.astimezone(UTC)
        assert row.window_end - row.window_start == size
        wanted = expected.pop((pd.Timestamp(start), row.region, row.shelf))
        got = [row[name] for name in renamed]
        got[4] = pd.Timestamp(got[4].astimezone(UTC))
        exact = (0, 1, 2, 4, 5, 6, 7)
        assert [got[place] for place in exact] == [wanted[place] for place in exact]
        for place in (3, 8, 9):
            assert got[place] == pytest.approx(wanted[place], nan_ok=True)
    assert not expected
    assert {row.subtask for row in fired} == {"0", "1"}
    assert not any(row.retraction for row in fired)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("double", [float("nan"), 1.5, None, float("nan"), 0.0, -0.0]),
        ("decimal(20,3)", [Decimal("1.500"), None, Decimal("1.5")]),
        ("date", [date(2026, 1, 1), None, date(1, 1, 1)]),
        ("timestamp", [START + timedelta(microseconds=1), START, None]),
        ("binary", [b"\x00", b"", None]),
        ("bigint", [2**53 + 1, 2**53, None]),
        ("struct<a: int, b: array<string>>", [Row(a=1, b=["x", None]), Row(a=None, b=[]), None]),
        ("boolean", [True, None, False, True]),
    ],
)
def test_a_key_may_have_any_type_and_null_is_a_key(spark: SparkSession, kind: str, values: list[Any]) -> None:
    records = [(START, value) for value in values]
    found = windows(
        frame(spark, f"at timestamp, k {kind}", records, [("watermark", MAX)]),
        WindowSettings(TumblingWindows(60_000)),
        {"n": count()},
        key="k",
    ).collect()

    def text(value: Any) -> str:
        if isinstance(value, datetime):
            return repr(value.astimezone(UTC))
        if isinstance(value, float):
            return repr(value + 0.0)
        if isinstance(value, Decimal):
            return repr(value.normalize())
        return repr(bytes(value) if isinstance(value, bytearray) else value)

    expected = Counter(map(text, values))
    assert {text(row.k): row.n for row in results(found)} == expected


# What goes through as it came


def test_records_without_event_time_come_out_with_all_their_columns_as_they_were(spark: SparkSession) -> None:
    schema = (
        "at timestamp, whole bigint, small tinyint, exact decimal(38,10), moment timestamp, wall timestamp_ntz, "
        "numbers array<bigint>, by_name map<string, int>, nested struct<a: struct<b: double>>, `dotted.name` string"
    )
    wall = datetime(9999, 12, 31, 23, 59, 59, 999999)
    records: list[tuple[Any, ...]] = [
        (
            None,
            2**53 + 1,
            -128,
            Decimal("12345678901234567890.0123456789"),
            START + timedelta(microseconds=123_457),
            wall,
            [1, None, 2**62],
            {"a": 1, "b": None},
            ((None,),),
            "x",
        ),
        (None, None, None, None, None, None, None, None, None, None),
    ]
    rows = frame(spark, schema, records, [("watermark", 5), ("idle", None)])
    found = windows(
        rows, WindowSettings(TumblingWindows(10)), {"n": count()}, subtasks=1, event_time="at"
    ).collect()
    assert [row.kind for row in found] == ["refused", "refused", "watermark", "idle"]
    came = rows.where("progress.kind = 'record'").drop("progress").collect()
    assert [row.record for row in found[:2]] == came
    assert found[2].watermark == 5


# Streaming


def sessions_of(moments: list[int], gap: int) -> Counter[tuple[int, int, int]]:
    """Return start, end and number of records of the sessions of one key, by plain Python (ms)."""
    found: list[list[int]] = []
    for moment in sorted(moments):
        if found and moment <= found[-1][1]:
            found[-1][1:] = [moment + gap, found[-1][2] + 1]
        else:
            found.append([moment, moment + gap, 1])
    return Counter((start, end, number) for start, end, number in found)


@pytest.mark.slower
def test_sessions_over_a_restart_with_lateness_and_retractions(spark: SparkSession, tmp_path: Path) -> None:
    """Four batches, a restart after each: what is left after retractions is what all timely records make."""
    gap, lateness, step = 700, 30_000, 20_000
    draw = np.random.default_rng(5)
    settings = WindowSettings(
        SessionWindows(gap), allowed_lateness=lateness, accumulation="accumulating-and-retracting"
    )
    schema = f"at timestamp, customer string, cents decimal(9,2), {PROGRESS}"
    (tmp_path / "log").mkdir()
    stream = spark.readStream.schema(schema).parquet(str(tmp_path / "log"))
    frame_of_windows = windows(
        stream,
        settings,
        {"n": count(), "revenue": sum_of("cents")},
        key="customer",
        event_time="at",
    )
    found: list[Row] = []
    written: list[tuple[int, str, Decimal]] = []
    watermark = -(2**63)
    late: list[tuple[int, str, Decimal]] = []
    for batch in range(4):
        # Not where sessions are just over: a record there may touch one that is no longer kept.
        over = batch * step - lateness
        moments = batch * step + draw.integers(-60_000, step, 150)
        moments = moments[np.abs(moments - over) > 2 * gap]
        records = [
            (
                START + timedelta(milliseconds=int(moment)),
                str(draw.integers(0, 4)),
                Decimal(int(moment)) / 100,
            )
            for moment in moments
        ]
        end = milliseconds(START) + (batch + 1) * step - 1
        rows = frame(
            spark, "at timestamp, customer string, cents decimal(9,2)", records, [("watermark", end)]
        )
        rows.coalesce(1).write.mode("append").parquet(str(tmp_path / "log"))
        first = len(found)
        query = (
            frame_of_windows.writeStream.foreachBatch(lambda each, _: found.extend(each.collect()))
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        came = [(milliseconds(at), customer, cents) for at, customer, cents in records]
        put_aside = [
            (milliseconds(row.record.at.astimezone(UTC)), row.record.customer, row.record.cents)
            for row in found[first:]
            if row.kind == "late"
        ]
        assert set(put_aside) <= set(came)
        # Late is only a record whose own session is over.
        assert all(moment + gap - 1 + lateness <= watermark for moment, _, _ in put_aside)
        late += put_aside
        written += came
        watermark = end
    assert len(late) > 5
    assert any(row.retraction for row in results(found))
    left: Counter[tuple[str, int, int, int]] = Counter()
    revenue: Counter[str] = Counter()
    for row in results(found):
        sign = -1 if row.retraction else 1
        start, end = (milliseconds(each.astimezone(UTC)) for each in (row.window_start, row.window_end))
        left[row.customer, start, end, row.n] += sign
        revenue[row.customer] += sign * row.revenue
    assert set(left.values()) <= {0, 1}
    timely = Counter(written) - Counter(late)
    for customer in {each for _, each, _ in written}:
        own = [each for each in timely.elements() if each[1] == customer]
        # Only sessions that the watermark has reached have a result.
        expected = [
            each for each in sessions_of([moment for moment, _, _ in own], gap) if each[1] - 1 <= watermark
        ]
        got = [each[1:] for each, times in left.items() if each[0] == customer and times]
        assert sorted(got) == sorted(expected)
        in_results = [each for each in own if any(s <= each[0] < e for s, e, _ in expected)]
        assert revenue[customer] == sum(cents for _, _, cents in in_results)


# What cannot be


def refused(spark: SparkSession) -> dict[str, Callable[[], Any]]:
    rows = frame(spark, "at timestamp, customer string, cents bigint, tags map<string, int>", [], [])
    settings = WindowSettings(TumblingWindows(10))
    return {
        "names the column 'shop', which the records do not have": lambda: operator_input(
            rows, {"s": 1}, key="shop"
        ),
        "the key 'tags' is or has a map": lambda: operator_input(rows, {"s": 1}, key="tags"),
        "the key 'some' is or has a map": lambda: operator_input(
            rows.selectExpr("array(struct(tags)) AS some", "progress"), {"s": 1}, key="some"
        ),
        "the key 'name' is string collate UTF8_LCASE; windows compare bytes": lambda: operator_input(
            rows.selectExpr("customer COLLATE UTF8_LCASE AS name", "progress"), {"s": 1}, key="name"
        ),
        "the event time 'customer' is string": lambda: operator_input(rows, {"s": 1}, event_time="customer"),
        "at least one subtask, not 0": lambda: operator_input(rows, {"s": 1}, 0),
        "no column 'records' with packed records": lambda: run_operator_input(rows, 1),
        "channels = 4: the inputs have 3, one for each subtask of the sources": lambda: run_operator_input(
            operator_input(rows, {"s": 2, "t": 1}), 4
        ),
        "the steps have no column 'channels' (int); they have valve, kind": lambda: run_valves(
            spark.createDataFrame([("v", "idle")], "valve string, kind string")
        ),
        "needs numbers; the column 'customer' is string": lambda: windows(
            rows, settings, {"n": sum_of("customer")}
        ),
        "names the column 'money'": lambda: windows(rows, settings, {"n": max_of("money")}),
        "the aggregate 'n' is 5": lambda: windows(rows, settings, {"n": 5}),  # type: ignore[dict-item]
        "the column 'customer' is there twice": lambda: windows(
            rows, settings, {"customer": count()}, key="customer"
        ),
        "the result type 'whole' is no type of Spark": lambda: windows(
            rows,
            settings,
            {"n": RecordAggregate(zero=int, add=int, merge=max, result=int, result_type="whole")},
        ),
        "the column 'watermark' is there twice": lambda: windows(rows, settings, {"watermark": count()}),
    }


def test_a_source_that_is_not_named_is_said(spark: SparkSession) -> None:
    rows = frame(spark, "at timestamp", [], [("watermark", 5)])
    (row,) = operator_input(rows, {"another": 1, "s": 1}).collect()
    assert (row.kind, row.channel, row.timestamp) == ("watermark", 1, 5)
    with pytest.raises(PythonException, match=r"no source subtask among \{'another': 1\}; name every source"):
        operator_input(rows, {"another": 1}).collect()


def test_what_does_not_fit_is_one_line_before_the_query_starts(spark: SparkSession) -> None:
    for message, call in refused(spark).items():
        with pytest.raises(IllegalArgumentError) as caught:
            call()
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_row_without_progress_is_not_lost_in_silence(spark: SparkSession) -> None:
    rows = frame(spark, "at timestamp", [(START,)], [("watermark", MAX)])
    foreign = rows.limit(1).selectExpr(
        "at", "CAST(NULL AS STRUCT<" + PROGRESS.split("<", 1)[1] + ") AS progress"
    )
    with pytest.raises(PythonException) as caught:
        windows(rows.union(foreign), WindowSettings(TumblingWindows(10)), {"n": count()}).collect()
    assert "a row has no kind in its progress column" in str(caught.value)


@pytest.mark.parametrize(
    ("aggregate", "message"),
    [
        (sum_of("whole"), "the aggregate 'n' has a result that is no bigint"),
        (
            PandasAggregate("whole", partial=len, merge=max, result=str, result_type="int"),
            "the aggregate 'n' has a result that is no int",
        ),
    ],
)
def test_a_result_that_its_type_does_not_have_ends_the_query(
    spark: SparkSession, aggregate: Aggregate, message: str
) -> None:
    records = [(START, 2**63 - 1), (START, 1)]
    rows = frame(spark, "at timestamp, whole bigint", records, [("watermark", MAX)])
    with pytest.raises(PythonException) as caught:
        windows(rows, WindowSettings(TumblingWindows(10)), {"n": aggregate}).collect()
    assert message in str(caught.value)


def test_a_mean_whose_sum_is_beyond_64_bits_is_right(spark: SparkSession) -> None:
    records = [(START, 2**63 - 1), (START, 2**63 - 1), (START, None)]
    rows = frame(spark, "at timestamp, whole bigint", records, [("watermark", MAX)])
    found = windows(rows, WindowSettings(TumblingWindows(10)), {"n": mean_of("whole")}).collect()
    assert [row.n for row in results(found)] == [2.0**63]


def test_nan_is_larger_than_all_numbers_as_in_spark(spark: SparkSession) -> None:
    records = [(START, math.nan), (START, 1.0), (START, None), (START + timedelta(seconds=1), math.nan)]
    rows = frame(spark, "at timestamp, x double", records, [("watermark", MAX)])
    found = windows(
        rows, WindowSettings(TumblingWindows(1_000)), {"least": min_of("x"), "most": max_of("x")}
    ).collect()
    own = (
        rows.where("progress.kind = 'record'").groupBy("at").agg({"x": "min"}).orderBy("at").collect(),
        rows.where("progress.kind = 'record'").groupBy("at").agg({"x": "max"}).orderBy("at").collect(),
    )
    fired = sorted(results(found), key=lambda row: row.window_start)
    assert [repr(row.least) for row in fired] == [repr(row[1]) for row in own[0]]
    assert [repr(row.most) for row in fired] == [repr(row[1]) for row in own[1]]


def test_columns_of_the_result_have_the_types_that_users_expect(spark: SparkSession) -> None:
    rows = frame(spark, "at timestamp, customer string, cents decimal(9,2)", [], [])
    found = windows(
        rows,
        WindowSettings(TumblingWindows(10)),
        {"revenue": sum_of("cents"), "last": max_of("at")},
        key="customer",
    ).select(col("customer"), "window_start", "window_end", "revenue", "last", "retraction", "record.cents")
    assert found.schema.simpleString() == (
        "struct<customer:string,window_start:timestamp,window_end:timestamp,revenue:decimal(19,2),last:timestamp,"
        "retraction:boolean,cents:decimal(9,2)>"
    )
