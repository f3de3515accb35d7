"""Samples of a subtask of Flink become rows: what two polls show, and nothing that they do not."""

from __future__ import annotations

from typing import Any

import pytest

from tidegauge.wire.timestamps import MAX
from tidegauge_pipeline.monitor.flink.answers import Edge, Vertex
from tidegauge_pipeline.monitor.flink.channels import channels_of
from tidegauge_pipeline.monitor.flink.subtask_rows import Input, InputSample, SubtaskRows
from tidegauge_pipeline.monitor.flink.vertex_metrics import MOST_SPLITS, SubtaskSample, VertexMetrics

A, B = Input("orders[0]", 0), Input("orders[1]", 1)


class Polled:
    """A subtask whose samples are given one after the other."""

    def __init__(self) -> None:
        self._subtask = SubtaskRows()

    def __call__(
        self,
        records: int | None = None,
        watermark: int | None = None,
        *,
        inputs: dict[Input, InputSample] | None = None,
        attempt: int = 0,
        **more: Any,
    ) -> list[tuple[str, int | None]]:
        """Return the kind of each row with its event time, or its count if it has none."""
        sample = SubtaskSample(records=records, watermark=watermark, **more)
        rows = self._subtask.poll(sample, inputs or {}, attempt)
        assert all(row.count > 0 for row in rows)
        return [
            (
                f"{row.kind} {row.channel}" if row.channel is not None else row.kind,
                row.count if row.event_time is None else row.event_time,
            )
            for row in rows
        ]


def marks(a: int | None, b: int | None) -> dict[Input, InputSample]:
    return {A: InputSample(a), B: InputSample(b)}


def test_counters_give_what_was_counted_between_two_polls() -> None:
    polled = Polled()
    assert polled(100, late=5) == []
    assert polled(130, 1000, late=7) == [("record", 30), ("late", 2), ("watermark", 1000)]
    assert polled(130, 1000, late=7) == []


def test_a_counter_that_is_smaller_was_restarted_and_its_attempt_is_seen_later() -> None:
    polled = Polled()
    polled(100, 1000)
    assert polled(3, 800) == [("restarted", 1), ("record", 3), ("watermark", 800)]
    assert polled(5, 800, attempt=1) == [("record", 2)]
    assert polled(9, 800, attempt=2) == [("restarted", 1), ("record", 4), ("watermark", 800)]


def test_an_attempt_that_is_seen_before_its_metrics() -> None:
    polled = Polled()
    polled(100, 1000)
    assert polled(100, 1000, attempt=1) == [("restarted", 1)]
    assert polled(100, 1000, attempt=1) == []
    assert polled(2, 500, attempt=1) == [("record", 2), ("watermark", 500)]


def test_a_watermark_that_falls_without_a_restart_is_an_older_value() -> None:
    polled = Polled()
    polled(100, 1000)
    assert polled(101, 900) == [("record", 1)]
    assert polled(101, 1000) == []
    assert polled(101, 1001) == [("watermark", 1001)]


def test_an_input_that_was_sampled_too_early_is_waited_for() -> None:
    polled = Polled()
    polled(0, 10, inputs=marks(10, 10))
    assert polled(0, 20, inputs=marks(15, 20)) == [("watermark 0", 15), ("watermark 1", 20)]
    assert polled(0, 20, inputs=marks(20, 20)) == [("watermark 0", 20), ("watermark", 20)]


def test_an_input_that_is_passed_is_idle_until_it_has_caught_up() -> None:
    polled = Polled()
    polled(0, 10, inputs=marks(10, 10))
    assert polled(0, 30, inputs=marks(10, 30)) == [("watermark 1", 30)]
    assert polled(0, 30, inputs=marks(10, 30)) == [("idle 0", 1), ("watermark", 30)]
    assert polled(0, 40, inputs=marks(20, 40)) == [("watermark 1", 40), ("watermark", 40)]
    assert polled(0, 40, inputs=marks(40, 40)) == [("active 0", 1), ("watermark 0", 40)]


def test_the_end_of_time_waits_for_the_end_of_all_inputs() -> None:
    polled = Polled()
    polled(0, 10, inputs=marks(10, 10))
    ended = InputSample(10, has_ended=True)
    assert polled(0, MAX, inputs={A: ended, B: InputSample(10)}) == [("finished 0", 1)]
    assert polled(0, MAX, inputs={A: ended, B: InputSample(10)}) == [("idle 1", 1)]
    assert polled(0, MAX, inputs={A: ended, B: ended}) == [("finished 1", 1), ("watermark", MAX)]


