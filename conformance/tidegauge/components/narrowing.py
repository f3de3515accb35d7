"""The interface of a component's `narrowing.py`, which narrows scenarios to the shape of an engine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..wire.vocabulary import Setup, Step
from .shared.random_source import RandomSource


def _nothing(*_: Any) -> str:
    return ""


def _unchanged(setup: Any, *_: Any) -> Any:
    return setup


@dataclass(frozen=True)
class Narrowing:
    """How the setups and steps of a component are narrowed to a shape (`wire.shapes`).

    Attributes:
        setup_outside: returns the feature of a setup that the shape lacks; empty if there is none.
        step_outside: returns the feature of a step that the shape lacks; empty if there is none. Its last
            argument is the setup, or while scenarios are drawn the reference's engine.
        history_outside: returns the feature of all steps together that the shape lacks; empty if there is
            none.
        conformed: returns the setup with other features in place of those that the shape lacks.
        most_parts: returns the largest number of parts in a shape.
        spread_ms: returns the longest duration (ms) that the shape demands; 0 for a shape that allows the
            durations that are drawn. Timestamps of records vary by this duration.
        stretched: returns a step of a state cover for windows that are longer than those of the cover, given
            both setups and the resolution (ms).
        scope_name: returns the name of the state cover of a setup.
        milliseconds: the fields of setups and steps that contain a duration in ms.
        names: the fields that contain names, in addition to the fields in `Scale.names`.
    """

    setup_outside: Callable[[Any, Any], str] = _nothing
    step_outside: Callable[[Step, Any, Any], str] = _nothing
    history_outside: Callable[[Sequence[Step], Any], str] = _nothing
    conformed: Callable[[Any, Any, RandomSource], Setup] = _unchanged
    most_parts: Callable[[Any], int] = lambda shape: 1024
    spread_ms: Callable[[Any], int] = lambda shape: 0
    stretched: Callable[[Any, Any, Any, int], Any] = _unchanged
    scope_name: Callable[[Any], str] = _nothing
    milliseconds: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
