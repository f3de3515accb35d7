"""The example of the idleness FLIP, for two splits of one subtask, and other blocked outputs. Times in ms."""

from ..wire.steps.source import SourceSetup
from .source_lines import (
    BLOCKED,
    UNBLOCKED,
    advance,
    announcement,
    assign,
    backpressure,
    finish,
    paused,
    record,
    report,
    resumed,
    source_vector,
    tick,
)
from .written import IDLE, Line

MINUTE = 60_000
MONOTONOUS = SourceSetup("bounded-out-of-orderness", idle_timeout=MINUTE, start=1)


def _b_is_busy(*jumps: Line) -> list[Line]:
    """A is paused at 1042 s. For longer than the idle timeout there are only records of B; then it jumps."""
    return [
        assign("a"),
        assign("b"),
        record("a", 1_042_001),
        record("b", 1_000_001),
        tick(1_000_000),
        report(1_000_000),
        announcement(1_030_000, paused("a")),
        record("b", 1_000_001),
        tick(),
        advance(MINUTE + 1),
        *jumps,
        advance(MINUTE + 1),
        record("b", 5_000_001),
    ]


def _a_goes_on(bound: int) -> list[Line]:
    """A is admitted, and none of its records is late."""
    return [
        announcement(bound, resumed("a"), UNBLOCKED),
        record("a", 1_042_001),
        record("a", 1_043_001),
        tick(1_043_000),
    ]


VECTORS = (
    source_vector(
        "idleness-flip-stays",
        "A at 1042 s is paused, B stays at 1000 s for longer than the idle timeout, then jumps to 5000 s",
        "B7, B8, B9, B10, B12, B13, B14, B15, B16",
        ("SOURCE-9", "SOURCE-10", "SOURCE-13"),
        MONOTONOUS,
        [
            *_b_is_busy(record("b", 1_000_001), tick()),
            tick(1_042_000, paused("b"), BLOCKED),
            report(1_042_000),
            *_a_goes_on(1_072_000),
        ],
    ),
    source_vector(
        "idleness-flip-moves",
        "A at 1042 s is paused, B moves to 1005 s within the idle timeout, then jumps to 5000 s",
        "B7, B8, B9, B11, B12, B13, B14, B15, B16",
        ("SOURCE-9", "SOURCE-10", "SOURCE-13"),
        MONOTONOUS,
        [
            *_b_is_busy(record("b", 1_005_001), tick(1_005_000), report(1_005_000), announcement(1_035_000)),
            tick(1_042_000, paused("b"), BLOCKED),
            report(1_042_000),
            *_a_goes_on(1_072_000),
        ],
    ),
    source_vector(
        "idleness-flip-both-blocked",
        "Neither reads for a long time: both were ahead of another subtask, and neither is idle",
        "B3, B4, B5, B37",
        ("SOURCE-13",),
        MONOTONOUS,
        [
            assign("a"),
            assign("b"),
            record("a", 1_042_001),
            record("b", 1_041_001),
            tick(1_041_000),
            announcement(1_030_000, paused("a", "b"), BLOCKED),
            tick(),
            advance(MINUTE + 1),
            tick(),
            advance(MINUTE + 1),
            tick(),
            report(1_041_000),
            announcement(1_071_000, resumed("a", "b"), UNBLOCKED),
            record("b", 1_041_500),
            tick(1_041_499),
        ],
    ),
    source_vector(
        "backpressure",
        "Backpressure does not count: idle after the timeout that was left when it began",
        "B2, B4, B37",
        ("SOURCE-13",),
        SourceSetup("punctuated", idle_timeout=10, start=1),
        [
            assign("a"),
            record("a", 1, 1),
            tick(),
            tick(),
            advance(4),
            backpressure(True),
            advance(MINUTE),
            tick(),
            assign("b"),
            advance(MINUTE),
            finish("b"),
            backpressure(False),
            advance(6),
            tick(),
            advance(1),
            tick(IDLE),
        ],
    ),
    source_vector(
        "blocked-main-output",
        "The main output of a blocked subtask does not become idle",
        "B3, B4, B5, FLINK-36751",
        ("SOURCE-13",),
        SourceSetup("punctuated", idle_timeout=10, per_split_outputs=False, start=1),
        [
            assign("a"),
            record("a", 5, 5),
            tick(),
            tick(),
            announcement(4, BLOCKED),
            advance(MINUTE),
            tick(),
            announcement(5, UNBLOCKED),
            advance(10),
            tick(),
            advance(1),
            tick(IDLE),
        ],
    ),
    source_vector(
        "blocked-reader-cannot-pause",
        "Where the reader cannot pause splits, their clocks stand still while the subtask is blocked",
        "B3, B4, B5, FLINK-36751",
        ("SOURCE-13", "SOURCE-12"),
        SourceSetup("punctuated", idle_timeout=10, can_pause=False, allow_unaligned_splits=True, start=1),
        [
            assign("a"),
            record("a", 5, 5),
            tick(),
            tick(),
            announcement(4, BLOCKED),
            advance(MINUTE),
            tick(),
            announcement(5, UNBLOCKED),
            advance(11),
            tick(IDLE),
        ],
    ),
)
