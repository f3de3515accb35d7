"""A vector as people write it: steps with the outputs they must have, worked out from a source by hand."""

from dataclasses import dataclass
from typing import Any

from ..components.valve.vocabulary import ActiveStep, IdleStep, ValveSetup, ValveStep, WatermarkStep
from ..scenario import Origin, ValveScenario
from ..vectors import PublishedTranscript, Vector
from ..vocabulary import Active, AnyOutput, Idle, Watermark

IDLE, ACTIVE = Idle(), Active()


@dataclass(frozen=True)
class Line:
    """One step and what must come out."""

    step: ValveStep
    outputs: tuple[AnyOutput, ...]


def watermark(channel: int, timestamp: int | str, *outputs: Any) -> Line:
    """A watermark arrives; `outputs` are numbers (watermarks), `IDLE`, `ACTIVE`."""
    return Line(WatermarkStep(channel, timestamp), _outputs(outputs))


def idle(channel: int, *outputs: Any) -> Line:
    """A channel becomes idle."""
    return Line(IdleStep(channel), _outputs(outputs))


def active(channel: int, *outputs: Any) -> Line:
    """A channel becomes active."""
    return Line(ActiveStep(channel), _outputs(outputs))


def _outputs(outputs: tuple[Any, ...]) -> tuple[AnyOutput, ...]:
    return tuple(Watermark(output) if isinstance(output, int | str) else output for output in outputs)


def valve_vector(
    name: str,
    title: str,
    source: str,
    rules: tuple[str, ...],
    channels: int,
    lines: list[Line],
    **policies: str,
) -> Vector:
    """A vector on a valve, right wherever `policies` have these values."""
    history = tuple(line.step for line in lines)
    return Vector(
        id=f"valve/{name}",
        title=title,
        source=source,
        rules=rules,
        scenario=ValveScenario(
            id=f"valve/{name}",
            setup=ValveSetup(channels),
            history=history,
            origin=Origin("vector", of=source),
            groups=(len(history) - 1, 1) if len(history) > 1 else (),
        ),
        expected=(PublishedTranscript(policies, tuple(line.outputs for line in lines)),),
    )
