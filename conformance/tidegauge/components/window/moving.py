"""Moving a history in event time."""

from msgspec.structs import replace

from ...wire.steps.window import RecordStep, Session, Sliding, WatermarkStep, WindowSetup
from ...wire.timestamps import from_wire, to_wire
from ...wire.vocabulary import AnyOutput, Fire, Retract, Step, Watermark


def period(setup: WindowSetup) -> int:
    """A history may be moved by this time (ms), and its windows move with it."""
    if isinstance(setup.assigner, Session):
        return 1
    return setup.assigner.slide if isinstance(setup.assigner, Sliding) else setup.assigner.size


def moved(step: Step, milliseconds: int) -> Step:
    """The step at a later time; what has no moment stays as it is."""
    if isinstance(step, RecordStep | WatermarkStep) and isinstance(step.timestamp, int):
        return replace(step, timestamp=step.timestamp + milliseconds)
    return step


def output_moved(output: AnyOutput, milliseconds: int) -> AnyOutput:
    """The output of a history that was moved by as much."""
    if isinstance(output, Watermark) and isinstance(output.timestamp, int):
        return replace(output, timestamp=output.timestamp + milliseconds)
    if isinstance(output, Fire | Retract):
        start, end = (to_wire(from_wire(border) + milliseconds) for border in (output.start, output.end))
        return replace(output, start=start, end=end)
    return output
