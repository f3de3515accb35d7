"""The windows of tidegauge_spark: what the kit's suites cannot see, such as record keys and the state store.

Expectations are worked out by hand. Timestamps are in milliseconds.
"""

from __future__ import annotations

import pickle
import random
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest
from component_scenarios import drawn
from engines import examiner_of
from judged import EFFORT, accused_in
from pyspark.sql import Row
from pyspark.sql.streaming.tws_tester import TwsTester
from pyspark.sql.types import LongType, StringType, StructField, StructType

from tidegauge import Adapter
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.vectors.published import load_vectors
from tidegauge_adapters.spark.adapter import SparkAdapter
from tidegauge_adapters.spark.rows.window import window_processor
from tidegauge_spark import SessionWindows, SlidingWindows, TumblingWindows, WindowSettings
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.windows.bursts import Groups
from tidegauge_spark.decisions.windows.kept import KeptWindow
from tidegauge_spark.decisions.windows.windows import WindowProgress, Windows
from tidegauge_spark.operators.aggregates import count, sum_of, values_of
from tidegauge_spark.operators.record_columns import RecordColumns, packed, unpacked
from tidegauge_spark.operators.window import WINDOW_INPUT_SCHEMA, WindowProcessor
from tidegauge_spark.operators.window_results import WINDOW_OUTPUT_SCHEMA

Output = tuple[Any, ...]
Step = tuple[Any, ...]

TEN = WindowSettings(TumblingWindows(10))
RECORDS = RecordColumns(
    StructType([StructField("record_key", StringType()), StructField("value", LongType())]), ("record_key",)
)
ARROW = RECORDS.arrow_schema


def processor_of(settings: WindowSettings) -> WindowProcessor:
    return WindowProcessor(settings, RECORDS, {"values": values_of("value")}, results_at_once=1)


RESULTS = processor_of(TEN).results.packed_schema


def step_row(
    key: str,
    sequence: int,
    kind: str | None,
    record_key: str | None,
    timestamp: int | None,
    value: int | None,
) -> Row:
    """A step as a row; a record is a batch of one."""
    records = None
    if kind == "record":
        columns = [[timestamp], [record_key], [value]]
        arrays = [pa.array(each, field.type) for each, field in zip(columns, ARROW, strict=True)]
        records, timestamp = packed(arrays, ARROW), None
    return Row(*WINDOW_INPUT_SCHEMA.names)(key, sequence, kind, timestamp, records)


def fire(key: str | None, start: int, end: int, *values: int) -> Output:
    return ("fire", key, start, end, list(values))


def retract(key: str | None, start: int, end: int, *values: int) -> Output:
    return ("retract", key, start, end, list(values))


def watermark(timestamp: int) -> Output:
    return ("watermark", timestamp)


class Operator:
    """One operator subtask in the tester; a step is a batch, unless several are given at once."""

    def __init__(self, settings: WindowSettings = TEN) -> None:
        self.settings = settings
        self.tester = TwsTester(processor_of(settings))
        self.sequence = 0

    def record(self, timestamp: int | None, value: int | None, key: str | None = None) -> list[Output]:
        return self.batch(("record", key, timestamp, value))

    def watermark(self, timestamp: int | None) -> list[Output]:
        return self.batch(("watermark", None, timestamp, None))

    def batch(self, *steps: Step) -> list[Output]:
        """The outputs of these steps, each a kind, a record key, a timestamp and a value."""
        rows = []
        for step in steps:
            rows.append(step_row("subtask", self.sequence, *step))
            self.sequence += 1
        return [_output(row) for row in self.tester.test("subtask", rows)]

    def windows(self) -> dict[Any, Any]:
        """What is in the state store: of each window the number of records, the accumulators, what stands."""
        found = {}
        for (data,) in self.slices().values():
            for (record_key,), windows in pickle.loads(data).items():
                assert windows
                found |= {(record_key, *window): contents for window, contents in windows.items()}
        return found

    def slices(self) -> dict[Any, Any]:
        """The rows of the state store."""
        return {tuple(key): tuple(row) for key, row in self.tester.peekMapState("windows", "subtask").items()}

    def values(self) -> dict[Any, list[int]]:
        """The values that are kept of each window, without what stands."""
        values = {}
        for window, (records, accumulated, _) in self.windows().items():
            values[window] = [] if accumulated is None else accumulated[0]
            assert len(values[window]) == records
        return values

    def progress(self) -> Any:
        return self.tester.peekValueState("operator", "subtask")

    def restart(self) -> None:
        """Go on in a new processor with nothing but the stored state."""
        progress, slices = self.progress(), self.slices()
        self.tester = TwsTester(processor_of(self.settings))
        if progress is not None:
            self.tester.updateValueState("operator", "subtask", tuple(progress))
        self.tester.updateMapState("windows", "subtask", slices)


