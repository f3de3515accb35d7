"""Timestamps on the wire: what every JSON reader, JavaScript's included, carries without loss."""

from functools import cache
from typing import Annotated, get_type_hints

from msgspec import Meta, Struct

MIN = -(2**63)
"""No watermark yet."""

MAX = 2**63 - 1
"""End of input."""

LARGEST_PLAIN = 2**53 - 1

_NOT_PLAIN = r"^(MIN|MAX|-?[1-9][0-9]{15,18})(?!\n)$"

Timestamp = (
    Annotated[int, Meta(ge=-LARGEST_PLAIN, le=LARGEST_PLAIN)] | Annotated[str, Meta(pattern=_NOT_PLAIN)]
)
"""Milliseconds within ±(2^53-1) as a number; `"MIN"`, `"MAX"`; beyond that range, in scenarios that need
the capability `int64`, as a decimal string."""


def in_words(error: Exception) -> str:
    """What the wire form says of a document, with what a timestamp may be instead of its pattern."""
    said = str(error)
    pattern = f"`str` matching regex {_NOT_PLAIN!r}"
    return said.replace(pattern, f'a number, "MIN" or "MAX", or beyond {LARGEST_PLAIN} a number in quotes')


def to_wire(milliseconds: int) -> int | str:
    """The wire form of a signed 64-bit number of milliseconds."""
    if -LARGEST_PLAIN <= milliseconds <= LARGEST_PLAIN:
        return milliseconds
    if milliseconds == MAX:
        return "MAX"
    return "MIN" if milliseconds == MIN else str(milliseconds)


def from_wire(timestamp: int | str) -> int:
    """The number of milliseconds behind the wire form."""
    if isinstance(timestamp, int):
        return timestamp
    if timestamp == "MAX":
        return MAX
    return MIN if timestamp == "MIN" else int(timestamp)


@cache
def timestamp_fields(struct: type[Struct]) -> tuple[str, ...]:
    """The fields of a struct that hold a timestamp, also those that may be None."""
    hints = get_type_hints(struct, include_extras=True)
    return tuple(name for name in struct.__struct_fields__ if hints[name] in (Timestamp, Timestamp | None))


def is_beyond_plain_numbers(timestamp: int | str | None) -> bool:
    """Whether a timestamp is digits in a string on the wire."""
    return isinstance(timestamp, str) and timestamp not in ("MIN", "MAX")


def needs_int64(struct: Struct) -> bool:
    """Whether a timestamp of a struct needs the capability `int64`."""
    names = timestamp_fields(type(struct))
    return any(is_beyond_plain_numbers(getattr(struct, name)) for name in names)
