"""Splits and inputs of tidegauge_spark: what rows of data add to the rules, which the kit's suites judge.

Expectations are worked out by hand from the rule in the name of the test. Timestamps are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from component_scenarios import drawn
from judged import accused_rules, failing_rules
from pyspark.sql import Row
from pyspark.sql.functions import col, lit
from pyspark.sql.streaming.tws_tester import TwsTester

from tidegauge.wire.steps.splits import OperatorInputsSetup, SplitOutputsSetup
from tidegauge_adapters.spark.adapter import SparkAdapter
from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import run_inputs, run_splits
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.splits import InputWatermarks, SplitWatermarks
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.operators.splits import (
    INPUTS_INPUT_SCHEMA,
    SPLITS_INPUT_SCHEMA,
    InputsProcessor,
    SplitsProcessor,
)
from tidegauge_spark.operators.stepped_processor import SteppedProcessor

ACTIVE = ("active", None)
IDLE = ("idle", None)
BAD_ARGUMENT = ("error", "illegal-argument")
BAD_STATE = ("error", "illegal-state")

split_row = Row(*SPLITS_INPUT_SCHEMA.names)
input_row = Row(*INPUTS_INPUT_SCHEMA.names)


def split(kind: str | None, name: str | None = None, timestamp: int | None = None, **own: Any) -> Row:
    return split_row(own.get("key", "k"), own.get("sequence", 0), kind, name, timestamp, own.get("deferred"))


def batch(tester: TwsTester, rows: Sequence[Row], key: str = "k") -> list[tuple[str, Any]]:
    """What a batch answers: kinds, with the timestamp of a watermark and the error of a refusal."""
    return [
        (row.kind, row.error if row.kind == "error" else row.timestamp)
        for row in tester.test(key, list(rows))
    ]


def each(tester: TwsTester, *rows: Row) -> list[list[tuple[str, Any]]]:
    """What each row answers in a batch of its own."""
    return [batch(tester, [row]) for row in rows]


def at(*timestamps: int) -> SplitWatermarks:
    """Splits "a", "b", ... that have delivered these."""
    splits = SplitWatermarks()
    for name, _ in zip("abcdef", timestamps, strict=False):
        splits.add_split(name)
    for name, timestamp in zip("abcdef", timestamps, strict=False):
        splits.watermark(name, timestamp)
    return splits


# What separates the combination from a valve


def test_split_9_a_part_that_comes_back_behind_holds_the_output() -> None:
    splits = at(10, 20)
    assert splits.idle("a") == [("watermark", 20)]
    assert splits.active("a") == []
    assert splits.watermark("b", 30) == []  # a valve would leave the lagging "a" out, and be at 30
    assert splits.watermark("a", 25) == [("watermark", 25)]


def test_split_8_a_watermark_that_says_nothing_new_ends_idleness() -> None:
    splits = at(10)
    assert splits.idle("a") == [IDLE]
    assert splits.watermark("a", 10) == [ACTIVE]  # a valve does not hear it
    assert splits.watermark("a", 10) == []


def test_split_10_a_watermark_that_does_not_rise_above_the_output_is_no_update() -> None:
    splits = at(10, 20)
    splits.idle("a")
    assert splits.idle("b") == [IDLE]
    assert splits.active("a", deferred=True) == []
    assert splits.watermark("a", 20) == []
    assert splits.tick() == [ACTIVE]


def test_split_5_a_larger_flush_while_idle_is_announced_and_taken_back() -> None:
    splits = at(10, 20)
    assert splits.idle("a") == [("watermark", 20)]
    assert splits.idle("b") == [IDLE]
    assert splits.watermark("a", 15, deferred=True) == []
    assert splits.watermark("a", 40, deferred=True) == []
    assert splits.idle("a", deferred=True) == []
    assert splits.tick() == [ACTIVE, ("watermark", 40), IDLE]


def test_split_11_the_end_needs_every_part() -> None:
    splits = at(10, 20)
    assert splits.watermark("a", MAX) == [("watermark", 20)]
    assert splits.idle("b") == [IDLE]
    assert splits.watermark("b", MAX) == [ACTIVE, ("watermark", MAX)]


def test_split_7_without_splits_there_is_no_end_and_a_new_one_is_waited_for() -> None:
    splits = at(MAX - 1)
    assert splits.remove_split("a") == []
    assert splits.tick() == [IDLE]
    assert splits.add_split("b") == []
    assert splits.tick() == [ACTIVE]
    assert splits.watermark("b", MIN) == []


# Rows


def test_the_steps_of_a_batch_are_taken_by_sequence_and_answers_name_their_step() -> None:
    tester = TwsTester(SplitsProcessor())
    rows = [
        split("idle", "a", sequence=4),
        split("watermark", "a", 7, sequence=3),
        split("add-split", "a", sequence=2),
        split("tick", sequence=1),
    ]
    found = [(row.key, row.sequence, row.position, row.kind, row.timestamp) for row in tester.test("k", rows)]
    assert found == [
        ("k", 1, 0, "idle", None),
        ("k", 3, 0, "active", None),
        ("k", 3, 1, "watermark", 7),
        ("k", 4, 0, "idle", None),
    ]


def test_a_refused_step_changes_nothing_and_the_next_one_is_taken() -> None:
    tester = TwsTester(SplitsProcessor())
    assert each(tester, split("add-split", "a"), split("watermark", "a", 5)) == [[], [("watermark", 5)]]
    before = tester.peekValueState("splits", "k")
    refused = [
        split("watermark", "b", 9),
        split("watermark", "b", 9, deferred=True),
        split("idle", "b"),
        split("active", "b"),
        split("watermark", "a"),
        split("watermark", None, 9),
        split("add-split"),
        split("remove-split"),
        split("input-watermark", "a", 9),
        split(None, "a", 9),
        split("tick", sequence=None),
    ]
    assert each(tester, *refused) == [[BAD_ARGUMENT]] * len(refused)
    assert each(tester, split("add-split", "a")) == [[BAD_STATE]]
    assert tester.peekValueState("splits", "k") == before
    assert each(tester, split("watermark", "a", 6)) == [[("watermark", 6)]]


def test_a_key_all_of_whose_steps_were_refused_leaves_no_state() -> None:
    tester = TwsTester(SplitsProcessor())
    assert batch(tester, [split("watermark", "a", 5), split("nonsense")]) == [BAD_ARGUMENT] * 2
    assert tester.peekValueState("splits", "k") is None


def test_a_deferred_change_is_in_the_state_between_batches() -> None:
    tester = TwsTester(SplitsProcessor())
    each(tester, split("add-split", "a"), split("add-split", "b"), split("watermark", "a", 2))
    assert each(tester, split("watermark", "b", 3, deferred=True), split("idle", "a", deferred=True)) == [
        [],
        [],
    ]
    after_restart = TwsTester(SplitsProcessor())
    after_restart.updateValueState("splits", "k", tuple(tester.peekValueState("splits", "k")))
    assert each(after_restart, split("tick")) == [[("watermark", 3)]]


def test_keys_do_not_see_one_another() -> None:
    tester = TwsTester(SplitsProcessor())
    assert batch(tester, [split("add-split", "a"), split("watermark", "a", 5)], "one") == [("watermark", 5)]
    assert batch(tester, [split("watermark", "a", 5)], "two") == [BAD_ARGUMENT]


def test_an_operator_has_the_inputs_of_its_processor() -> None:
    tester = TwsTester(InputsProcessor(2))
    rows = [
        input_row("k", 1, "watermark", 0, 2**62),
        input_row("k", 2, "watermark", 1, 5),
        input_row("k", 3, "watermark", 2, 5),
        input_row("k", 4, "watermark", -1, 5),
        input_row("k", 5, "tick", None, None),
        input_row("k", 6, "idle", 1, None),
        input_row("k", 7, "active", 1, None),
        input_row("k", 8, "watermark", None, 7),
        input_row("k", 9, "watermark", 1, None),
    ]
    assert batch(tester, rows) == [
        ("watermark", 5),
        *[BAD_ARGUMENT] * 3,
        ("watermark", 2**62),
        *[BAD_ARGUMENT] * 2,
    ]


@pytest.mark.parametrize("make", [InputsProcessor, InputWatermarks])
def test_an_operator_without_inputs_is_refused_before_the_query_starts(make: Any) -> None:
    with pytest.raises(IllegalArgumentError, match="at least one input, not 0"):
        make(0)


@pytest.mark.parametrize("processor", [SplitsProcessor(), InputsProcessor(1)])
def test_a_processor_without_rows_neither_answers_nor_writes(processor: SteppedProcessor[Any]) -> None:
    tester = TwsTester(processor)
    assert tester.test("k", []) == []
    assert tester.peekValueState(processor.state_name, "k") is None


# Wrong ones


class NothingDeferred(SplitsProcessor):
    """Every change is sent at once."""

    def take(self, component: SplitWatermarks, step: Row) -> Sequence[tuple[Any, ...]]:
        return super().take(component, Row(**{**step.asDict(), "deferred": False}))


class CountedFromTheEnd(InputsProcessor):
    """A negative input is one from the end, as an index of a list."""

    def take(self, component: InputWatermarks, step: Row) -> Sequence[tuple[Any, ...]]:
        inputs = len(component.state().parts)
        number = step.input + inputs if -inputs <= step.input < 0 else step.input
        return super().take(component, Row(**{**step.asDict(), "input": number}))


@pytest.mark.slower
def test_a_wrong_processor_of_splits_fails_its_rule_by_name() -> None:
    adapter = SparkAdapter.having(splits=lambda setup: NothingDeferred())({"engine": "tester"})
    of_splits = [one for one in drawn("splits", 100) if one.setup == SplitOutputsSetup()]
    assert failing_rules(adapter, of_splits) == {"SPLIT-10"}


def test_a_wrong_processor_of_inputs_fails_its_rule_by_name() -> None:
    adapter = SparkAdapter.having(splits=lambda setup: CountedFromTheEnd(setup.inputs))({"engine": "tester"})
    of_inputs = [one for one in drawn("splits", 200) if isinstance(one.setup, OperatorInputsSetup)]
    assert accused_rules(adapter, of_inputs) == {"SPLIT-12"}


# Data frames


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_subtasks_of_two_sources_are_the_inputs_of_an_operator() -> None:
    spark = running_spark().session
    steps = [
        split("add-split", "a", key="0", sequence=1),
        split("watermark", "a", 30, key="0", sequence=2),
        split("add-split", "a", key="1", sequence=3),
        split("add-split", "b", key="1", sequence=4),
        split("watermark", "a", 10, key="1", sequence=5),
        split("watermark", "b", 20, key="1", sequence=6),
        split("idle", "a", key="1", sequence=7),
        split("idle", "b", key="1", sequence=8),
    ]
    subtasks = run_splits(spark.createDataFrame(steps, SPLITS_INPUT_SCHEMA))
    inputs = subtasks.select(
        lit("join").alias("key"), "sequence", "kind", col("key").cast("int").alias("input"), "timestamp"
    )
    found = run_inputs(inputs, 2).orderBy("sequence", "position").collect()
    assert [(row.key, row.sequence, row.kind, row.timestamp) for row in found] == [
        ("join", 6, "watermark", 10),
        ("join", 7, "watermark", 20),
        ("join", 8, "watermark", 30),
    ]
    timed = inputs.withColumn("timestamp", col("timestamp").cast("timestamp"))
    with pytest.raises(
        IllegalArgumentError, match="'timestamp' of the steps is timestamp; cast it to bigint"
    ):
        run_inputs(timed, 2)
    with pytest.raises(IllegalArgumentError, match=r"no column 'split' \(string\); they have key, sequence"):
        run_splits(inputs)
