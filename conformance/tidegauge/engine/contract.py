"""The contract of engines in this process, made from the wire form: an engine's methods are the steps.

A method is named as the step, with underscores (`add_split`), and takes the step's fields in their order:
timestamps as 64-bit numbers of ms, all else as it is. It returns a list of outputs, and refuses a step by an
exception (see `errors`). Where a step never outputs anything, it may return nothing.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..components.component import Component, WithoutOutputs
from ..wire.timestamps import from_wire, timestamp_fields
from ..wire.vocabulary import Setup, Step
from .foreign_text import name_of


@dataclass(frozen=True)
class Method:
    """How an engine is asked for a step: the name of the method, its parameters, whether it ever outputs
    anything, and what happens, in words."""

    step: type[Step]
    name: str
    parameters: tuple[str, ...]
    outputs: bool
    meaning: str


def methods_of(component: Component, kind: type[Setup] | None = None) -> list[Method]:
    """The methods of an engine of the component; with `kind`, of one with such a setup."""
    steps = component.calls if kind is None else component.steps_of(kind)
    return [_method(component, step) for step in steps]


def calls_of(component: Component) -> Mapping[type[Step], Callable[[Any, Any], Any]]:
    """For each kind of step the call of its method."""
    return {method.step: _call(method) for method in methods_of(component)}


def method_problems(component: Component, engine: object, setup: Setup) -> Iterator[str]:
    """What is missing in an engine that was made for a setup: methods that do not exist, or do not take the
    arguments of their step. Steps outside of the shape of the component need no method."""
    for method in methods_of(component, type(setup)):
        if method.step in component.not_drawn:
            continue
        found = getattr(engine, method.name, None)
        described = f"{method.name}({', '.join(method.parameters)})"
        if not callable(found):
            yield f"{name_of(type(engine))} has no method {described}"
        elif not _takes(found, method.parameters):
            signature = f"{method.name}{inspect.signature(found)}"
            yield f"{name_of(type(engine))}.{signature} does not take the arguments of {described}"


def _takes(found: Callable[..., Any], parameters: Iterable[str]) -> bool:
    try:
        signature = inspect.signature(found)
    except (ValueError, TypeError):  # of a method in another language nothing is known
        return True
    try:
        signature.bind(*parameters)
    except TypeError:
        return False
    return True


def _method(component: Component, step: type[Step]) -> Method:
    return Method(
        step=step,
        name=str(step.__struct_config__.tag).replace("-", "_"),
        parameters=step.__struct_fields__,
        outputs=not isinstance(component.calls[step], WithoutOutputs),
        meaning=" ".join((step.__doc__ or "").split()),
    )


def _call(method: Method) -> Callable[[Any, Any], Any]:
    timestamps = timestamp_fields(method.step)

    def argument(step: Step, name: str) -> Any:
        value = getattr(step, name)
        return from_wire(value) if name in timestamps and value is not None else value

    def call(engine: Any, step: Step) -> Any:
        arguments = [argument(step, name) for name in method.parameters]
        returned = getattr(engine, method.name)(*arguments)
        return [] if returned is None and not method.outputs else returned

    return call