def _output(row: Row) -> Output:
    assert list(row.asDict()) == WINDOW_OUTPUT_SCHEMA.names
    match row.kind:
        case "results":
            (found,) = unpacked(row.results, RESULTS).to_pylist()
            kind = "retract" if found["retraction"] else "fire"
            return (kind, found["record_key"], found["window_start"], found["window_end"], found["values"])
        case "watermark":
            return (row.kind, row.timestamp)
        case "late" | "refused":
            (record,) = unpacked(row.late_records, ARROW).to_pylist()
            return (row.kind, record["record_key"], record["event_time"], record["value"])
        case "state-size":
            return (row.kind, row.records)
        case "error":
            return (row.kind, row.error)
    return (row.kind,)


# Record keys: windows apart, one watermark


def test_windows_of_different_record_keys_are_apart_and_none_is_a_key_like_any_other() -> None:
    operator = Operator()
    assert operator.record(3, 1, "b") == []
    assert operator.record(4, 2, "a") == []
    assert operator.record(5, 3) == []
    assert operator.record(6, 4, "a") == []
    assert operator.record(7, 5, "") == []
    assert operator.watermark(9) == [
        fire("", 0, 10, 5),
        fire("a", 0, 10, 2, 4),
        fire("b", 0, 10, 1),
        fire(None, 0, 10, 3),
        watermark(9),
    ]


def test_results_of_several_record_keys_come_in_the_order_of_time() -> None:
    operator = Operator(replace(TEN, assigner=SessionWindows(5)))
    operator.record(20, 1, "a")
    operator.record(2, 2, "c")
    operator.record(10, 3, "b")
    assert operator.watermark(30) == [
        fire("c", 2, 7, 2),
        fire("b", 10, 15, 3),
        fire("a", 20, 25, 1),
        watermark(30),
    ]


def test_sessions_of_different_record_keys_are_not_merged() -> None:
    operator = Operator(replace(TEN, assigner=SessionWindows(5)))
    operator.record(0, 1, "a")
    operator.record(4, 2, "b")
    operator.record(4, 3)
    operator.record(5, 4, "a")  # touches that of 0
    assert set(operator.values()) == {("a", 0, 10), ("b", 4, 9), (None, 4, 9)}


def test_a_kept_session_makes_only_records_of_its_own_key_timely() -> None:
    operator = Operator(replace(TEN, assigner=SessionWindows(5)))
    operator.record(6, 1, "a")
    operator.watermark(8)
    assert operator.record(2, 2, "b") == [("late", "b", 2, 2)]
    assert operator.record(2, 2, "a") == []
    assert operator.watermark(10) == [fire("a", 2, 11, 1, 2), watermark(10)]


def test_subtasks_have_watermarks_of_their_own() -> None:
    tester = TwsTester(processor_of(TEN))
    assert tester.test("0", [step_row("0", 0, "watermark", None, 50, None)])[0].kind == "watermark"
    assert tester.test("1", [step_row("1", 0, "record", None, 3, 7)]) == []
    (late,) = tester.test("0", [step_row("0", 1, "record", None, 3, 7)])
    assert (late.key, late.sequence, late.position, late.kind) == ("0", 1, 0, "late")


# Restarts with other windows


