"""Generators and strategies, from the essay, FLIP-182 and the FLIP on idleness. Times of day are ms since
midnight."""

from typing import Any

from msgspec.structs import replace

from ..vectors import Vector
from ..wire.steps.generator import (
    ActiveStep,
    AdvanceStep,
    AlignmentStep,
    FinishStep,
    ForBoundedOutOfOrdernessStep,
    ForGeneratorStep,
    ForMonotonousTimestampsStep,
    GeneratorScenario,
    GeneratorSetup,
    IdleStep,
    NoWatermarksStep,
    RecordStep,
    StartStep,
    TickStep,
    WatermarkStep,
    WithIdlenessStep,
    WithTimestampAssignerStep,
    WithWatermarkAlignmentStep,
)
from ..wire.vocabulary import Alignment, Error, Record, Restore, Snapshot, Step, Watermark
from .written import ACTIVE, IDLE, Line, time_of_day, vector

MINUTE = 60_000
MONOTONOUS = GeneratorSetup("source", "bounded-out-of-orderness")
BOUND_10 = GeneratorSetup("source", "bounded-out-of-orderness", 10)
ONE_MINUTE = GeneratorSetup("source", "bounded-out-of-orderness", MINUTE)
PUNCTUATED = GeneratorSetup("source", "punctuated")
NONE = GeneratorSetup("source", "no-watermarks")
INGESTION_TIME = GeneratorSetup(
    "source", "bounded-out-of-orderness", assigner="ingestion-time", processing_time=time_of_day(11, 45)
)
BY_THE_CLOCK = GeneratorSetup("source", "processing-time", processing_time=time_of_day(11, 45))
REFUSED = Error("illegal-argument")


def _vector(
    name: str,
    title: str,
    source: str,
    rules: tuple[str, ...],
    setup: GeneratorSetup,
    lines: list[Line],
    needs: tuple[str, ...] = (),
) -> Vector:
    return vector(GeneratorScenario, name, title, source, rules, setup, lines, needs)


def _in_mid_pipeline(setup: GeneratorSetup) -> GeneratorSetup:
    return replace(setup, place="mid-pipeline")


def record(carries: int | str, *then: Any, goes_out: int | None = None, first: tuple[Any, ...] = ()) -> Line:
    """A record arrives and goes out, with its own time unless said otherwise; `then` watermarks."""
    out = Record(carries if goes_out is None else goes_out)
    return Line(RecordStep(carries), (*first, out, *map(Watermark, then)))


def tick(*outputs: Any) -> Line:
    """A tick; `outputs` are watermarks, or `IDLE`."""
    return Line(TickStep(), tuple(output if output is IDLE else Watermark(output) for output in outputs))


def advance(milliseconds: int) -> Line:
    """Processing time passes."""
    return silent(AdvanceStep(milliseconds))


def silent(step: Step) -> Line:
    """Nothing comes out."""
    return Line(step, ())


def refused(step: Step) -> Line:
    """A bad argument."""
    return Line(step, (REFUSED,))


def aligned(*alignment: Any) -> Line:
    """The alignment is read; none: the strategy is not aligned."""
    return Line(AlignmentStep(), (Alignment(*alignment),) if alignment else ())


_PILED_UP = (time_of_day(11, 46), time_of_day(11, 47), time_of_day(11, 48))
_BEFORE_THE_RESTART = [
    record(time_of_day(11, 44)),
    tick(time_of_day(11, 45) - 1),
    record(time_of_day(11, 45)),
    silent(StartStep()),
    advance(10 * MINUTE),
]

