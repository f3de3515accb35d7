"""FLIP-328's and FLIP-309's sentences as scenarios. Times in ms unless a name says otherwise."""

from typing import Any

from ..components.backlog.drawing import MISSPELLED
from ..vectors import Vector
from ..wire.steps.backlog import (
    WATERMARK_LAG,
    ActiveStep,
    AttributesStep,
    BacklogScenario,
    ClockStep,
    CombinerSetup,
    ConfigureStep,
    DetectorSetup,
    IdleStep,
    OtherStep,
    WatermarkStep,
)
from ..wire.vocabulary import Error, RecordAttributes, Restore, Snapshot, Watermark
from .written import Line, vector

OPTION = "pipeline.backlog.watermark-lag-threshold"
TRUE, FALSE = RecordAttributes(True), RecordAttributes(False)
REFUSED = Error("illegal-argument")
SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000
_NOW = 1_700_000_000_000


def _threshold(milliseconds: int, *outputs: Any, option: str = OPTION) -> Line:
    return Line(ConfigureStep(option, milliseconds), outputs)


def _clock(now: int, *outputs: Any) -> Line:
    return Line(ClockStep(now), outputs)


def _watermark(timestamp: int | str, *flags: Any) -> Line:
    """The subtask's watermark goes downstream, then the flags."""
    return Line(WatermarkStep(timestamp), (Watermark(timestamp), *flags))


def _idle(*flags: Any) -> Line:
    return Line(IdleStep(), flags)


def _active(*flags: Any) -> Line:
    return Line(ActiveStep(), flags)


def _other(backlog: bool, *flags: Any) -> Line:
    return Line(OtherStep(backlog), flags)


def _attributes(channel: int, backlog: bool, *outputs: Any) -> Line:
    return Line(AttributesStep(channel, backlog), outputs)


def _detector(name: str, title: str, source: str, rules: tuple[str, ...], *lines: Line) -> Vector:
    saved = ("snapshot",) if any(isinstance(line.step, Snapshot) for line in lines) else ()
    return vector(
        BacklogScenario, name, title, source, rules, DetectorSetup(), lines, (WATERMARK_LAG, *saved)
    )


def _combiner(
    name: str, title: str, source: str, rules: tuple[str, ...], setup: CombinerSetup, *lines: Line
) -> Vector:
    return vector(BacklogScenario, name, title, source, rules, setup, lines)


