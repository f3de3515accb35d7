"""The shapes that an adapter declares: known components, known fields, known values."""

from collections.abc import Sequence
from typing import Any, get_args, get_type_hints

import msgspec

from ..components.registry import COMPONENTS
from ..components.shared.upstream import tag_of
from ..wire.scenario import BadInput
from ..wire.shapes import SHAPES, AnyShape, Shape, component_of_shape
from ..wire.timestamps import from_wire
from ..wire.unknown_names import unknown
from .foreign_text import printable, shown

_HAVE_TIME = {"record", "watermark"}
"""The steps without which records cannot be ahead of a watermark."""


def read_shapes(documents: Sequence[Any]) -> tuple[AnyShape, ...]:
    """Return the shapes of a description in the wire form. Raises `BadInput`."""
    return tuple(map(_read_shape, documents))


def check_shapes(adapter: str, shapes: Any) -> None:
    """Reject shapes of unknown components, two shapes of one component, and invalid values.

    Raises:
        BadInput: the message names the field and the known values.
    """
    who = f"adapter {adapter!r}"
    if not isinstance(shapes, tuple):
        raise BadInput(f"{who}: shapes is {shown(shapes)}; give a tuple, such as (ValveShape(),)")
    declared: set[str] = set()
    for shape in shapes:
        if not isinstance(shape, Shape):
            raise BadInput(f"{who}: {shown(shape)} in shapes is not a shape; known: {_known_shapes()}")
        component = component_of_shape(shape)  # type: ignore[arg-type]
        if component in declared:
            raise BadInput(f"{who}: shapes has two shapes of the component {component}; merge them")
        declared.add(component)
        try:
            read_shapes([msgspec.to_builtins(shape)])
        except BadInput as problem:
            raise BadInput(f"{who}: {problem}") from None


def _known_shapes() -> str:
    return ", ".join(shape.__name__ for shape in SHAPES.values())


def _read_shape(document: Any) -> AnyShape:
    if not isinstance(document, dict) or document.get("component") not in SHAPES:
        name = str(document.get("component")) if isinstance(document, dict) else shown(document)
        raise BadInput(f"its shapes have an {unknown('component', name, SHAPES)}")
    component = str(document["component"])
    kind = SHAPES[component]
    where = f"its shape of the component {component}"
    for field, value in document.items():
        if field != "component":
            _check_field(where, kind, field, value)
    try:
        shape: AnyShape = msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise BadInput(f"{where}: {printable(str(error))}") from None
    tags = [str(step.__struct_config__.tag) for step in COMPONENTS[component].calls]
    for tag in shape.without_steps:
        if tag not in tags:
            raise BadInput(f"{where}: without_steps has an {unknown('step', tag, tags)}")
    if "record-ahead" in shape.contract and not {*map(tag_of, COMPONENTS[component].calls)} >= _HAVE_TIME:
        raise BadInput(f"{where}: contract has record-ahead, and the component has no records or watermarks")
    if from_wire(shape.lowest) > from_wire(shape.highest):
        raise BadInput(f"{where}: lowest is {shape.lowest} and highest is {shape.highest}; swap them")
    return shape


def _check_field(where: str, kind: type[AnyShape], field: str, value: Any) -> None:
    """Reject an unknown field, and unknown or missing values of a field that has a closed list of values."""
    fields = kind.__struct_fields__
    if field not in fields:
        raise BadInput(f"{where}: {unknown('field', str(field), fields)}")
    hint = get_type_hints(kind)[field]
    members = get_args(hint)
    several = members[1:] == (...,)
    choices = get_args(members[0]) if several else members
    if not choices or not all(isinstance(choice, str) for choice in choices):
        return
    if several and (isinstance(value, str) or not isinstance(value, list | tuple)):
        raise BadInput(f"{where}: {field} is {shown(value)}; give a list of {', '.join(choices)}")
    if several and not value:
        raise BadInput(f"{where}: {field} is empty; give one or more of {', '.join(choices)}")
    for member in value if several else (value,):
        if member not in choices:
            raise BadInput(f"{where}: {field} has an {unknown('value', str(member), choices)}")
