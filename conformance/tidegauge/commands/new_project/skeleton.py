"""What an engine of a component has to have, in words and types, for the files of a new project."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from tidegauge_reference import CORE

from ...components.component import Component
from ...drawing.histories import draw_history
from ...engine.contract import Method, methods_of
from ...wire.timestamps import timestamp_fields
from ...wire.vocabulary import Output, Setup, Step

_TO_SEVERAL = ("announcement", "retrieve-low-watermark", "notify-new-low-watermark", "low-watermark")
"""Outputs that have no usual receiver."""

_HISTORIES = 300
"""So many drawn histories show which outputs a component has."""


@dataclass(frozen=True)
class Argument:
    """A field of a setup or of a step, with its type as Python writes it, its default as JSON (empty: it has
    none), and in words which values it may have, or which fields they have; empty: all of the type."""

    name: str
    type: str
    default: str = ""
    values: str = ""


@dataclass(frozen=True)
class Skeleton:
    """An engine to be written: `name` is that of its class, `kind` and `tag` the name of its setup in Python
    and on the wire, where a component has several."""

    component: str
    meaning: str
    name: str
    kind: str
    tag: str
    setup: tuple[Argument, ...]
    methods: tuple[tuple[Method, tuple[Argument, ...]], ...]
    outputs: tuple[tuple[str, ...], ...]


def skeletons_of(component: Component) -> Iterator[Skeleton]:
    """The engines of a component, one for each kind of setup."""
    outputs = tuple(sorted(_outputs(component)))
    for kind in component.kinds or (component.setup,):
        several = bool(component.kinds)
        name = kind.__name__.removesuffix("Setup")
        yield Skeleton(
            component=component.name,
            meaning=" ".join((kind.__doc__ or "").split()),
            name=name,
            kind=kind.__name__ if several else "",
            tag=str(kind.__struct_config__.tag) if several else "",
            setup=_arguments(kind),
            methods=tuple((method, _arguments(method.step)) for method in methods_of(component, kind)),
            outputs=outputs,
        )


def _outputs(component: Component) -> set[tuple[str, ...]]:
    """The outputs that drawn histories have: the name of each, and its fields."""
    found: set[type[Struct]] = set()
    for index in range(_HISTORIES):
        scenario = draw_history(component, 1, index, CORE)
        engine = component.reference(scenario.setup, CORE)
        for step in scenario.history:
            if type(step) not in component.calls:
                continue
            found |= {type(one) for one in _answer(component, engine, step)}
    told = {kind.__struct_config__.tag: kind.__struct_fields__ for kind in found}
    told.pop("error", None)
    return {(str(tag), *(one for one in fields if not _is_usual(tag, one))) for tag, fields in told.items()}


def _answer(component: Component, engine: Any, step: Step) -> tuple[Output, ...]:
    from ...engine.errors import raised
    from ...engine.outputs import read_outputs

    try:
        return read_outputs(component.calls[type(step)](engine, step))
    except Exception as error:
        refused = raised(error)
        return () if refused is None else (refused,)


def _is_usual(tag: object, field: str) -> bool:
    """Whether a field need not be given: the receiver, where there is a usual one."""
    return field == "to" and tag not in _TO_SEVERAL


def _arguments(struct: type[Setup] | type[Step]) -> tuple[Argument, ...]:
    hints = get_type_hints(struct)
    times = timestamp_fields(struct)
    return tuple(
        Argument(
            field.name,
            "int" if field.name in times else _written(hints[field.name]),
            "" if field.default is NODEFAULT else msgspec.json.encode(field.default).decode(),
            _values(hints[field.name]),
        )
        for field in fields(struct)
    )


def _written(hint: Any) -> str:
    """A type as it is written: int, str, bool, a tuple; `| None` where it may be missing."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        parts = [_written(one) for one in get_args(hint) if one is not NoneType]
        return " | ".join([*dict.fromkeys(parts), *(["None"] if NoneType in get_args(hint) else [])])
    if origin is Literal:
        return "str"
    if origin is tuple:
        return f"tuple[{_written(get_args(hint)[0])}, ...]"
    return "object" if isinstance(hint, type) and issubclass(hint, Struct) else str(hint.__name__)


def _values(hint: Any) -> str:
    """The values of a type with few of them, and the fields of one that has some."""
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(f'"{value}"' for value in get_args(hint))
    told = [
        _fields(one) for one in (hint, *get_args(hint)) if isinstance(one, type) and issubclass(one, Struct)
    ]
    return " or ".join(told)


def _fields(struct: type[Struct]) -> str:
    return f"{struct.__name__} with {', '.join(struct.__struct_fields__)}"