VECTORS = (
    _detector(
        "idle-and-back",
        "Threshold 10, lag 20: backlog; none while idle; again when active; over at lag 5",
        "D21, D23, D24, D25",
        ("BACKLOG-4", "BACKLOG-5", "BACKLOG-6", "BACKLOG-9"),
        _threshold(10),
        _clock(100),
        _watermark(80, TRUE),
        _idle(FALSE),
        _active(TRUE),
        _watermark(95, FALSE),
    ),
    _detector(
        "catching-up",
        "A source starts an hour behind and reads faster than time passes: one change, at 5 minutes",
        "D12, D13, D20, D22",
        ("BACKLOG-1", "BACKLOG-4", "BACKLOG-9"),
        _threshold(5 * MINUTE),
        _clock(_NOW),
        _watermark(_NOW - HOUR, TRUE),
        _clock(_NOW + MINUTE),
        _watermark(_NOW - 20 * MINUTE),
        _clock(_NOW + 2 * MINUTE),
        _watermark(_NOW - 3 * MINUTE, FALSE),
        _clock(_NOW + 3 * MINUTE),
        _watermark(_NOW + 2 * MINUTE),
    ),
    _detector(
        "exceeds",
        "A lag of threshold + 1 is backlog, a lag that equals the threshold is within it",
        "D7, D13, D17",
        ("BACKLOG-4",),
        _threshold(10),
        _clock(100),
        _watermark(89, TRUE),
        _watermark(90, FALSE),
    ),
    _detector(
        "within-from-the-start",
        "The first evaluation is sent, a false included; a watermark ahead of the clock does not lag",
        "D23",
        ("BACKLOG-4", "BACKLOG-9"),
        _threshold(10),
        _clock(100),
        _watermark(101, FALSE),
        _watermark(102),
    ),
    _detector(
        "before-the-first-watermark",
        "The lag is undefined before the first watermark, and a false of idleness decides nothing",
        "D12, D24, D25",
        ("BACKLOG-4", "BACKLOG-5"),
        _threshold(10),
        _clock(_NOW),
        _idle(FALSE),
        _active(),
        _watermark(_NOW - 11, TRUE),
    ),
    _detector(
        "never-by-time",
        "Time passes and nothing is sent: not before the first watermark, not when the lag has grown",
        "D20",
        ("BACKLOG-5",),
        _threshold(10),
        _clock(5),
        _clock(100),
        _watermark(95, FALSE),
        _clock(200),
        _clock(300),
        _active(),
        _clock(0),
    ),
    _detector(
        "clock-set-back",
        "A clock that is set back ends no backlog: the next watermark does",
        "D20",
        ("BACKLOG-5",),
        _threshold(10),
        _clock(100),
        _watermark(80, TRUE),
        _clock(85),
        _active(),
        _watermark(81, FALSE),
    ),
    _detector(
        "no-way-back",
        "After the lag was within the threshold it makes no backlog again, idleness in between or not",
        "D14, D27",
        ("BACKLOG-7",),
        _threshold(10),
        _clock(100),
        _watermark(95, FALSE),
        _clock(200),
        _watermark(96),
        _idle(),
        _active(),
        _watermark(97),
    ),
    _detector(
        "caught-up-under-another-claim",
        "The lag catches up while another strategy says true: when that ends the lag does not take over",
        "D14, D16, D27",
        ("BACKLOG-7", "BACKLOG-8"),
        _threshold(10),
        _clock(100),
        _other(True, TRUE),
        _watermark(95),
        _clock(200),
        _watermark(96),
        _other(False, FALSE),
        _watermark(97),
    ),
    _detector(
        "another-strategy",
        "What another strategy claims is enough, and its false does not end what the lag claims",
        "D15, D16",
        ("BACKLOG-8",),
        _threshold(10),
        _other(False, FALSE),
        _clock(100),
        _watermark(80, TRUE),
        _other(True),
        _other(False),
        _other(True),
        _watermark(95),
        _other(False, FALSE),
        _other(True, TRUE),
    ),
    _detector(
        "idle-under-another-claim",
        "An idle subtask whose other strategy says true stays in backlog",
        "D16, D24",
        ("BACKLOG-4", "BACKLOG-8"),
        _threshold(10),
        _clock(100),
        _watermark(80, TRUE),
        _other(True),
        _idle(),
        _other(False, FALSE),
        _active(TRUE),
    ),
    _detector(
        "no-threshold",
        "By default the lag says nothing; other strategies do",
        "D6, D17, D26",
        ("BACKLOG-3", "BACKLOG-8"),
        _clock(_NOW),
        _watermark(0),
        _idle(),
        _active(),
        _other(True, TRUE),
        _watermark(_NOW),
        _other(False, FALSE),
    ),
    _detector(
        "misspelled",
        "The name that the page's diff shows, typing error and correction in one, is no option",
        "D3",
        ("BACKLOG-1", "BACKLOG-3"),
        _threshold(10, option=MISSPELLED),
        _threshold(0, option="pipeline.backlog"),
        _clock(100),
        _watermark(80),
    ),
    _detector(
        "configured-too-late",
        "A job reads its configuration when it starts",
        "D2",
        ("BACKLOG-1",),
        _threshold(50),
        _threshold(10),
        _clock(100),
        _threshold(1000),
        _watermark(80, TRUE),
    ),
    _detector(
        "not-greater-than-0",
        "A threshold of 0 or less is refused, and the one before stays",
        "D9",
        ("BACKLOG-2",),
        _threshold(0, REFUSED),
        _threshold(10),
        _threshold(-1, REFUSED),
        _clock(100),
        _watermark(80, TRUE),
    ),
    _detector(
        "end-of-input",
        "MAX is no moment that could lag; the flag stays as it is",
        "D20",
        ("TIME-4",),
        _threshold(10),
        _clock(100),
        _watermark(80, TRUE),
        _watermark("MAX"),
    ),
    _detector(
        "threshold-below-disorder",
        "Threshold 30 s, out-of-orderness 60 s: a source that reads the newest records is backlog for ever",
        "D11",
        ("BACKLOG-4",),
        _threshold(30 * SECOND),
        _clock(_NOW),
        _watermark(_NOW - 60 * SECOND - 1, TRUE),
        _clock(_NOW + HOUR),
        _watermark(_NOW + HOUR - 60 * SECOND - 1),
    ),
    _detector(
        "threshold-above-disorder",
        "Threshold 61 s, out-of-orderness 60 s, a watermark every 200 ms: the same source is not",
        "D11",
        ("BACKLOG-4",),
        _threshold(61 * SECOND),
        _clock(_NOW),
        _watermark(_NOW - 60 * SECOND - 201, FALSE),
    ),
    _detector(
        "restored",
        "A restart forgets neither what was sent nor that the source has caught up",
        "D14, D26",
        ("BACKLOG-11", "BACKLOG-7", "BACKLOG-9"),
        _threshold(10),
        _clock(100),
        _watermark(95, FALSE),
        Line(Snapshot(), ()),
        Line(Restore(), ()),
        _watermark(96),
        _clock(200),
        _watermark(97),
    ),
    _combiner(
        "flag-of-a-source",
        "A source is processing backlog as long as one of its subtasks is",
        "D30",
        ("BACKLOG-8", "BACKLOG-9", "BACKLOG-10"),
        CombinerSetup(2),
        _attributes(1, True, TRUE),
        _attributes(0, True),
        _attributes(1, False),
        _attributes(0, False, FALSE),
        _attributes(1, True, TRUE),
    ),
    _combiner(
        "first-false-is-not-all",
        "A fast subtask says true and false before the slow ones have spoken: still backlog",
        "RECATTR-VALVE",
        ("BACKLOG-10",),
        CombinerSetup(4),
        _attributes(0, True, TRUE),
        _attributes(0, False),
        _attributes(1, True),
        _attributes(2, False),
        _attributes(1, False),
        _attributes(3, False, FALSE),
    ),
    _combiner(
        "all-false",
        "No false before the last awaited channel has said it",
        "D16, D30",
        ("BACKLOG-10", "BACKLOG-9"),
        CombinerSetup(3),
        _attributes(0, False),
        _attributes(1, False),
        _attributes(1, False),
        _attributes(2, False, FALSE),
    ),
    _combiner(
        "without-a-strategy",
        "A channel on which no strategy is declared will never speak and is not waited for",
        "D16, D26",
        ("BACKLOG-10",),
        CombinerSetup(3, (1,)),
        _attributes(0, True, TRUE),
        _attributes(2, False),
        _attributes(0, False, FALSE),
    ),
    _combiner(
        "unknown-channel",
        "A channel that does not exist is refused and changes nothing",
        "D30",
        ("BACKLOG-2",),
        CombinerSetup(2),
        _attributes(-1, True, REFUSED),
        _attributes(2, True, REFUSED),
        _attributes(0, False),
        _attributes(1, False, FALSE),
    ),
)
