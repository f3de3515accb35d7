"""The windows of tidegauge_spark beside plain Python that takes one record after the other and keeps all values.

Batches, keys, settings and restarts are drawn; times are in milliseconds.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import Row
from pyspark.sql.streaming.tws_tester import TwsTester
from pyspark.sql.types import ArrayType, DoubleType, LongType, StringType, StructField, StructType

from tidegauge_spark import SessionWindows, SlidingWindows, TumblingWindows, WindowSettings
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.windows import windows as decisions
from tidegauge_spark.decisions.windows.windows import Windows
from tidegauge_spark.operators.aggregates import (
    ArrowAggregate,
    RecordAggregate,
    count,
    max_of,
    min_of,
    sum_of,
    values_of,
)
from tidegauge_spark.operators.record_columns import RecordColumns, packed, unpacked
from tidegauge_spark.operators.window import WINDOW_INPUT_SCHEMA, WindowProcessor

Record = tuple[int | None, float | None, str | None, int | None]
Key = tuple[Any, ...]

RECORDS = RecordColumns(
    StructType(
        [StructField("x", DoubleType()), StructField("s", StringType()), StructField("v", LongType())]
    ),
    ("x", "s"),
)


def grown(values: list[Any], *more: Any) -> list[Any]:
    """The same list with more in it: accumulators that are shared by mistake would show."""
    values.extend(more)
    return values


AGGREGATES = {
    "n": count(),
    "total": sum_of("v"),
    "least": min_of("v"),
    "most": max_of("v"),
    "ordered": values_of("v"),
    "all": RecordAggregate(
        "v",
        zero=list,
        add=grown,
        merge=lambda one, other: grown(one, *other),
        result=lambda values: values,
        result_type=ArrayType(LongType()),
    ),
    "rows": ArrowAggregate(
        "v",
        partial=lambda table: [table.num_rows],
        merge=lambda one, other: grown(one, *other),
        result=sum,
        result_type=LongType(),
    ),
}


@dataclass
class Content:
    values: list[int | None] = field(default_factory=list)
    standing: list[tuple[Any, ...]] = field(default_factory=list)


class BruteForce:
    """Windows by the rules WIN-1 to WIN-15; outputs are tuples."""

    def __init__(self, settings: WindowSettings) -> None:
        self.settings = settings
        self.time = MIN
        self.windows: dict[Key, dict[tuple[int, int], Content]] = {}

    def record(self, moment: int | None, key: Key, value: int | None) -> list[Key]:
        if moment is None or not MIN < moment < MAX:
            return [("refused",)]
        own = self.windows.setdefault(key, {})
        assigner = self.settings.assigner
        if isinstance(assigner, SessionWindows):
            met = sorted(each for each in own if each[0] <= moment + assigner.gap and moment <= each[1])
            start = min([moment, *(each[0] for each in met)])
            end = max([moment + assigner.gap, *(each[1] for each in met)])
            if self.is_reached(end - 1 + self.settings.allowed_lateness):
                return [("late",)]
            joined = Content()
            for each in met:
                content = own.pop(each)
                joined.values += content.values
                joined.standing += content.standing
            own[start, end] = joined
            found = [(start, end)]
        else:
            slide = assigner.slide if isinstance(assigner, SlidingWindows) else assigner.size
            last = (moment - assigner.offset) // slide * slide + assigner.offset
            starts = range(last, moment - assigner.size, -slide)
            all_of_them = [(start, start + assigner.size) for start in reversed(starts)]
            lateness = self.settings.allowed_lateness
            found = [each for each in all_of_them if not self.is_reached(each[1] - 1 + lateness)]
            if not found and self.is_reached(moment + lateness):
                return [("late",)]
        outputs = []
        for window in found:
            own.setdefault(window, Content()).values.append(value)
            if self.settings.trigger == "per-record" or self.is_reached(window[1] - 1):
                outputs += self.fire(key, window)
        return outputs

    def watermark(self, moment: int) -> list[Key]:
        if moment <= self.time:
            return []
        before, self.time = self.time, moment
        kept = [(end, start, key) for key, own in self.windows.items() for start, end in own]
        outputs = []
        for end, start, key in sorted(kept, key=lambda each: each[:2]):
            if self.settings.trigger == "event-time" and before < end - 1 <= moment:
                outputs += self.fire(key, (start, end))
            if self.is_reached(end - 1 + self.settings.allowed_lateness):
                del self.windows[key][start, end]
        return [*outputs, ("watermark", moment)]

    def fire(self, key: Key, window: tuple[int, int]) -> list[Key]:
        content = self.windows[key][window]
        result = (*window, len(content.values), sorted(each for each in content.values if each is not None))
        outputs = [("retract", key, *each) for each in content.standing]
        content.standing = []
        if self.settings.accumulation == "discarding":
            content.values = []
        elif self.settings.accumulation == "accumulating-and-retracting":
            content.standing = [result]
        return [*outputs, ("fire", key, *result)]

    def is_reached(self, moment: int) -> bool:
        return min(moment, MAX) <= self.time


def comparable(x: float | None, s: str | None) -> Key:
    """A key as it is the same: all NaN are, and zero with any sign."""
    return ("NaN" if x is not None and math.isnan(x) else None if x is None else x + 0.0, s)


def by_watermark(outputs: list[Key]) -> list[Any]:
    """Outputs from watermark to watermark: of each key in their order, and how many were late or refused."""
    found: list[Any] = [({}, Counter())]
    for output in outputs:
        if output[0] == "watermark":
            found += [output, ({}, Counter())]
        elif output[0] in ("fire", "retract"):
            found[-1][0].setdefault(output[1], []).append(output)
        else:
            found[-1][1][output[0]] += 1
    return found


def outputs_of(rows: list[Row], processor: WindowProcessor) -> list[Key]:
    outputs: list[Key] = []
    position = 0
    for row in rows:
        if row.kind != "results":
            own: Key = ("watermark", row.timestamp) if row.kind == "watermark" else (row.kind,)
            outputs += [own] if row.kind == "watermark" else [own] * row.records
            continue
        for each in unpacked(row.results, processor.results.packed_schema).to_pylist():
            assert each["position"] == position
            position += 1
            ordered = each["ordered"]
            assert each["total"] == (sum(ordered) if ordered else None)
            assert (each["least"], each["most"]) == ((ordered[0], ordered[-1]) if ordered else (None, None))
            assert sorted(value for value in each["all"] if value is not None) == ordered
            assert len(each["all"]) == each["rows"] == each["n"]
            kind = "retract" if each["retraction"] else "fire"
            key = comparable(each["x"], each["s"])
            outputs.append((kind, key, each["window_start"], each["window_end"], each["n"], ordered))
    return outputs


def drawn_settings(draw: random.Random) -> WindowSettings:
    assigner: Any = draw.choice(
        [
            TumblingWindows(draw.choice([1, 4, 10]), draw.choice([0, -3, 17])),
            SlidingWindows(draw.choice([5, 7, 10]), draw.choice([1, 2, 5, 13]), draw.choice([0, 3])),
            SessionWindows(draw.choice([1, 3, 6])),
        ]
    )
    return WindowSettings(
        assigner,
        draw.choice([0, 0, 4, 20, MAX]),
        draw.choice(["event-time", "event-time", "event-time", "per-record"]),
        draw.choice(["discarding", "accumulating", "accumulating-and-retracting"]),
    )


def drawn_records(draw: random.Random, now: int) -> list[Record]:
    keys = [0.0, -0.0, math.nan, None, 1.5]
    return [
        (
            None if draw.random() < 0.02 else now + draw.randint(-25, 15),
            draw.choice(keys),
            draw.choice([None, "a"]),
            draw.choice([None, *range(9)]),
        )
        for _ in range(draw.randint(1, 12))
    ]


def check_histories(seeds: range, make: type[WindowProcessor] = WindowProcessor) -> None:
    for seed in seeds:
        check_history(seed, make)


def check_history(seed: int, make: type[WindowProcessor]) -> None:
    """Play one drawn history to both, in micro-batches, with restarts."""
    draw = random.Random(seed)
    settings = drawn_settings(draw)
    brute_force = BruteForce(settings)
    schema = RECORDS.arrow_schema
    step = Row(*WINDOW_INPUT_SCHEMA.names)

    def started() -> tuple[WindowProcessor, TwsTester]:
        processor = make(settings, RECORDS, AGGREGATES, results_at_once=draw.choice([2, 10_000]))
        return processor, TwsTester(processor)

    processor, tester = started()
    now = draw.choice([0, -1_000, 10**12])
    for _ in range(draw.randint(1, 12)):
        rows, expected = [], []
        for sequence in range(draw.randint(1, 5)):
            if draw.random() < 0.6:
                records = drawn_records(draw, now)
                columns = [
                    pa.array(values, each.type)
                    for values, each in zip(zip(*records, strict=True), schema, strict=True)
                ]
                rows.append(step("0", sequence, "record", None, packed(columns, schema)))
                for moment, x, s, value in records:
                    expected += brute_force.record(moment, comparable(x, s), value)
            else:
                now += draw.randint(-2, 12)
                rows.append(step("0", sequence, "watermark", now, None))
                expected += brute_force.watermark(now)
        draw.shuffle(rows)
        found = outputs_of(tester.test("0", rows), processor)
        assert by_watermark(found) == by_watermark(expected), f"seed {seed}, {settings}"
        if draw.random() < 0.3:
            progress, slices = tester.peekValueState("operator", "0"), tester.peekMapState("windows", "0")
            processor, tester = started()
            if progress is not None:
                tester.updateValueState("operator", "0", tuple(progress))
            tester.updateMapState("windows", "0", {tuple(key): tuple(row) for key, row in slices.items()})


@pytest.mark.parametrize("pairs_at_once", [3, pytest.param(2_000_000, marks=pytest.mark.slower)])
def test_drawn_histories_give_what_brute_force_gives(
    monkeypatch: pytest.MonkeyPatch, pairs_at_once: int
) -> None:
    monkeypatch.setattr(decisions, "_PAIRS_AT_ONCE", pairs_at_once)
    check_histories(range(100))


class ForgetsWhatStands(Windows):
    def _joined(self, first: Any, second: Any) -> Any:
        return super()._joined(first, second)._replace(standing=first.standing)


class IsLateEarly(Windows):
    def _cleanup_time(self, end: int) -> int:
        return super()._cleanup_time(end) - 1


class AddsTwice(Windows):
    def _with(self, contents: Any, records: int, accumulated: Any) -> Any:
        found = super()._with(contents, records, accumulated)
        return found if found.records < 3 else self._joined(found, found)


@pytest.mark.parametrize("wrong", [ForgetsWhatStands, IsLateEarly, AddsTwice])
def test_brute_force_notices_wrong_windows(wrong: type[Windows]) -> None:
    class Wrong(WindowProcessor):
        def decide(self, kept: Any, progress: Any) -> Windows:
            return wrong(self._settings, kept, self._aggregates, progress)

    with pytest.raises(AssertionError):
        check_histories(range(100), Wrong)
