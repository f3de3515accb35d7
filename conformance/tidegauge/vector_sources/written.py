"""A vector as people write it: steps with the outputs they must have, worked out from a source by hand.

What differs under other policies comes from the reference, which is compared with recorded engines there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from tidegauge_reference import CORE, PROFILES, Policies
from tidegauge_spec import read_policies

from ..judging.reference.oracle import expect
from ..vectors import PublishedTranscript, Vector
from ..wire.base_scenario import Origin
from ..wire.scenario import Scenario, component_of
from ..wire.steps.valve import ActiveStep, IdleStep, ValveScenario, ValveSetup, WatermarkStep
from ..wire.transcript import Outputs
from ..wire.vocabulary import Active, AnyOutput, Idle, Setup, Step, Watermark

IDLE, ACTIVE = Idle(), Active()


def time_of_day(hour: int, minute: int, second: int = 0) -> int:
    """A time of day as a timestamp: ms since midnight."""
    return ((hour * 60 + minute) * 60 + second) * 1000


@dataclass(frozen=True)
class Line:
    """One step and what must come out."""

    step: Step
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
            history=history,  # type: ignore[arg-type]
            origin=Origin("vector", of=source),
            groups=(len(history) - 1, 1) if len(history) > 1 else (),
        ),
        expected=(PublishedTranscript(policies, tuple(line.outputs for line in lines)),),
    )


def vector(
    scenario: Any,
    name: str,
    title: str,
    source: str,
    rules: tuple[str, ...],
    setup: Setup,
    lines: Sequence[Line],
    needs: tuple[str, ...] = (),
) -> Vector:
    """A vector on any component: `scenario` is the struct of its scenarios, the outputs of `lines` are right
    under `core`. For each other value of a policy that changes something there is a transcript of its own."""
    history = tuple(line.step for line in lines)
    component = component_of(scenario).replace("_", "-")
    built = scenario(
        id=f"{component}/{name}",
        setup=setup,
        history=history,
        needs=needs,
        origin=Origin("vector", of=source),
        groups=(len(history) - 1, 1) if len(history) > 1 else (),
    )
    return Vector(
        id=built.id,
        title=title,
        source=source,
        rules=rules,
        scenario=built,
        expected=published(built, [line.outputs for line in lines]),
    )


def published(scenario: Scenario, under_core: list[Outputs]) -> tuple[PublishedTranscript, ...]:
    """What is right under `core`, then under each policy value and each profile that changes it. Each
    transcript names all policies that matter in this scenario, with the values it is right under."""
    worlds = [CORE, *_neighbours(CORE), *PROFILES.values()]
    outputs = {world: expect(scenario, world).outputs for world in worlds}
    if outputs[CORE] != under_core:
        raise ValueError(f"{scenario.id}: the reference outputs {outputs[CORE]}, written is {under_core}")
    mattering = sorted(
        {
            name
            for base in PROFILES.values()
            for neighbour in _neighbours(base)
            if expect(scenario, neighbour).outputs != outputs[base]
            for name in _differing(base, neighbour)
        }
    )
    transcripts: dict[tuple[str, ...], PublishedTranscript] = {}
    for world, given in outputs.items():
        values = {name: str(getattr(world, name)) for name in mattering}
        transcripts.setdefault(tuple(values.values()), PublishedTranscript(values, tuple(given)))
    return tuple(transcripts.values())


@cache
def _neighbours(base: Policies) -> list[Policies]:
    """`base` with one policy changed, in every way."""
    texts = read_policies()
    turned: Any = replace
    return [
        turned(base, **{field.name: value})
        for field in fields(Policies)
        for value in texts[field.name].values
        if value != getattr(base, field.name)
    ]


def _differing(one: Policies, other: Policies) -> list[str]:
    return [f.name for f in fields(Policies) if getattr(one, f.name) != getattr(other, f.name)]
