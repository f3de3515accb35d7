"""A vector on a source subtask as people write it. Times in ms."""

from typing import Any

from ..vectors import Vector
from ..wire.steps.source import (
    ActiveStep,
    AdvanceStep,
    AnnouncementStep,
    AssignStep,
    BackpressureStep,
    EndOfInputStep,
    FinishStep,
    IdleStep,
    RecordStep,
    ReportStep,
    SourceScenario,
    SourceSetup,
    TickStep,
)
from ..wire.vocabulary import (
    Blocked,
    Error,
    Record,
    Report,
    SplitsPaused,
    SplitsResumed,
    Unblocked,
    Watermark,
)
from .clock import SAVED
from .written import Line, vector

BLOCKED, UNBLOCKED = Blocked(), Unblocked()
UNSUPPORTED, WRONG, TOO_LATE = Error("unsupported"), Error("illegal-argument"), Error("illegal-state")


def paused(*splits: str) -> SplitsPaused:
    """The reader is told to pause these."""
    return SplitsPaused(splits)


def resumed(*splits: str) -> SplitsResumed:
    """The reader is told to go on with these."""
    return SplitsResumed(splits)


def assign(split: str, *outputs: Any) -> Line:
    """A split comes."""
    return Line(AssignStep(split), outputs)


def finish(split: str, *outputs: Any) -> Line:
    """A split is read to its end."""
    return Line(FinishStep(split), outputs)


def record(split: str | None, timestamp: int, *after: Any) -> Line:
    """A record that is read, and what comes out after it; a number is a watermark."""
    return Line(RecordStep(split, timestamp), (Record(timestamp), *_outputs(after)))


def offered(split: str | None, timestamp: int, *outputs: Any) -> Line:
    """A record that is not read, or only after an ACTIVE."""
    return Line(RecordStep(split, timestamp), _outputs(outputs))


def idle(split: str | None, *outputs: Any) -> Line:
    """The reader says that there is no data."""
    return Line(IdleStep(split), outputs)


def active(split: str | None, *outputs: Any) -> Line:
    """The reader says that there is data again."""
    return Line(ActiveStep(split), outputs)


def tick(*outputs: Any) -> Line:
    """Periodic watermarks."""
    return Line(TickStep(), _outputs(outputs))


def report(*watermarks: int | str) -> Line:
    """An update interval has passed."""
    return Line(ReportStep(), tuple(Report(watermark) for watermark in watermarks))


def announcement(bound: int | str, *outputs: Any) -> Line:
    """A bound arrives."""
    return Line(AnnouncementStep(bound), outputs)


def backpressure(on: bool) -> Line:
    """Downstream takes no more records, or takes them again."""
    return Line(BackpressureStep(on), ())


def advance(milliseconds: int, *outputs: Any) -> Line:
    """Time passes."""
    return Line(AdvanceStep(milliseconds), outputs)


def end_of_input(*outputs: Any) -> Line:
    """The reader has no more."""
    return Line(EndOfInputStep(), _outputs(outputs))


def _outputs(outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(Watermark(output) if isinstance(output, int | str) else output for output in outputs)


def source_vector(
    name: str, title: str, source: str, rules: tuple[str, ...], setup: SourceSetup, lines: list[Line]
) -> Vector:
    """A vector on a source subtask."""
    needs = ("snapshot",) if SAVED in lines else ()
    return vector(SourceScenario, name, title, source, rules, setup, lines, needs)


PUNCTUATED = SourceSetup("punctuated")