@pytest.mark.parametrize(
    ("now", "problem"),
    [
        (
            {"settings": replace(TEN, assigner=TumblingWindows(20))},
            r"windows: TumblingWindows\(size=10, offset=0\) before, TumblingWindows\(size=20, offset=0\) now",
        ),
        (
            {"settings": replace(TEN, assigner=SessionWindows(10))},
            "windows: Tumbling.* before, SessionWindows",
        ),
        (
            {"settings": replace(TEN, accumulation="discarding")},
            "accumulation: accumulating before, discarding now",
        ),
        ({"settings": replace(TEN, trigger="per-record")}, "trigger: event-time before, per-record now"),
        ({"records": replace(RECORDS, key=())}, r"key: \['record_key: string'\] before, \[\] now"),
        ({"records": replace(RECORDS, operator_subtasks=2)}, "operator subtasks: 1 before, 2 now"),
        (
            {"aggregates": {"values": sum_of("value")}},
            r"aggregates: {'values': 'Values\(value\) as array<bigint>'} before, {'values': 'Sum\(value\)",
        ),
        (
            {"aggregates": {"values": values_of("value"), "n": count()}},
            r"aggregates: .* before, .*'n': 'Count\(\) as bigint'} now",
        ),
    ],
)
def test_state_of_other_windows_is_refused_after_a_restart(now: dict[str, Any], problem: str) -> None:
    before = Operator()
    before.record(3, 1)
    made: dict[str, Any] = {"settings": TEN, "records": RECORDS, "aggregates": {"values": values_of("value")}}
    tester = TwsTester(WindowProcessor(**(made | now)))
    tester.updateValueState("operator", "subtask", tuple(before.progress()))
    tester.updateMapState("windows", "subtask", before.slices())
    with pytest.raises(IllegalArgumentError, match=f"the checkpoint has windows of another query: {problem}"):
        tester.test("subtask", [step_row("subtask", 1, "watermark", None, 9, None)])


def test_lateness_and_late_output_may_change_over_a_restart() -> None:
    operator = Operator()
    operator.record(3, 1)
    operator.settings = replace(TEN, allowed_lateness=5, late_output=False)
    operator.restart()
    assert operator.watermark(12) == [fire(None, 0, 10, 1), watermark(12)]
    assert operator.record(4, 2) == [fire(None, 0, 10, 1, 2)]
    operator.settings = TEN
    operator.restart()
    assert operator.record(5, 3) == [("late", None, 5, 3)]


# The state store


def test_a_row_of_the_state_store_holds_a_window_and_goes_with_its_cleanup_time() -> None:
    operator = Operator(WindowSettings(SlidingWindows(10, 5), allowed_lateness=3))
    operator.record(7, 1, "a")
    operator.record(8, 2, "a")
    assert operator.values() == {("a", 0, 10): [1, 2], ("a", 5, 15): [1, 2]}
    assert [key[:2] for key in operator.slices()] == [(0, 10), (5, 15)]
    operator.watermark(9)
    assert operator.values() == {("a", 0, 10): [1, 2], ("a", 5, 15): [1, 2]}
    operator.watermark(12)
    assert operator.values() == {("a", 5, 15): [1, 2]}
    operator.watermark(MAX)
    assert operator.windows() == {}


def test_discarding_keeps_nothing_of_what_has_fired_but_the_borders_of_sessions() -> None:
    settings = WindowSettings(TumblingWindows(10), allowed_lateness=90, accumulation="discarding")
    operator = Operator(settings)
    operator.record(3, 1)
    operator.watermark(9)
    assert operator.windows() == {}
    assert operator.record(4, 2) == [fire(None, 0, 10, 2)]
    assert operator.windows() == {}
    sessions = Operator(replace(settings, assigner=SessionWindows(5)))
    sessions.record(3, 1)
    sessions.watermark(7)
    assert sessions.values() == {(None, 3, 8): []}


