"""The shape of an engine in words: the features of the chapters that the engine lacks."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from ..components.shared.upstream import WORDS
from ..wire.implementation import Implementation
from ..wire.shapes import AnyShape, component_of_shape
from .numbers import listed

_MOST = 12
"""Largest number of features that are named of one component."""

_ONLY = {
    "assigners": "{} windows only",
    "triggers": "{} trigger only",
    "accumulation": "accumulation mode {} only",
    "kinds": "watermark generators of kind {} only",
    "outputs": "{} outputs only",
    "readers": "readers: only {}",
    "places": "place {} only",
    "parts": "{} only",
    "sizes": "sizes {} ms only",
    "every": "slides {} ms only",
    "begins_at": "offsets {} ms only",
    "allowed_lateness": "allowed lateness {} ms only",
    "without_steps": "without the steps {}",
}

_LACKING = {
    "offsets": "no offsets",
    "gaps": "no gaps between windows",
    "unknown_channels": "no steps for unknown channels",
    "idleness": "no idle timeouts",
    "snapshots": "no snapshots",
    "builders": "no builder calls",
    "no_timestamp": "no records without a timestamp",
    "end_of_input": "no end of the input",
}

_NUMBERS = {
    "most_channels": "{:,} channels at most",
    "most_parts": "{:,} parts at most",
    "longest_duration": "durations of {:,} ms at most",
    "resolution_ms": "times in multiples of {:,} ms",
    "longest_history": "{:,} steps at most",
    "longest_name": "names of {:,} characters at most",
}


def shape_words(shape: AnyShape) -> list[str]:
    """Return the features in which a shape differs from the full one, such as `no offsets`."""
    full = type(shape)()
    fields = (field for field in shape.__struct_fields__ if getattr(shape, field) != getattr(full, field))
    return [words for field in fields for words in _words(field, getattr(shape, field))]


def shapes_words(implementation: Implementation) -> list[tuple[str, str]]:
    """Return each component whose shape an engine declares, with the features in which it differs."""
    return [
        (component_of_shape(shape).replace("_", " "), listed(words, _MOST))
        for shape in implementation.shapes
        if (words := shape_words(shape))
    ]


def declared_rows(implementation: Implementation) -> list[tuple[str, str, str]]:
    """Return each declared restriction as its kind (`shape` or `contract`), the component, and the words."""
    rows = []
    for shape in implementation.shapes:
        component = component_of_shape(shape).replace("_", " ")
        if features := shape_words(replace(shape, contract=())):
            rows.append(("shape", component, listed(features, _MOST)))
        if contract := shape_words(type(shape)(contract=shape.contract)):
            rows.append(("contract", component, listed(contract, _MOST)))
    return rows


def shapes_line(implementation: Implementation) -> str:
    """Return all declared shapes in a line, `window: tumbling windows only; valve: no statuses`; empty if the
    engine declares none."""
    return "; ".join(f"{component}: {words}" for component, words in shapes_words(implementation))


def scope_words(implementation: Implementation) -> str:
    """Return the restrictions under which an engine was tested: `within its shape`, `under its contract`,
    both, or an empty string."""
    restricted = [shape for shape in implementation.shapes if shape_words(shape)]
    under = "under its contract" if any(shape.contract for shape in restricted) else ""
    features = (shape_words(replace(shape, contract=())) for shape in restricted)
    within = "within its shape" if any(features) else ""
    return " and ".join(filter(None, [within, under]))


def shapes_remark(implementation: Implementation) -> str:
    """Return what a reader must know of the declared shapes; empty if the engine declares none."""
    line = shapes_line(implementation)
    return f"Tested within the declared shape of the engine: {line}." if line else ""


def _words(field: str, value: Any) -> Iterator[str]:
    if field == "allowed_lateness" and value == (0,):
        yield "no allowed lateness"
    elif field == "late_records":
        yield "no output for late records" if value == ("drop",) else "late records to an output only"
    elif field == "statuses":
        yield "ACTIVE implied by the next item" if value == "implied" else "no statuses"
    elif field == "slides":
        yield "slides that divide the size only"
    elif field == "contract":
        yield f"upstream never sends {listed([WORDS[each] for each in value], _MOST)}"
    elif field == "lowest":
        yield f"no timestamps before {value} ms"
    elif field == "highest":
        yield f"no timestamps after {value} ms"
    elif field == "name_characters":
        yield "names of letters, digits and dashes only"
    elif field in _ONLY:
        yield _ONLY[field].format(", ".join(f"{each:,}" if isinstance(each, int) else each for each in value))
    elif field in _LACKING:
        yield _LACKING[field]
    elif field in _NUMBERS:
        yield _NUMBERS[field].format(value)