VECTORS = (
    _vector(
        "before-the-first-record",
        "Without a record there is no watermark; the difference does not wrap round, after a restart neither",
        "E18, E43, TIME-2",
        ("GEN-2", "GEN-3", "GEN-5", "TIME-2"),
        BOUND_10,
        [
            tick("MIN"),
            record(1337),
            tick(1326),
            silent(StartStep()),
            tick("MIN"),
            record("MIN"),
            tick("MIN"),
        ],
    ),
    _vector(
        "ordered-input",
        "Data in order are their own watermark, and none of them is late: not one of the same millisecond",
        "E14, E16, A28, ICEBERG-15867",
        ("GEN-3", "GEN-5", "GEN-8"),
        MONOTONOUS,
        [record(10), record(11), tick(10), record(11), tick(10), record(12), tick(11)],
    ),
    _vector(
        "essay-one-minute",
        "Data time minus one minute: masses of 12:30, then one of 11:44, which is late and moves nothing",
        "E10, E18, E20",
        ("GEN-2", "GEN-3", "GEN-9"),
        ONE_MINUTE,
        [
            record(time_of_day(12, 29)),
            record(time_of_day(12, 30)),
            tick(time_of_day(12, 29) - 1),
            record(time_of_day(11, 44)),
            tick(time_of_day(12, 29) - 1),
            record(time_of_day(12, 31)),
            tick(time_of_day(12, 30) - 1),
        ],
    ),
    _vector(
        "within-the-bound",
        "While experience holds, the watermark is in effect perfect: exactly the bound behind is not late",
        "E14, E18, E19",
        ("GEN-2", "GEN-3", "GEN-5", "GEN-8"),
        BOUND_10,
        [record(100), record(95), tick(89), record(90), tick(89), record(103), record(93), tick(92)],
    ),
    _vector(
        "one-beyond-the-bound",
        "One record beyond the bound is late, and it alone",
        "E14, E18, E20",
        ("GEN-2", "GEN-3", "GEN-5", "GEN-9"),
        BOUND_10,
        [record(100), tick(89), record(89), record(90), record(91), tick(89)],
    ),
    _vector(
        "no-data-no-watermark",
        "However much time passes, without data the watermark stands still",
        "E39, E40, E43",
        ("GEN-2", "GEN-6"),
        MONOTONOUS,
        [
            record(time_of_day(11, 44)),
            tick(time_of_day(11, 44) - 1),
            advance(60 * MINUTE),
            tick(time_of_day(11, 44) - 1),
        ],
    ),
    _vector(
        "punctuated",
        "Each record is a watermark, at once and as it is: raw watermarks may go back",
        "E33, E28",
        ("GEN-4",),
        PUNCTUATED,
        [record(2, 2), record(4, 4), record(3, 3), tick(), advance(1000), tick()],
    ),
    _vector(
        "no-watermarks",
        "On processing time no watermark is needed, and none is made",
        "E7",
        ("GEN-4",),
        NONE,
        [record(5), tick(), advance(1000), record(6), Line(FinishStep(), ())],
    ),
    _vector(
        "ingestion-time",
        "Records get the time at which they come in: whatever they carry, none is late",
        "E14, E17",
        ("GEN-1", "GEN-5", "GEN-8"),
        INGESTION_TIME,
        [
            record(time_of_day(12, 30), goes_out=time_of_day(11, 45)),
            tick(time_of_day(11, 45) - 1),
            record(time_of_day(11, 44), goes_out=time_of_day(11, 45)),
            advance(MINUTE),
            record("MIN", goes_out=time_of_day(11, 46)),
            tick(time_of_day(11, 46) - 1),
        ],
    ),
    _vector(
        "processing-time-over-event-time",
        "Periodic processing-time watermarks know nothing of the data: what comes a little later is late",
        "E34, E35",
        ("GEN-5", "GEN-6"),
        BY_THE_CLOCK,
        [
            tick(time_of_day(11, 45) - 1),
            record(time_of_day(12, 30)),
            tick(time_of_day(11, 45) - 1),
            advance(MINUTE),
            tick(time_of_day(11, 46) - 1),
            record(time_of_day(11, 45)),
        ],
    ),
    _vector(
        "recovery-with-lagging-watermarks",
        "A restart: the records that have piled up crowd out the ticks, the watermark lags, and none is late",
        "E35, E36",
        ("GEN-5", "GEN-6", "GEN-12"),
        BY_THE_CLOCK,
        [*_BEFORE_THE_RESTART, *map(record, _PILED_UP), tick(time_of_day(11, 55) - 1)],
    ),
    _vector(
        "recovery-with-watermarks-in-time",
        "The same restart and the same records, a tick goes first: now all that have piled up are late",
        "E35, E36",
        ("GEN-5", "GEN-6", "GEN-12"),
        BY_THE_CLOCK,
        [*_BEFORE_THE_RESTART, tick(time_of_day(11, 55) - 1), *map(record, _PILED_UP)],
    ),
    _vector(
        "mid-pipeline-replaces-upstream",
        "A strategy at an operator in mid-pipeline: of what comes from upstream only the end gets through",
        "E37",
        ("GEN-10", "GEN-11"),
        _in_mid_pipeline(MONOTONOUS),
        [
            silent(WatermarkStep(42)),
            tick(),
            silent(IdleStep()),
            record(5),
            silent(ActiveStep()),
            tick(4),
            silent(WatermarkStep(42)),
            tick(),
            Line(WatermarkStep("MAX"), (Watermark("MAX"),)),
            record(9),
            tick(),
        ],
    ),
    _vector(
        "mid-pipeline-only-rises",
        "What leaves an operator in mid-pipeline does not repeat and does not go back",
        "E37, E48",
        ("GEN-4", "GEN-11"),
        _in_mid_pipeline(PUNCTUATED),
        [record(4, 4), record(2), record(4), record(5, 5)],
    ),
    _vector(
        "mid-pipeline-idle",
        "Idle in mid-pipeline: no record for longer than the timeout; a record ends it, the watermark stays",
        "E37, B20, B28",
        ("GEN-11", "GEN-13"),
        _in_mid_pipeline(PUNCTUATED),
        [
            silent(WithIdlenessStep(100)),
            silent(StartStep()),
            advance(1),
            record(5, 5),
            tick(),
            tick(),
            advance(100),
            tick(),
            advance(1),
            tick(IDLE),
            tick(),
            record(4, first=(ACTIVE,)),
            record(6, 6),
        ],
    ),
    _vector(
        "assigner-after-the-idle-timeout",
        "A strategy that gets a timestamp assigner keeps its idle timeout",
        "B20, B28",
        ("GEN-13",),
        PUNCTUATED,
        [
            silent(WithIdlenessStep(100)),
            silent(WithTimestampAssignerStep("record-time")),
            silent(StartStep()),
            record(5, 5),
            tick(),
            tick(),
            advance(101),
            tick(IDLE),
            record(6, 6, first=(ACTIVE,)),
        ],
    ),
    _vector(
        "finish",
        "When it is finished a periodic generator has a last say about the records since the last tick",
        "E13, E18",
        ("GEN-4", "GEN-5"),
        BOUND_10,
        [record(100), tick(89), record(120), Line(FinishStep(), (Watermark(109),))],
    ),
    _vector(
        "flip-182-strategy",
        "The strategy of the FLIP-182 job: monotonous, the number is the timestamp, group-1, 30 s",
        "A8, A9, A13, A26, A28, A29, A30",
        ("GEN-12", "GEN-14"),
        NONE,
        [
            silent(ForMonotonousTimestampsStep()),
            silent(WithTimestampAssignerStep("record-time")),
            aligned(),
            silent(WithWatermarkAlignmentStep("group-1", 30_000)),
            aligned("group-1", 30_000, 1000),
            silent(StartStep()),
            record(0),
            record(1),
            tick(0),
        ],
    ),
    _vector(
        "builder-calls-in-any-order",
        "Builder calls keep what others said; of the same call the last counts; a new strategy has nothing",
        "A9, B27",
        ("GEN-14", "GEN-15"),
        NONE,
        [
            silent(ForBoundedOutOfOrdernessStep(0)),
            silent(WithWatermarkAlignmentStep("group-1", 0)),
            silent(WithIdlenessStep(5)),
            silent(WithTimestampAssignerStep("ingestion-time")),
            aligned("group-1", 0, 1000),
            silent(WithWatermarkAlignmentStep("group-2", 200, 50)),
            aligned("group-2", 200, 50),
            silent(NoWatermarksStep()),
            aligned(),
        ],
    ),
    _vector(
        "bad-arguments",
        "Every argument is checked when the strategy is built; a refused call changes nothing",
        "A9, B27, FLINK-35088",
        ("GEN-14", "GEN-15"),
        MONOTONOUS,
        [
            silent(WithWatermarkAlignmentStep("group-1", 200)),
            refused(WithWatermarkAlignmentStep(None, 300)),
            refused(WithWatermarkAlignmentStep("group-2", None)),
            refused(WithWatermarkAlignmentStep("group-2", -1)),
            refused(WithWatermarkAlignmentStep("group-2", 300, 0)),
            refused(WithWatermarkAlignmentStep("group-2", 300, -1)),
            aligned("group-1", 200, 1000),
            refused(ForBoundedOutOfOrdernessStep(None)),
            refused(ForBoundedOutOfOrdernessStep(-1)),
            refused(ForGeneratorStep(None)),
            refused(WithTimestampAssignerStep(None)),
            refused(WithIdlenessStep(None)),
            refused(WithIdlenessStep(0)),
            refused(WithIdlenessStep(-1)),
            refused(AdvanceStep(-1)),
            aligned("group-1", 200, 1000),
        ],
    ),
    _vector(
        "a-new-generator-at-each-start",
        "Builder calls change nothing that is running; each start makes a generator that remembers nothing",
        "B27",
        ("GEN-12", "GEN-3"),
        MONOTONOUS,
        [
            record(100),
            silent(ForBoundedOutOfOrdernessStep(10)),
            tick(99),
            silent(StartStep()),
            tick("MIN"),
            record(100),
            tick(89),
        ],
    ),
    _vector(
        "snapshot",
        "A restored generator knows the largest timestamp of the moment of the snapshot",
        "E18, E48",
        ("GEN-2",),
        MONOTONOUS,
        [record(5), silent(Snapshot()), record(9), tick(8), silent(Restore()), tick(4)],
        needs=("snapshot",),
    ),
)
