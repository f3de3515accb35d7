"""Steps and outputs in words: every one that the kit knows, and those that it does not."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest
from report_samples import ACTIVE, IDLE, REFUSED, idle, sent, watermark

from tidegauge.wire.vocabulary import (
    Announcement,
    AnyOutput,
    Fire,
    LogEvent,
    NotifyNewLowWatermark,
    Output,
    Reading,
    RecordAttributes,
    SplitsPaused,
)
from tidegauge_reports.wording import (
    duration_words,
    grouped_words,
    output_words,
    outputs_words,
    step_words,
)

_EXAMPLES = {
    "timestamp": 5, "nanoseconds": 5, "watermark": 5, "low_watermark": 5, "bound": 5, "start": 0, "end": 5,
    "max_allowed_watermark_drift": 5, "update_interval": 5, "value": 5, "records": 5, "values": (5,),
    "splits": ("a",), "backlog": True, "error": "illegal-state", "task": "v/0", "watermark_group": "g",
    "to": "v/0",
}  # fmt: skip


def wire(output: Output) -> dict[str, Any]:
    """An output as results hold it."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(output))
    return found


@pytest.mark.parametrize("kind", [kind for kind in get_args(AnyOutput) if kind is not LogEvent])
def test_every_output_of_a_component_has_words_of_its_own(kind: type[Output]) -> None:
    """The words for outputs that are not known name their fields: `bound=5`."""
    words = output_words(wire(kind(**{name: _EXAMPLES[name] for name in kind.__struct_fields__})))
    assert "=" not in words
    assert "_" not in words


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (sent(10), "watermark 10"),
        (IDLE, "IDLE"),
        (ACTIVE, "ACTIVE"),
        (REFUSED, "error illegal-argument"),
        (wire(Reading(10_000_000_001)), "reading 10 s 1 ns"),
        (wire(Announcement(7, "a/0")), "bound 7 to a/0"),
        (wire(SplitsPaused(("a", "b"))), "pause a, b"),
        (wire(NotifyNewLowWatermark(9, 5, "v/1")), "tell 9, round 5 to v/1"),
        (wire(RecordAttributes(False)), "NO BACKLOG"),
        (wire(Fire(0, 10, (1, 3))), "fire [0, 10): 1, 3"),
        ({"output": "fire", "start": 0}, "fire start=0"),
        ({"output": "fire", "start": [], "end": None, "values": {}}, "fire [[], null): {}"),
        ({"output": "{0.x}", "timestamp": 1}, "{0.x} timestamp=1"),
        ({"output": "watermark", "timestamp": "{timestamp}"}, "watermark {timestamp}"),
        ({"output": ["watermark"]}, '["watermark"]'),
        ({}, "(no output)"),
        ({"output": "watermark", "timestamp": 3, "to": "x"}, "watermark 3 to x"),
    ],
)
def test_an_output_in_words(output: dict[str, Any], words: str) -> None:
    assert output_words(output) == words


def test_the_same_to_several_receivers_in_a_row_is_said_once() -> None:
    bounds = [wire(Announcement(7, "a/0")), wire(Announcement(7, "a/1")), wire(Announcement(8, "a/2"))]
    assert grouped_words(bounds) == ["bound 7 to a/0, a/1", "bound 8 to a/2"]
    assert grouped_words([sent(1), sent(1)]) == ["watermark 1", "watermark 1"]
    assert outputs_words([*bounds[1:], IDLE]) == "bound 7 to a/1, then bound 8 to a/2, then IDLE"
    assert outputs_words([]) == "nothing"


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (watermark(0, 10), "channel 0: watermark 10"),
        (idle(1), "channel 1: idle"),
        ({"step": "snapshot"}, "snapshot"),
        ({"step": "pause"}, "pause backpressure"),
        ({"step": "advance", "nanoseconds": 3 * 10**9}, "advance 3 s"),
        ({"step": "advance", "milliseconds": -1500}, "advance −1,500 ms"),
        (
            {"step": "watermark", "split": "a", "timestamp": 1, "deferred": True},
            "split a: watermark 1 deferred",
        ),
        ({"step": "watermark", "split": "a", "timestamp": 1, "deferred": False}, "split a: watermark 1"),
        ({"step": "record", "split": None, "timestamp": "MIN"}, "main output: record MIN"),
        ({"step": "backpressure", "on": False}, "backpressure off"),
        ({"step": "report", "source": "s", "subtask": 1, "watermark": "MAX"}, "subtask s/1: report MAX"),
        ({"step": "restart", "source": "s"}, "source s: restart"),
        (
            {"step": "notify", "vertex": "v", "task": 0, "low_watermark": 4, "timestamp": 5},
            "task v/0: notify 4 round 5",
        ),
        ({"step": "attributes", "channel": 2, "backlog": False}, "channel 2: attributes no backlog"),
        ({"step": "record", "timestamp": 4, "value": 9}, "record 4 value 9"),
        ({"step": "advance", "nanoseconds": "soon"}, "advance nanoseconds soon"),
        ({"step": 3, "channel": None}, "channel null: 3"),
        ({}, "(no step)"),
    ],
)
def test_a_step_in_words(step: dict[str, Any], words: str) -> None:
    assert step_words(step) == words


def test_values_that_cannot_be_written_have_words_all_the_same() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert step_words({"step": "x", "y": [10**5000]}) == "x y a value beyond all bounds"
    assert step_words({"step": "x", "y": deep}) == "x y a value beyond all bounds"
    assert step_words({"step": "x", "timestamp": 10**5000}) == "x a number beyond 64 bits"


def test_a_duration_is_exact() -> None:
    assert [duration_words(number, "ns") for number in (0, 7, 10**6, 1_500_000, -2 * 10**9, 3 * 10**9 + 2)] == [
        "0 ns", "7 ns", "1 ms", "1,500,000 ns", "−2 s", "3 s 2 ns",
    ]  # fmt: skip
    assert duration_words(90_000, "ms") == "90,000 ms"
