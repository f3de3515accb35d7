"""Watermarks that precede records, for engines in which records advance event time (contract `record-ahead`).

A scenario that breaks the contract is completed rather than discarded: the missing watermark is inserted
before the record.
"""

from collections.abc import Sequence

from ..wire.timestamps import from_wire, timestamp_fields, to_wire
from ..wire.vocabulary import Step
from .component import Component
from .shared.upstream import PARTS, WORDS, Upstream, tag_of


def leading_watermark(component: Component, upstream: Upstream, step: Step) -> Step | None:
    """Return the watermark that upstream must send before a record; None if the contract requires none.

    The watermark is 1 ms before the record. It is at the record's timestamp if the shape has a coarser
    resolution or no earlier timestamp.
    """
    shape = component.shape
    if shape is None or upstream.breach(step) != WORDS["record-ahead"]:
        return None
    record = min(from_wire(getattr(step, field)) for field in timestamp_fields(type(step)))
    before = record - 1 if shape.resolution_ms == 1 else record
    kind = next(kind for kind in component.calls if tag_of(kind) == "watermark")
    parts = {field: getattr(step, field) for field in PARTS if field in kind.__struct_fields__}
    return kind(timestamp=to_wire(max(before, from_wire(shape.lowest))), **parts)


def with_leading_watermarks(component: Component, history: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps with the watermarks that the contract requires before records.

    A later watermark that no longer rises because of an inserted one is removed if the contract excludes
    falling watermarks.
    """
    contract = component.shape.contract if component.shape is not None else ()
    if "record-ahead" not in contract:
        return tuple(history)
    upstream = Upstream(contract)
    completed: list[Step] = []
    for step in history:
        watermark = leading_watermark(component, upstream, step)
        if watermark is None and upstream.breach(step) == WORDS["falling-watermark"]:
            continue
        for sent in (step,) if watermark is None else (watermark, step):
            completed.append(sent)
            upstream.send(sent)
    return tuple(completed)
