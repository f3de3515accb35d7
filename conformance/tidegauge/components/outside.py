"""What a scenario contains that lies outside of the shape of an engine."""

from collections.abc import Sequence
from itertools import chain
from re import fullmatch
from typing import Any

from msgspec import Struct

from ..wire.shapes import Shape
from ..wire.timestamps import from_wire, timestamp_fields
from ..wire.vocabulary import Restore, Setup, Snapshot, Step
from .component import Component
from .shared.naming import names_in
from .shared.times import durations_in
from .shared.upstream import breach_of

_LETTERS_DIGITS_DASHES = "[A-Za-z0-9-]*"


def outside(component: Component, setup: Setup, history: Sequence[Step]) -> str:
    """Return the first feature of a scenario that the shape of a narrowed component lacks; empty if there is
    none, or if the component is not narrowed."""
    shape, narrowing = component.shape, component.narrowing
    if shape is None:
        return ""
    if shape.longest_history is not None and len(history) > shape.longest_history:
        return f"a scenario of more than {shape.longest_history:,} steps"
    lacking = narrowing.setup_outside(setup, shape) or _values_outside(component, shape, setup)
    lacking = lacking or narrowing.history_outside(history, shape)
    lacking = lacking or (breach_of(shape.contract, history) if shape.contract else "")
    steps = (step_outside(component, shape, step, setup) for step in history)
    return lacking or next(filter(None, steps), "")


def step_outside(component: Component, shape: Shape, step: Step, engine: Any) -> str:
    """Return the first feature of a step that a shape lacks; empty if there is none. `engine` is the setup,
    or the reference's engine while scenarios are drawn."""
    tag = str(step.__struct_config__.tag)
    if tag in shape.without_steps:
        return f"the step {tag}"
    if not shape.snapshots and isinstance(step, Snapshot | Restore):
        return "snapshots of this component"
    return component.narrowing.step_outside(step, shape, engine) or _values_outside(component, shape, step)


def name_outside(shape: Shape, name: str) -> str:
    """Return why a name lies outside of a shape; empty if it does not."""
    if shape.longest_name is not None and len(name) > shape.longest_name:
        return f"names of more than {shape.longest_name:,} characters"
    if shape.name_characters != "any" and not fullmatch(_LETTERS_DIGITS_DASHES, name):
        return "names with characters other than letters, digits and dashes"
    return ""


def name_fields(component: Component) -> tuple[str, ...]:
    """Return the fields with names that a shape can restrict: those whose names have no special meaning."""
    if component.scale.kept_name:
        return ()
    return (*chain.from_iterable(component.scale.names), *component.narrowing.names)


def _values_outside(component: Component, shape: Shape, struct: Any) -> str:
    """Return what timestamps, durations and names of a struct the shape lacks."""
    kind: type[Struct] = type(struct)
    for field in timestamp_fields(kind):
        value = getattr(struct, field)
        if value is not None and (lacking := _timestamp_outside(shape, value)):
            return lacking
    if lacking := _durations_outside(component, shape, struct):
        return lacking
    if shape.longest_name is None and shape.name_characters == "any":
        return ""
    names = names_in(struct, name_fields(component))
    return next(filter(None, (name_outside(shape, name) for name in names)), "")


def _durations_outside(component: Component, shape: Shape, struct: Any) -> str:
    unit, longest = shape.resolution_ms, shape.longest_duration
    if unit == 1 and longest is None:
        return ""
    for duration in durations_in(struct, component.narrowing.milliseconds):
        if longest is not None and abs(duration) > longest:
            return f"durations of more than {longest:,} ms"
        if duration % unit:
            return f"durations that are not multiples of {unit:,} ms"
    return ""


def _timestamp_outside(shape: Shape, timestamp: int | str) -> str:
    if timestamp == "MIN":
        return "" if shape.no_timestamp else "a record without a timestamp"
    if timestamp == "MAX":
        return "" if shape.end_of_input else "the end of the input"
    moment = from_wire(timestamp)
    if not from_wire(shape.lowest) <= moment <= from_wire(shape.highest):
        return f"timestamps outside of {shape.lowest} to {shape.highest} ms"
    return (
        f"timestamps that are not multiples of {shape.resolution_ms:,} ms"
        if moment % shape.resolution_ms
        else ""
    )
