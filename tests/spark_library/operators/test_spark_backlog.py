"""Backlog of tidegauge_spark: what rows of data and the Spark conf add to the rules, which the suites judge.

Expectations are worked out by hand from the rule in the name of the test. Timestamps, processing times and
durations are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from component_scenarios import drawn
from judged import failing_rules
from pyspark.sql import Row
from pyspark.sql.functions import col, lit
from pyspark.sql.streaming.tws_tester import TwsTester

from tidegauge.wire.steps.backlog import CombinerSetup, DetectorSetup
from tidegauge_adapters.spark.adapter import SparkAdapter
from tidegauge_adapters.spark_session.session import running_spark
from tidegauge_spark import (
    WATERMARK_LAG_CONF,
    IllegalOptionError,
    combine_record_attributes,
    run_backlog_detectors,
)
from tidegauge_spark.decisions.backlog import (
    WATERMARK_LAG_THRESHOLD,
    BacklogDetector,
    RecordAttributesCombiner,
)
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.operators.backlog import (
    BACKLOG_DETECTOR_INPUT_SCHEMA,
    RECORD_ATTRIBUTES_INPUT_SCHEMA,
    BacklogDetectorProcessor,
    RecordAttributesProcessor,
)
from tidegauge_spark.source.options.lag_threshold import watermark_lag_threshold

BACKLOG = ("record-attributes", True)
CAUGHT_UP = ("record-attributes", False)
REFUSED = ("error", "illegal-argument")


def detector_row(kind: str | None, sequence: int | None = 0, **columns: Any) -> Row:
    given = {"key": "k", "sequence": sequence, "kind": kind, **columns}
    return Row(**{name: given.get(name) for name in BACKLOG_DETECTOR_INPUT_SCHEMA.names})


def attributes_row(channel: int | None, backlog: bool | None, kind: str = "record-attributes") -> Row:
    return Row(*RECORD_ATTRIBUTES_INPUT_SCHEMA.names)("k", 0, kind, channel, backlog)


def each(tester: TwsTester, *rows: Row) -> list[list[tuple[str, Any]]]:
    """What each row answers in a batch of its own."""
    return [[_answer(row) for row in tester.test("k", [step])] for step in rows]


def _answer(row: Row) -> tuple[str, Any]:
    own = {"watermark": row.timestamp, "record-attributes": row.backlog, "error": row.error}
    return row.kind, own[row.kind]


def plain(outputs: Sequence[Any]) -> list[tuple[str, Any]]:
    return [(output.kind, output[1] if output.kind == "watermark" else output.backlog) for output in outputs]


def detector_at(threshold: int | None, now: int) -> BacklogDetector:
    detector = BacklogDetector(threshold)
    assert detector.clock(now) == []
    return detector


# The rules that a user of the processor has to know


def test_backlog_4_and_6_a_lag_beyond_the_threshold_follows_its_watermark() -> None:
    detector = detector_at(10, 100)
    assert plain(detector.watermark(89)) == [("watermark", 89), BACKLOG]
    assert plain(detector.watermark(90)) == [("watermark", 90), CAUGHT_UP]  # a lag of 10 is within 10


def test_backlog_7_caught_up_is_final_and_idleness_is_not_catching_up() -> None:
    detector = detector_at(10, 100)
    detector.watermark(50)
    assert plain(detector.idle()) == [CAUGHT_UP]
    assert plain(detector.active()) == [BACKLOG]
    assert plain(detector.watermark(95)) == [("watermark", 95), CAUGHT_UP]
    detector.clock(1000)
    assert plain(detector.watermark(96)) == [("watermark", 96)]


def test_backlog_8_the_lag_claim_falls_with_idleness_and_the_others_stay() -> None:
    detector = detector_at(10, 100)
    assert plain(detector.other(True)) == [BACKLOG]
    assert plain(detector.watermark(50)) == [("watermark", 50)]
    assert detector.idle() == []
    assert plain(detector.other(False)) == [CAUGHT_UP]


def test_backlog_5_the_ends_of_time_are_not_looked_at() -> None:
    detector = detector_at(10, 100)
    assert detector.watermark(MIN) == []
    assert plain(detector.watermark(MIN + 1)) == [("watermark", MIN + 1), BACKLOG]
    assert plain(detector.watermark(MAX)) == [("watermark", MAX)]


def test_backlog_10_false_waits_for_those_that_will_speak() -> None:
    combiner = RecordAttributesCombiner(3, without_strategy=(2,))
    assert combiner.attributes(0, False) == []
    assert plain(combiner.attributes(1, True)) == [BACKLOG]
    assert plain(combiner.attributes(1, False)) == [CAUGHT_UP]
    assert plain(combiner.attributes(2, True)) == [BACKLOG]


# Rows


def test_a_job_without_the_option_gets_watermarks_and_no_attributes() -> None:
    tester = TwsTester(BacklogDetectorProcessor())
    rows = [
        detector_row("clock", now=10**12),
        detector_row("watermark", timestamp=5),
        detector_row("idle"),
        detector_row("active"),
        detector_row("other", backlog=False),
    ]
    assert each(tester, *rows) == [[], [("watermark", 5)], [], [], [CAUGHT_UP]]


def test_a_threshold_of_the_processor_holds_for_each_key_and_is_kept_with_its_state() -> None:
    tester = TwsTester(BacklogDetectorProcessor(10))
    assert each(tester, detector_row("clock", now=100), detector_row("watermark", timestamp=89)) == [
        [],
        [("watermark", 89), BACKLOG],
    ]
    restarted = TwsTester(BacklogDetectorProcessor(1000))
    restarted.updateValueState("detector", "k", tuple(tester.peekValueState("detector", "k")))
    assert each(restarted, detector_row("watermark", timestamp=89)) == [[("watermark", 89)]]
    assert each(restarted, detector_row("watermark", timestamp=90)) == [[("watermark", 90), CAUGHT_UP]]


def test_an_option_that_comes_as_a_row_overrides_the_threshold_before_the_start_only() -> None:
    tester = TwsTester(BacklogDetectorProcessor(1000))
    threshold = WATERMARK_LAG_THRESHOLD
    rows = [
        detector_row("configure", option="pipeline.backlog.watermark-lag-treshold", milliseconds=-1),
        detector_row("configure", option=threshold, milliseconds=10),
        detector_row("configure", option=threshold, milliseconds=0),
        detector_row("clock", now=100),
        detector_row("configure", option=threshold, milliseconds=0),
        detector_row("watermark", timestamp=89),
    ]
    assert each(tester, *rows) == [[], [], [REFUSED], [], [], [("watermark", 89), BACKLOG]]


def test_a_refused_step_changes_nothing_and_does_not_start_the_subtask() -> None:
    tester = TwsTester(BacklogDetectorProcessor())
    refused = [
        detector_row("configure", milliseconds=5),
        detector_row("configure", option=WATERMARK_LAG_THRESHOLD),
        detector_row("clock"),
        detector_row("watermark"),
        detector_row("other"),
        detector_row("record-attributes", backlog=True),
        detector_row(None),
        detector_row("idle", sequence=None),
    ]
    assert each(tester, *refused) == [[REFUSED]] * len(refused)
    assert tester.peekValueState("detector", "k") is None
    assert each(
        tester,
        detector_row("configure", option=WATERMARK_LAG_THRESHOLD, milliseconds=1),
        detector_row("idle"),
    ) == [[], [CAUGHT_UP]]


def test_a_combiner_refuses_channels_it_does_not_have_and_goes_on() -> None:
    tester = TwsTester(RecordAttributesProcessor(2))
    refused = [
        attributes_row(2, True),
        attributes_row(-1, True),
        attributes_row(None, True),
        attributes_row(0, None),
        attributes_row(0, True, kind="watermark"),
    ]
    assert each(tester, *refused) == [[REFUSED]] * len(refused)
    assert each(tester, attributes_row(0, False), attributes_row(1, False)) == [[], [CAUGHT_UP]]


def test_what_channels_have_said_is_kept_in_the_state() -> None:
    tester = TwsTester(RecordAttributesProcessor(2))
    assert each(tester, attributes_row(1, True)) == [[BACKLOG]]
    restarted = TwsTester(RecordAttributesProcessor(2))
    restarted.updateValueState("combiner", "k", tuple(tester.peekValueState("combiner", "k")))
    assert each(restarted, attributes_row(0, False), attributes_row(1, False)) == [[], [CAUGHT_UP]]


@pytest.mark.parametrize("make", [BacklogDetector, BacklogDetectorProcessor])
@pytest.mark.parametrize("threshold", [0, -5])
def test_a_threshold_that_cannot_be_is_refused_before_the_query_starts(make: Any, threshold: int) -> None:
    with pytest.raises(IllegalArgumentError, match=f"{threshold} ms is no threshold"):
        make(threshold)


@pytest.mark.parametrize("make", [RecordAttributesCombiner, RecordAttributesProcessor])
@pytest.mark.parametrize(
    ("arguments", "problem"), [((0,), "at least one channel"), ((2, (2,)), "no channel 2 among 2")]
)
def test_channels_that_cannot_be_are_refused_before_the_query_starts(
    make: Any, arguments: tuple[Any, ...], problem: str
) -> None:
    with pytest.raises(IllegalArgumentError, match=problem):
        make(*arguments)


# Wrong ones


class AttributesFirst(BacklogDetectorProcessor):
    """The attributes that a watermark brings about go out before it."""

    def take(self, component: BacklogDetector, step: Row) -> Sequence[tuple[Any, ...]]:
        return super().take(component, step)[::-1]


def test_a_wrong_detector_fails_its_rule_by_name() -> None:
    adapter = SparkAdapter.having(backlog=lambda setup: AttributesFirst())({"engine": "tester"})
    detectors = [one for one in drawn("backlog", 150) if one.setup == DetectorSetup()]
    assert failing_rules(adapter, detectors) == {"BACKLOG-6"}


def test_a_combiner_that_waits_for_nobody_fails_its_rule_by_name() -> None:
    def make(setup: CombinerSetup) -> RecordAttributesProcessor:
        return RecordAttributesProcessor(setup.channels, range(setup.channels))

    adapter = SparkAdapter.having(backlog=make)({"engine": "tester"})
    combiners = [one for one in drawn("backlog", 100) if isinstance(one.setup, CombinerSetup)]
    assert failing_rules(adapter, combiners) == {"BACKLOG-10"}


# The job's option, and data frames


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [(None, None), ("30 seconds", 30_000), ("1 minute 500 milliseconds", 60_500), ("1ms", 1)],
)
def test_the_threshold_of_the_job_is_a_duration_in_the_spark_conf(
    text: str | None, milliseconds: int | None
) -> None:
    spark = running_spark().session.newSession()
    if text is not None:
        spark.conf.set(WATERMARK_LAG_CONF, text)
    spark.conf.set("pipeline.backlog.watermark-lag-treshold", "none at all")
    assert watermark_lag_threshold(spark) == milliseconds


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0 seconds", "the duration '0 seconds' is 0"),
        ("-1 seconds", "the duration '-1 seconds' is negative"),
        ("30000", "the duration '30000' is not a number and a unit"),
        ("", "the duration '' is not a number and a unit"),
        ("1 month", "unknown unit 'month'"),
        ("0.5 milliseconds", "is not a whole number of milliseconds"),
        ("999999999999999 weeks", "is more than 9223372036854775807 milliseconds"),
    ],
)
def test_a_wrong_threshold_in_the_spark_conf_is_named(text: str, problem: str) -> None:
    spark = running_spark().session.newSession()
    spark.conf.set(WATERMARK_LAG_CONF, text)
    with pytest.raises(IllegalOptionError, match=problem) as refused:
        watermark_lag_threshold(spark)
    assert str(refused.value).startswith("Spark conf spark.tidegauge.backlog.watermarkLagThreshold: ")


@pytest.mark.xdist_group("spark")
def test_the_threshold_under_its_name_in_flink_is_refused_with_the_one_on_spark() -> None:
    spark = running_spark().session.newSession()
    spark.conf.set(WATERMARK_LAG_THRESHOLD, "30 seconds")
    with pytest.raises(IllegalOptionError) as refused:
        watermark_lag_threshold(spark)
    assert str(refused.value) == (
        "Spark conf pipeline.backlog.watermark-lag-threshold = '30 seconds': on Spark it is called "
        "spark.tidegauge.backlog.watermarkLagThreshold; set that, and unset this one"
    )


@pytest.mark.xdist_group("spark")
def test_the_flag_of_a_source_is_that_of_its_subtasks_together() -> None:
    spark = running_spark().session
    steps = [
        detector_row("clock", 1, key="0", now=100),
        detector_row("clock", 1, key="1", now=100),
        detector_row("watermark", 2, key="0", timestamp=99),
        detector_row("watermark", 3, key="1", timestamp=50),
        detector_row("watermark", 4, key="1", timestamp=95),
    ]
    subtasks = run_backlog_detectors(spark.createDataFrame(steps, BACKLOG_DETECTOR_INPUT_SCHEMA), 10)
    attributes = subtasks.where("kind = 'record-attributes'").select(
        lit("source").alias("key"), "sequence", "kind", col("key").cast("int").alias("channel"), "backlog"
    )
    found = combine_record_attributes(attributes, 2).orderBy("sequence").collect()
    assert [(row.key, row.sequence, row.kind, row.backlog) for row in found] == [
        ("source", 3, "record-attributes", True),
        ("source", 4, "record-attributes", False),
    ]