def test_a_blocked_source_that_sends_was_unblocked_meanwhile() -> None:
    polled = Polled()
    polled(0, 10, drift=-50)
    assert polled(0, 70, drift=10) == [("watermark", 70), ("blocked", 1)]
    assert polled(0, 70, drift=10) == []
    assert polled(5, 80, drift=1) == [("unblocked", 1), ("record", 5), ("watermark", 80), ("blocked", 1)]
    assert polled(5, 80, drift=0) == [("unblocked", 1)]


def test_a_source_is_idle_if_all_of_its_splits_are() -> None:
    polled = Polled()

    def splits(idle: float, other: float) -> dict[Input, InputSample]:
        return {Input("p0"): InputSample(10, idle), Input("p1"): InputSample(10, other)}

    polled(0, 10, inputs=splits(0, 0))
    assert polled(0, 10, inputs=splits(1000, 400)) == [("idle", 1)]  # of p0
    assert polled(0, 10, inputs=splits(1000, 1000)) == [("idle", 1), ("idle", 1)]  # of p1, and as a whole
    assert polled(0, 10, inputs=splits(600, 1000)) == []
    assert polled(0, 10, inputs=splits(0, 1000)) == [("active", 1), ("active", 1)]
    assert polled(0, 10, inputs={Input("p0"): InputSample(10, 0)}) == [("finished", 1)]


@pytest.mark.parametrize(
    ("strategy", "width", "parallelism", "sources"),
    [
        ("HASH", 2, 3, [[0, 1], [], []]),
        ("FORWARD", 3, 3, [[0], [1], [2]]),
        ("RESCALE", 4, 2, [[0, 1], [2, 3]]),
        ("RESCALE", 2, 4, [[0], [0], [1], [1]]),
        ("RESCALE", 2, 3, [[0], [0], [1]]),
        ("FORWARD", 0, 2, [[], []]),
    ],
)
def test_channels_come_from_the_subtasks_that_a_subtask_reads(
    strategy: str, width: int, parallelism: int, sources: list[list[int]]
) -> None:
    edges = [Edge("a", 0, strategy)]
    assert [
        [channel.subtask for channel in channels_of(edges, subtask, parallelism, {"a": width})]
        for subtask in range(parallelism)
    ] == sources


def test_the_channels_of_a_second_input_have_further_numbers() -> None:
    channels = channels_of([Edge("b", 1, "HASH"), Edge("a", 0, "HASH")], 0, 2, {"a": 2, "b": 3})
    assert [(channel.number, channel.vertex, channel.subtask) for channel in channels] == [
        *((number, "a", number) for number in range(2)),
        *((number + 2, "b", number) for number in range(3)),
    ]


def vertex(name: str, parallelism: int = 1) -> Vertex:
    return Vertex("v", name, parallelism, "RUNNING")


def test_the_first_operator_counts_and_the_last_one_gives_the_watermark() -> None:
    operators = ("Source__orders", "Map", "Timestamps/Watermarks")
    names = [f"0.{each}.currentOutputWatermark" for each in operators]
    metrics = VertexMetrics(vertex("Source: orders -> Map -> Timestamps/Watermarks"), True, names)
    values = {f"0.{each}.numRecordsOut": str(number) for number, each in enumerate(operators, 7)}
    values |= {f"0.{each}.currentOutputWatermark": str(number) for number, each in enumerate(operators, 70)}
    (sample,) = metrics.samples(values)
    assert (sample.records, sample.watermark) == (7, 72)


def test_the_names_of_many_subtasks_are_spread_over_requests() -> None:
    metrics = VertexMetrics(vertex("sums", 500), False, ["0.sums.currentOutputWatermark"])
    queries = list(metrics.queries())
    assert len(queries) > 1
    assert all(len(query) <= 3500 for query in queries)
    assert len(",".join(queries).split(",")) == 1000


def test_too_many_splits_are_left_out() -> None:
    def names(number: int) -> list[str]:
        of_splits = [f"0.Source__a.split.p-{split}.watermark.currentWatermark" for split in range(number)]
        return ["0.Source__a.currentOutputWatermark", *of_splits]

    for number, shown in ((MOST_SPLITS, MOST_SPLITS), (2 * MOST_SPLITS + 1, 0)):
        metrics = VertexMetrics(vertex("Source: a"), True, names(number))
        (sample,) = metrics.samples(dict.fromkeys(names(number), "5"))
        assert len(sample.splits) == shown
