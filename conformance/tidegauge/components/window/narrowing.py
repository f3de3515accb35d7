"""Windows within the shape of an engine."""

from typing import Any

from ...wire.shapes import WindowShape
from ...wire.steps.window import (
    ActiveStep,
    Assigner,
    IdleStep,
    RecordStep,
    Session,
    Sliding,
    Tumbling,
    WatermarkStep,
    WindowSetup,
)
from ...wire.timestamps import LARGEST_PLAIN
from ...wire.vocabulary import Step
from ..narrowing import Narrowing
from ..shared.random_source import RandomSource
from ..shared.times import with_times

_PARTS_TRIED = 100
"""The number of slides that are tried to find one that divides the size of a window."""


def _kind(assigner: Assigner) -> str:
    return str(assigner.__struct_config__.tag)


def _size(assigner: Tumbling | Sliding | Session) -> int:
    return assigner.gap if isinstance(assigner, Session) else assigner.size


def _setup_outside(setup: WindowSetup, shape: WindowShape) -> str:
    assigner = setup.assigner
    late = "output" if setup.late_output else "drop"
    if _kind(assigner) not in shape.assigners:
        return f"{_kind(assigner)} windows"
    if shape.sizes and _size(assigner) not in shape.sizes:
        return f"windows of {_size(assigner):,} ms"
    if not shape.offsets and isinstance(assigner, Tumbling | Sliding) and assigner.offset:
        return "windows that begin at an offset"
    offset = assigner.offset if isinstance(assigner, Tumbling | Sliding) else None
    if offset is not None and shape.begins_at and offset not in shape.begins_at:
        return f"windows at an offset of {offset:,} ms"
    if shape.every and isinstance(assigner, Sliding) and assigner.slide not in shape.every:
        return f"windows every {assigner.slide:,} ms"
    if not shape.gaps and isinstance(assigner, Sliding) and assigner.slide > assigner.size:
        return "windows with gaps between them"
    if shape.slides == "divides-size" and isinstance(assigner, Sliding) and assigner.size % assigner.slide:
        return "a slide that does not divide the size of the windows"
    if setup.trigger not in shape.triggers:
        return f"the {setup.trigger} trigger"
    if shape.allowed_lateness and setup.allowed_lateness not in shape.allowed_lateness:
        none = shape.allowed_lateness == (0,)
        return "allowed lateness" if none else f"an allowed lateness of {setup.allowed_lateness:,} ms"
    if setup.accumulation not in shape.accumulation:
        return f"the mode {setup.accumulation}"
    if late not in shape.late_records:
        return "an output for late records" if setup.late_output else "late records without an output"
    return ""


def _step_outside(step: Step, shape: WindowShape, _: Any) -> str:
    if isinstance(step, IdleStep | ActiveStep) and shape.statuses == "none":
        return "statuses of the input"
    # No window covers MAX: a record there has no timestamp either (WIN-15). A watermark at MAX has a meaning.
    is_untimed = isinstance(step, RecordStep) and step.timestamp == "MAX"
    return "a record without a timestamp" if is_untimed and not shape.no_timestamp else ""


def _conformed(setup: WindowSetup, shape: WindowShape, random: RandomSource) -> WindowSetup:
    late = "output" if setup.late_output else "drop"
    lateness = setup.allowed_lateness
    return WindowSetup(
        _assigner(setup.assigner, shape, random),
        allowed_lateness=_one_of(lateness, shape.allowed_lateness or (lateness,), random),
        trigger=_one_of(setup.trigger, shape.triggers, random),
        accumulation=_one_of(setup.accumulation, shape.accumulation, random),
        late_output=_one_of(late, shape.late_records, random) == "output",
    )


def _assigner(
    drawn: Tumbling | Sliding | Session, shape: WindowShape, random: RandomSource
) -> Tumbling | Sliding | Session:
    """Return windows of about the size of the drawn ones."""
    kind = _one_of(_kind(drawn), shape.assigners, random)
    size = _one_of(_size(drawn), shape.sizes or (_size(drawn),), random)
    offset = getattr(drawn, "offset", 0) if shape.offsets else 0
    offset = _one_of(offset, shape.begins_at or (offset,), random)
    if kind == "session":
        return Session(size)
    if kind == "tumbling":
        return Tumbling(size, offset)
    if shape.every:
        return Sliding(size, random.pick(shape.every), offset)
    slide = drawn.slide if isinstance(drawn, Sliding) else -(-size // 2)
    if shape.sizes:
        slide = max(shape.resolution_ms, size // random.between(1, 4))
    slide = slide if shape.gaps else min(slide, size)
    return Sliding(*_divided(size, slide, shape), offset) if size % slide else Sliding(size, slide, offset)


def _divided(size: int, slide: int, shape: WindowShape) -> tuple[int, int]:
    """Return a size that the slide divides if sizes are free, else a slide that divides the size."""
    if shape.slides == "any":
        return size, slide
    parts = -(-size // slide)
    if not shape.sizes and slide * parts <= LARGEST_PLAIN:
        return slide * parts, slide
    unit = shape.resolution_ms
    lengths = (size // every for every in range(parts, parts + _PARTS_TRIED) if size % every == 0)
    return size, next((length for length in lengths if length % unit == 0), size)


def _one_of(drawn: Any, allowed: tuple[Any, ...], random: RandomSource) -> Any:
    return drawn if drawn in allowed else random.pick(allowed)


def _stretched(step: Step, small: WindowSetup, large: WindowSetup, unit: int) -> Step:
    """Return the step at the same place relative to windows that are larger by a whole factor.

    The watermark before the end of a small window becomes the watermark before the end of a large one: of
    windows of 2 ms and of 60,000 ms, a watermark of 1 becomes 59,999, and a record of 1 becomes 30,000.
    """
    factor = max(1, _size(large.assigner) // _size(small.assigner))
    extra = (factor - 1) * unit if isinstance(step, WatermarkStep) else 0

    def moment(value: int) -> int:
        stretched = value * factor + extra
        return stretched if abs(stretched) <= LARGEST_PLAIN else value

    return with_times(step, moment, lambda duration: duration, ())  # type: ignore[no-any-return]


def _scope_name(setup: WindowSetup) -> str:
    """Return a name such as `tumbling-2-lateness-0-discarding`."""
    assigner = setup.assigner
    every = f"-every-{assigner.slide}" if isinstance(assigner, Sliding) else ""
    words = f"{_kind(assigner)}-{_size(assigner)}{every}-lateness-{setup.allowed_lateness}"
    return f"{words}-{setup.accumulation.removeprefix('accumulating-and-')}"


def _spread_ms(shape: WindowShape) -> int:
    return max((*shape.sizes, *shape.allowed_lateness), default=0)


NARROWING = Narrowing(
    setup_outside=_setup_outside,
    step_outside=_step_outside,
    conformed=_conformed,
    spread_ms=_spread_ms,
    stretched=_stretched,
    scope_name=_scope_name,
    milliseconds=("size", "slide", "gap", "offset", "allowed_lateness"),
)