def test_results_that_stand_are_kept_beside_what_the_next_one_holds() -> None:
    settings = WindowSettings(
        SessionWindows(3), allowed_lateness=90, accumulation="accumulating-and-retracting"
    )
    operator = Operator(settings)
    for timestamp, value in ((0, 9), (1, 1), (6, 5)):
        operator.record(timestamp, value)
    assert operator.watermark(10) == [fire(None, 0, 4, 1, 9), fire(None, 6, 9, 5), watermark(10)]
    assert operator.record(20, 0) == []
    operator.restart()
    assert operator.record(4, 7) == [
        retract(None, 0, 4, 1, 9),
        retract(None, 6, 9, 5),
        fire(None, 0, 9, 1, 5, 7, 9),
    ]
    assert sorted(operator.values()[None, 0, 9]) == [1, 5, 7, 9]
    assert operator.windows()[None, 0, 9][2] == ((0, 9, ([1, 5, 7, 9],)),)


def test_merged_sessions_hand_over_what_stands_until_they_fire() -> None:
    """Two sessions have fired, one got a record since; a third record joins all to one that waits."""
    settings = WindowSettings(
        SessionWindows(3), allowed_lateness=90, accumulation="accumulating-and-retracting"
    )
    operator = Operator(settings)
    operator.record(0, 1)
    operator.record(5, 2)
    assert operator.watermark(7) == [fire(None, 0, 3, 1), fire(None, 5, 8, 2), watermark(7)]
    assert operator.record(8, 3) == []  # joins [5, 8): [5, 11) is not complete
    operator.restart()
    assert operator.record(10, 4) == []
    operator.restart()
    assert operator.record(3, 5) == []  # joins [0, 3) and [5, 13)
    operator.restart()
    assert operator.watermark(12) == [
        retract(None, 0, 3, 1),
        retract(None, 5, 8, 2),
        fire(None, 0, 13, 1, 2, 3, 4, 5),
        watermark(12),
    ]


def accesses_of(operator: Operator) -> list[tuple[str, Any]]:
    """Every access to the windows in the store from now on, with the window or None for all of them."""
    state = operator.tester.handle.map_states["windows"]
    made: list[tuple[str, Any]] = []

    def noted(name: str) -> None:
        method = getattr(state, name)

        def call(*arguments: Any) -> Any:
            made.append((name, arguments[0] if arguments else None))
            return method(*arguments)

        setattr(state, name, call)

    for name in (
        "getValue",
        "containsKey",
        "updateValue",
        "removeKey",
        "keys",
        "values",
        "iterator",
    ):
        noted(name)
    return made


def test_only_windows_that_are_touched_or_due_are_read_and_written() -> None:
    operator = Operator(WindowSettings(TumblingWindows(10), allowed_lateness=5))
    for start in range(0, 1000, 10):
        operator.record(start, start)
    operator.watermark(8)
    (bucket,) = {key[2] for key in operator.slices()}
    accesses = accesses_of(operator)
    operator.batch(("record", None, 501, 1), ("record", None, 502, 2), ("idle", None, None, None))
    assert accesses == [("getValue", (500, 510, bucket)), ("updateValue", (500, 510, bucket))]
    del accesses[:]
    assert operator.watermark(9) == [fire(None, 0, 10, 0), watermark(9)]
    assert accesses == [("keys", None), ("getValue", (0, 10, bucket)), ("updateValue", (0, 10, bucket))]
    del accesses[:]
    operator.watermark(13)
    assert accesses == []  # nothing is due before 14
    operator.watermark(14)
    names = [name for name, _ in accesses]
    assert (names, accesses[-1][1]) == (["keys", "getValue", "removeKey"], (0, 10, bucket))
    del accesses[:]
    operator.watermark(18)
    assert accesses == []  # the next end is 20
    assert operator.watermark(19) == [fire(None, 10, 20, 10), watermark(19)]


def test_a_window_that_comes_and_goes_within_a_batch_is_not_written() -> None:
    operator = Operator()
    accesses = accesses_of(operator)
    operator.batch(("record", None, 3, 1), ("record", None, 4, 2), ("watermark", None, 9, None))
    assert [name for name, _ in accesses] == ["getValue", "keys"]
    assert operator.windows() == {}


