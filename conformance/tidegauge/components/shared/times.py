"""The times in setups and steps: timestamps, and durations in ms."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from ...wire.timestamps import MAX, MIN, from_wire, timestamp_fields, to_wire


def durations_in(struct: Any, fields: tuple[str, ...]) -> Iterator[int]:
    """Yield the durations in these fields of a struct and of the structs that it holds."""
    for name, value in asdict(struct).items():
        if isinstance(value, Struct):
            yield from durations_in(value, fields)
        elif isinstance(value, tuple):
            for part in value:
                if isinstance(part, Struct):
                    yield from durations_in(part, fields)
        elif name in fields and isinstance(value, int):
            yield value


def with_times(
    struct: Any, moment: Callable[[int], int], duration: Callable[[int], int], fields: tuple[str, ...]
) -> Any:
    """Return a struct with other times; `MIN` and `MAX` stay.

    Args:
        struct: a setup, a step or a part of a setup.
        moment: returns the timestamp (ms) in place of a timestamp.
        duration: returns the duration (ms) in place of a duration.
        fields: the fields that contain durations.
    """
    kind: type[Struct] = type(struct)
    others: dict[str, Any] = {}
    for name, value in asdict(struct).items():
        if isinstance(value, Struct):
            others[name] = with_times(value, moment, duration, fields)
        elif isinstance(value, tuple):
            others[name] = tuple(
                with_times(part, moment, duration, fields) if isinstance(part, Struct) else part
                for part in value
            )
        elif name in timestamp_fields(kind) and value not in (None, "MIN", "MAX"):
            others[name] = to_wire(min(max(MIN, moment(from_wire(value))), MAX))
        elif name in fields and isinstance(value, int):
            others[name] = duration(value)
    return replace(struct, **others) if others else struct
