"""Other names for what setups, steps and outputs name."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace


def names_in(struct: Any, fields: tuple[str, ...]) -> Iterator[str]:
    """The names in these fields of a struct and of the structs that it holds."""
    for field, value in asdict(struct).items():
        if field in fields and isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            for one in value:
                if isinstance(one, Struct):
                    yield from names_in(one, fields)


def with_names(struct: Any, fields: tuple[str, ...], others: Mapping[str, str]) -> Any:
    """The struct with other names in these fields; a name that has no other stays."""
    changed: dict[str, Any] = {}
    for field, value in asdict(struct).items():
        if field in fields and isinstance(value, str):
            changed[field] = others.get(value, value)
        elif isinstance(value, tuple):
            changed[field] = tuple(
                with_names(one, fields, others) if isinstance(one, Struct) else one for one in value
            )
    return replace(struct, **changed) if changed else struct