def test_what_is_stored_changes_by_being_written_only() -> None:
    operator = Operator()
    operator.record(3, 1)
    before = operator.windows()
    operator.record(4, 2)
    assert before == {(None, 0, 10): (1, ([1],), ())}
    assert operator.windows() == {(None, 0, 10): (2, ([1, 2],), ())}


def test_state_that_is_kept_for_nothing_is_counted_in_the_store() -> None:
    operator = Operator()
    for key, timestamp, value in (("a", 3, 1), ("a", 4, 2), (None, 25, 3), ("a", 31, 4)):
        operator.record(timestamp, value, key)
    operator.tester.updateValueState("operator", "subtask", (29, MAX, None))
    assert operator.batch(("expired-state", None, None, None)) == [("state-size", 3)]
    assert operator.batch(("kept-state", None, None, None)) == [("state-size", 4)]


# Batches


@pytest.mark.parametrize("assigner", [TumblingWindows(4), SlidingWindows(5, 2, 1), SessionWindows(3)])
@pytest.mark.parametrize("accumulation", ["discarding", "accumulating-and-retracting"])
def test_the_borders_of_batches_and_restarts_change_nothing(assigner: Any, accumulation: Any) -> None:
    settings = WindowSettings(assigner, allowed_lateness=4, accumulation=accumulation)
    draw = random.Random(7)
    steps: list[Step] = []
    for moment in range(0, 150, 3):
        for _ in range(3):
            key = draw.choice(["a", "b", None])
            steps.append(("record", key, moment + draw.randint(-15, 9), draw.randint(0, 99)))
        steps.append(("watermark", None, moment, None))
    together = Operator(settings).batch(*steps)
    assert {output[0] for output in together} >= {"fire", "late", "watermark"}
    apart = Operator(settings)
    outputs = []
    while steps:
        size = draw.randint(1, 7)
        outputs += apart.batch(*steps[:size])
        apart.restart()
        del steps[:size]
    assert outputs == together


@pytest.mark.parametrize("assigner", [TumblingWindows(4), SessionWindows(3)])
def test_results_that_share_a_row_are_those_that_have_one_each(assigner: Any) -> None:
    settings = WindowSettings(assigner, allowed_lateness=9, accumulation="accumulating-and-retracting")
    draw = random.Random(11)
    steps: list[Step] = [("watermark", None, 50, None)]
    steps += [("record", draw.choice("ab"), draw.randint(30, 70), number) for number in range(300)]
    steps += [("record", "a", None, 300), ("idle", None, None, None), ("watermark", None, 99, None)]
    rows = [step_row("k", number, *step) for number, step in enumerate(steps)]
    found: dict[int, list[dict[str, Any]]] = {}
    for at_once in (1, 1_000):
        processor = WindowProcessor(settings, RECORDS, {"values": values_of("value")}, at_once)
        answers = TwsTester(processor).test("k", rows)
        assert (len(answers) > 50) == (at_once == 1)
        raw = pa.RecordBatch.from_pylist([row.asDict() for row in answers])
        out = pa.Table.from_batches(list(processor.results.unpack(iter([raw])))).to_pylist()
        found[at_once] = sorted(
            out, key=lambda row: (row["kind"], row["position"] or 0, (row["record"] or {}).get("value") or 0)
        )
    assert {row["kind"] for row in found[1]} == {"result", "late", "refused", "idle", "watermark"}
    assert {row["retraction"] for row in found[1] if row["kind"] == "result"} == {False, True}
    assert found[1_000] == found[1]


def test_the_rows_of_a_batch_are_taken_by_sequence() -> None:
    tester = TwsTester(processor_of(TEN))
    rows = [
        step_row("k", 2, "watermark", None, 9, None),
        step_row("k", 1, "record", None, 8, 2),
        step_row("k", 0, "record", None, 7, 1),
    ]
    fired, passed = tester.test("k", rows)
    assert (fired.sequence, fired.position, _output(fired)) == (2, 0, fire(None, 0, 10, 1, 2))
    assert (passed.sequence, passed.position, passed.timestamp) == (2, 1, 9)


