"""The windows of tidegauge_spark: what the kit's suites cannot see, such as record keys and the state store.

Expectations are worked out by hand. Timestamps are in milliseconds.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from component_scenarios import drawn
from engines import examiner_of
from pyspark.sql import Row
from pyspark.sql.streaming.tws_tester import TwsTester

from tidegauge import Adapter
from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.judging.items.merged import merged
from tidegauge.judging.jobs.blamed import blamed_rules
from tidegauge.vectors.published import load_vectors
from tidegauge_adapters.spark.adapter import SparkAdapter
from tidegauge_adapters.spark.rows.window import window_settings
from tidegauge_adapters.spark.streaming.checkpointed_query import CheckpointedQuery
from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import SessionWindows, SlidingWindows, TumblingWindows, WindowSettings, run_windows
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.windows.windows import WindowOutput, WindowProgress, Windows
from tidegauge_spark.operators.window import WINDOW_INPUT_SCHEMA, WINDOW_OUTPUT_SCHEMA, WindowProcessor

Output = tuple[Any, ...]
Step = tuple[Any, ...]

TEN = WindowSettings(TumblingWindows(10))
step_row = Row(*WINDOW_INPUT_SCHEMA.names)


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
        self.tester = TwsTester(WindowProcessor(settings))
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
        """The rows of the state store: of each window the values and what stands."""
        return {tuple(key): tuple(row) for key, row in self.tester.peekMapState("windows", "subtask").items()}

    def values(self) -> dict[Any, list[int]]:
        """What is kept of each window, without what stands."""
        return {key: row[0] for key, row in self.windows().items()}

    def progress(self) -> Any:
        return self.tester.peekValueState("operator", "subtask")

    def restart(self) -> None:
        """Go on in a new processor with nothing but the stored state."""
        progress, windows = self.progress(), self.windows()
        self.tester = TwsTester(WindowProcessor(self.settings))
        if progress is not None:
            self.tester.updateValueState("operator", "subtask", tuple(progress))
        self.tester.updateMapState(
            "windows", "subtask", {key: tuple(map(list, row)) for key, row in windows.items()}
        )


def _output(row: Row) -> Output:
    assert list(row.asDict()) == WINDOW_OUTPUT_SCHEMA.names
    match row.kind:
        case "fire" | "retract":
            return (row.kind, row.record_key, row.window_start, row.window_end, row["values"])
        case "watermark":
            return (row.kind, row.timestamp)
        case "late":
            return (row.kind, row.record_key, row.timestamp, row.value)
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
        fire(None, 0, 10, 3),
        fire("", 0, 10, 5),
        fire("a", 0, 10, 2, 4),
        fire("b", 0, 10, 1),
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
    tester = TwsTester(WindowProcessor(TEN))
    assert tester.test("0", [step_row("0", 0, "watermark", None, 50, None)])[0].kind == "watermark"
    assert tester.test("1", [step_row("1", 0, "record", None, 3, 7)]) == []
    (late,) = tester.test("0", [step_row("0", 1, "record", None, 3, 7)])
    assert (late.key, late.sequence, late.position, late.kind) == ("0", 1, 0, "late")


# The state store


def test_a_row_of_the_state_store_is_a_window_and_goes_with_its_cleanup_time() -> None:
    operator = Operator(WindowSettings(SlidingWindows(10, 5), allowed_lateness=3))
    operator.record(7, 1, "a")
    operator.record(8, 2, "a")
    assert operator.values() == {("a", 0, 10): [1, 2], ("a", 5, 15): [1, 2]}
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


def test_a_value_is_kept_once_in_a_window_also_if_its_results_can_be_taken_back() -> None:
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
    assert operator.windows()[None, 0, 9][1:] == ([0], [9], [4])


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
    accesses = accesses_of(operator)
    operator.batch(("record", None, 501, 1), ("record", None, 502, 2), ("idle", None, None, None))
    assert accesses == [("getValue", (None, 500, 510)), ("updateValue", (None, 500, 510))]
    del accesses[:]
    assert operator.watermark(9) == [fire(None, 0, 10, 0), watermark(9)]
    assert accesses == [("keys", None), ("getValue", (None, 0, 10)), ("updateValue", (None, 0, 10))]
    del accesses[:]
    operator.watermark(13)
    assert accesses == []  # nothing is due before 14
    operator.watermark(14)
    assert accesses == [("keys", None), ("removeKey", (None, 0, 10))]
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
    assert before == {(None, 0, 10): ([1], [], [], [])}
    assert operator.windows() == {(None, 0, 10): ([1, 2], [], [], [])}


def test_state_that_is_kept_for_nothing_is_counted_in_the_store() -> None:
    operator = Operator()
    operator.watermark(29)
    operator.tester.updateMapState(
        "windows",
        "subtask",
        {
            ("a", 0, 10): ([1, 2], [], [], []),
            (None, 20, 30): ([3], [], [], []),
            ("a", 30, 40): ([4], [], [], []),
        },
    )
    assert operator.batch(("expired-state", None, None, None)) == [("state-size", 3)]


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


def test_the_rows_of_a_batch_are_taken_by_sequence() -> None:
    tester = TwsTester(WindowProcessor(TEN))
    rows = [
        step_row("k", 2, "watermark", None, 9, None),
        step_row("k", 1, "record", None, 8, 2),
        step_row("k", 0, "record", None, 7, 1),
    ]
    fired, passed = tester.test("k", rows)
    assert (fired.sequence, fired.position, fired["values"]) == (2, 0, [1, 2])
    assert (passed.sequence, passed.position, passed.timestamp) == (2, 1, 9)


# Refusals


@pytest.mark.parametrize(
    "step",
    [
        ("record", None, None, 1),
        ("record", None, MIN, 1),
        ("record", None, MAX, 1),
        ("record", None, 5, None),
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


def test_a_key_whose_steps_were_all_refused_has_no_state() -> None:
    operator = Operator()
    assert operator.record(None, 1) == [("error", "illegal-argument")]
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
        lambda: TumblingWindows(2**63),
        lambda: replace(TEN, allowed_lateness=-1),
        lambda: replace(TEN, allowed_lateness=2**63),
        lambda: replace(TEN, trigger="event time"),
        lambda: replace(TEN, accumulation="retracting"),
        lambda: WindowSettings(10),  # type: ignore[arg-type]
    ],
)
def test_settings_that_cannot_be_are_refused_when_they_are_made(settings: Any) -> None:
    with pytest.raises(IllegalArgumentError, match=r"^the \w+"):
        settings()


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
    wrong = SparkAdapter.having(window=lambda setup: processor(window_settings(setup)))
    return wrong({"engine": "tester"})


class LateByTheRecord(Windows):
    def record(self, timestamp: int, value: int, record_key: str | None = None) -> list[WindowOutput]:
        if self.progress.watermark >= timestamp > MIN:
            return [self._late(timestamp, value, record_key)]
        return super().record(timestamp, value, record_key)


class NeverCleansUp(Windows):
    def _last_end_that_is_over(self) -> int:
        return MIN


class JudgesByTheRecord(WindowProcessor):
    def decide(self, kept: Any, progress: WindowProgress) -> Windows:
        return LateByTheRecord(self._settings, kept, progress)


class KeepsAll(WindowProcessor):
    def decide(self, kept: Any, progress: WindowProgress) -> Windows:
        return NeverCleansUp(self._settings, kept, progress)


@pytest.mark.parametrize(
    ("processor", "rule"),
    [(JudgesByTheRecord, "WIN-10"), (KeepsAll, "WIN-13")],
)
def test_a_wrong_processor_fails_a_named_rule(processor: type[WindowProcessor], rule: str) -> None:
    report = ItemReport("all", "window")
    examiner = examiner_of(in_the_tester(processor), shrink_seconds=0.5)
    vectors = [vector.scenario for vector in load_vectors("window")]
    examiner.compare(report, examiner.applicable([*vectors, *drawn("window", 100)]))
    blamed = blamed_rules(merged([report]), COMPONENTS)
    suspects = {suspect for found in blamed.values() for suspect, _ in found.suspects[:3]}
    assert rule in suspects


def test_the_right_processor_passes_where_wrong_ones_fail() -> None:
    report = ItemReport("all", "window")
    examiner = examiner_of(in_the_tester(WindowProcessor))
    vectors = [vector.scenario for vector in load_vectors("window")]
    examiner.compare(report, examiner.applicable([*vectors, *drawn("window", 100)]))
    assert [failure.seen for failure in report.failures] == []


# On Spark


@pytest.mark.xdist_group("spark")
def test_a_query_keeps_windows_of_several_record_keys_over_a_restart(tmp_path: Path) -> None:
    settings = WindowSettings(
        SessionWindows(5), allowed_lateness=10, accumulation="accumulating-and-retracting"
    )
    session = running_spark().session
    query = CheckpointedQuery(
        session, tmp_path, WINDOW_INPUT_SCHEMA, lambda steps: run_windows(steps, settings)
    )

    def feed(*steps: Step) -> list[Output]:
        known = len(query.answers())
        query.feed([step_row("0", number, *step).asDict() for number, step in enumerate(steps)])
        came = [Row(**row) for row in query.answers()[known:]]
        return [_output(row) for row in sorted(came, key=lambda row: (row.sequence, row.position))]

    query.start()
    try:
        feed(("record", "a", 3, 1), ("record", None, 3, 2), ("record", "b", 20, 3))
        first = feed(("watermark", None, 7, None))
        query.stop()
        query.start()
        second = feed(("record", "a", 6, 4), ("watermark", None, 10, None), ("record", "c", -5, 5))
        third = feed(("watermark", None, 20, None))
    finally:
        query.stop()
    assert first == [fire(None, 3, 8, 2), fire("a", 3, 8, 1), watermark(7)]
    assert second == [
        retract("a", 3, 8, 1),
        fire("a", 3, 11, 1, 4),
        watermark(10),
        ("late", "c", -5, 5),
    ]
    assert third == [watermark(20)]
    stored = session.read.format("statestore").option("stateVarName", "windows")
    rows = [tuple(row.user_map_key) for row in stored.load(str(tmp_path / "checkpoint")).collect()]
    assert rows == [("b", 20, 25)]