# Refusals


@pytest.mark.parametrize(
    "step",
    [
        ("watermark", None, None, None),
        ("other", None, 5, 1),
        (None, None, 5, 1),
    ],
)
def test_win_15_a_step_that_cannot_be_is_answered_and_changes_nothing(step: Step) -> None:
    operator = Operator(replace(TEN, assigner=SessionWindows(5)))
    operator.record(3, 1)
    operator.watermark(6)
    before = operator.windows(), operator.progress()
    assert operator.batch(step, ("idle", None, None, None)) == [("error", "illegal-argument"), ("idle",)]
    assert (operator.windows(), operator.progress()) == before


@pytest.mark.parametrize("timestamp", [None, MIN, MAX])
def test_win_15_a_record_without_event_time_comes_out_as_it_is(timestamp: int | None) -> None:
    operator = Operator(replace(TEN, assigner=SessionWindows(5)))
    operator.record(3, 1)
    before = operator.windows(), operator.progress()
    refused = operator.batch(("record", "a", timestamp, 7), ("record", "b", 9, None), ("idle", *[None] * 3))
    assert refused == [("refused", "a", timestamp, 7), ("idle",)]
    assert operator.windows() == {**before[0], ("b", 9, 14): (1, ([],), ())}


@pytest.mark.parametrize("assigner", [TumblingWindows(10), SlidingWindows(10, 5), SessionWindows(10)])
def test_a_key_whose_steps_were_all_refused_has_no_state(assigner: Any) -> None:
    operator = Operator(replace(TEN, assigner=assigner))
    assert operator.record(None, 1) == [("refused", None, None, 1)]
    assert operator.progress() is None
    assert operator.windows() == {}


@pytest.mark.parametrize(
    "settings",
    [
        lambda: TumblingWindows(0),
        lambda: SlidingWindows(0, 1),
        lambda: SlidingWindows(1, 0),
        lambda: SlidingWindows(5, -1),
        lambda: SessionWindows(0),
        lambda: SessionWindows("0 seconds"),
        lambda: TumblingWindows("a minute"),
        lambda: TumblingWindows(60.0),  # type: ignore[arg-type]
        lambda: replace(TEN, allowed_lateness="soon"),  # type: ignore[arg-type]
        lambda: TumblingWindows(2**63),
        lambda: replace(TEN, allowed_lateness=-1),
        lambda: replace(TEN, allowed_lateness=2**63),
        lambda: replace(TEN, trigger="event time"),
        lambda: replace(TEN, accumulation="retracting"),
        lambda: WindowSettings(10),  # type: ignore[arg-type]
        lambda: TumblingWindows(10, offset=1.5),  # type: ignore[arg-type]
        lambda: TumblingWindows(10, offset=2**63),
        lambda: SessionWindows(None),  # type: ignore[arg-type]
        lambda: replace(TEN, allowed_lateness=5.5),
        lambda: replace(TEN, allowed_lateness="5"),
        lambda: replace(TEN, late_output="no"),
    ],
)
def test_settings_that_cannot_be_are_refused_when_they_are_made(settings: Any) -> None:
    with pytest.raises(IllegalArgumentError, match=r"^the \w+"):
        settings()


def test_durations_may_be_given_as_spark_writes_them() -> None:
    assert TumblingWindows("1 minute") == TumblingWindows(60_000)
    assert SlidingWindows("1 hour", "5m", "30s") == SlidingWindows(3_600_000, 300_000, 30_000)
    assert WindowSettings(SessionWindows("2s"), "1 day").allowed_lateness == 86_400_000
    assert TumblingWindows(10, -3).windows(5) == [(-3, 7)]


def test_lengths_are_durations_as_elsewhere() -> None:
    assert TumblingWindows("1 minute", offset=timedelta(seconds=-1)) == TumblingWindows(60_000, -1_000)
    assert SlidingWindows(timedelta(days=1), "1s") == SlidingWindows(86_400_000, 1_000)
    assert SessionWindows("500ms") == SessionWindows(500)
    assert replace(TEN, allowed_lateness="30 seconds") == replace(TEN, allowed_lateness=30_000)


# The ends of time


def test_time_1_a_window_near_the_end_of_time_ends_with_it() -> None:
    operator = Operator(WindowSettings(TumblingWindows(2**62), allowed_lateness=2**62))
    assert operator.record(MAX - 1, 1) == []
    ((_, start, end),) = operator.windows()
    assert (start, end) == (2**62, MAX)
    assert operator.watermark(MAX - 1) == [fire(None, 2**62, MAX, 1), watermark(MAX - 1)]
    assert operator.record(MAX - 1, 2) == [fire(None, 2**62, MAX, 1, 2)]
    assert operator.watermark(MAX) == [watermark(MAX)]
    assert operator.windows() == {}
    assert operator.record(MAX - 1, 3) == [("late", None, MAX - 1, 3)]


def test_time_2_a_window_near_the_beginning_of_time_begins_with_it() -> None:
    operator = Operator(WindowSettings(SlidingWindows(10, 3, offset=MIN + 5)))
    assert operator.record(MIN + 1, 1) == []
    assert set(operator.values()) == {(None, MIN, MIN + 3), (None, MIN, MIN + 6), (None, MIN, MIN + 9)}
    assert operator.watermark(MIN) == []
    assert operator.watermark(MIN + 2) == [fire(None, MIN, MIN + 3, 1), watermark(MIN + 2)]


# Under the kit


def in_the_tester(processor: type[WindowProcessor]) -> Adapter:
    """The library with windows of this class."""
    wrong = SparkAdapter.having(window=lambda setup: window_processor(setup, processor))
    return wrong({"engine": "tester"})


class LateByTheRecord(Windows):
    """Judges by the timestamp instead of the window; of two that wait for different times."""

    def _is_over(self, window: KeptWindow) -> bool:
        return self._is_reached(window.start + self._settings.allowed_lateness)


class NeverCleansUp(Windows):
    def _last_end_that_is_over(self) -> int:
        return MIN


class JoinsWhatIsApart(Windows):
    """Breaks what is added at once, and only that."""

    def _add_at_once(self, groups: Groups) -> None:
        super()._add_at_once(groups._replace(windows=[groups.windows[0]] * len(groups.windows)))


class JudgesByTheRecord(WindowProcessor):
    def decide(self, kept: Any, progress: WindowProgress) -> Windows:
        return LateByTheRecord(self._settings, kept, self._aggregates, progress)


class KeepsAll(WindowProcessor):
    def decide(self, kept: Any, progress: WindowProgress) -> Windows:
        return NeverCleansUp(self._settings, kept, self._aggregates, progress)


class AddsToTheFirst(WindowProcessor):
    def decide(self, kept: Any, progress: WindowProgress) -> Windows:
        return JoinsWhatIsApart(self._settings, kept, self._aggregates, progress)


@pytest.mark.parametrize(
    ("processor", "rule"),
    [(JudgesByTheRecord, "WIN-10"), (KeepsAll, "WIN-13"), (AddsToTheFirst, "WIN-3")],
)
def test_a_wrong_processor_fails_a_named_rule(processor: type[WindowProcessor], rule: str) -> None:
    report = ItemReport("all", "window")
    examiner = examiner_of(in_the_tester(processor), effort=EFFORT)
    vectors = [vector.scenario for vector in load_vectors("window")]
    examiner.compare(report, examiner.applicable([*vectors, *drawn("window", 100)]))
    assert rule in accused_in(report)


def test_the_right_processor_passes_where_wrong_ones_fail() -> None:
    report = ItemReport("all", "window")
    examiner = examiner_of(in_the_tester(WindowProcessor))
    vectors = [vector.scenario for vector in load_vectors("window")]
    examiner.compare(report, examiner.applicable([*vectors, *drawn("window", 100)]))
    assert [failure.seen for failure in report.failures] == []
