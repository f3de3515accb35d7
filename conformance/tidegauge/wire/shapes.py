"""Shapes: which features an engine has, component by component, as pure data.

An adapter declares the shape of each component that has fewer features than the chapter describes. Scenarios
are drawn within the shape; rules that decide only outside of it are not applicable.
"""

from typing import Annotated, Literal, get_args
from zlib import crc32

import msgspec
from msgspec import Meta, Struct

from .steps.generator import Kind, Place
from .steps.window import Accumulation, Length, Offset, Trigger
from .timestamps import LARGEST_PLAIN, Timestamp

Statuses = Literal["explicit", "none"]
ValveStatuses = Literal["explicit", "implied", "none"]
Slides = Literal["any", "divides-size"]
AssignerName = Literal["tumbling", "sliding", "session"]
LateRecords = Literal["output", "drop"]
NeverSent = Literal["falling-watermark", "input-after-end", "repeated-status", "record-ahead"]
Characters = Literal["any", "letters-digits-dashes"]
Duration = Annotated[int, Meta(ge=0, le=LARGEST_PLAIN)]
Parts = Annotated[int, Meta(ge=1, le=1024)]


class Shape(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="component"):
    """The features of one component of an engine. The default of each field is the full feature.

    Attributes:
        without_steps: the steps that have no counterpart in the engine, by their names on the wire
            ("expired-state").
        contract: steps that upstream never sends to the component: a watermark that does not rise, input
            after the end of the input, a status that the part already has, a record that is more than
            1 ms ahead of the watermark.
        lowest: the earliest timestamp that the engine represents (ms).
        highest: the latest timestamp that the engine represents (ms).
        no_timestamp: whether the engine represents `MIN`, a record without a timestamp. If not, window
            operators receive no record at `MAX` either.
        end_of_input: whether the engine represents `MAX`, the end of the input.
        longest_duration: the longest duration that the engine represents (ms); None for any.
        resolution_ms: all timestamps and durations are multiples of this number of ms.
        longest_history: the largest number of steps per scenario within the time limit; None for any.
        snapshots: whether a snapshot of the component can be taken and restored.
        longest_name: the largest number of characters of a name; None for any.
        name_characters: the characters that names may contain.
    """

    without_steps: tuple[str, ...] = ()
    contract: tuple[NeverSent, ...] = ()
    lowest: Timestamp = "MIN"
    highest: Timestamp = "MAX"
    no_timestamp: bool = True
    end_of_input: bool = True
    longest_duration: Length | None = None
    resolution_ms: Length = 1
    longest_history: Length | None = None
    snapshots: bool = True
    longest_name: Length | None = None
    name_characters: Characters = "any"


class ClockShape(Shape, frozen=True, tag="clock", omit_defaults=True):
    """The features of an input activity clock."""


class GeneratorShape(Shape, frozen=True, tag="generator", omit_defaults=True):
    """The features of a watermark generator.

    Attributes:
        kinds: the kinds of generators.
        places: where the generator can stand.
        idleness: whether a strategy can have an idle timeout.
        builders: whether strategies are built by builder calls, and whether the alignment of a strategy can
            be read.
    """

    kinds: tuple[Kind, ...] = get_args(Kind)
    places: tuple[Place, ...] = get_args(Place)
    idleness: bool = True
    builders: bool = True


class IdlenessShape(Shape, frozen=True, tag="idleness", omit_defaults=True):
    """The features of an idleness detector."""


class SplitsShape(Shape, frozen=True, tag="splits", omit_defaults=True):
    """The features of a combination of parts.

    Attributes:
        parts: what the engine combines.
        statuses: how a part reports that it is idle or active; `none` if parts have no status.
        most_parts: the largest number of parts.
    """

    parts: tuple[Literal["splits", "inputs"], ...] = ("splits", "inputs")
    statuses: Statuses = "explicit"
    most_parts: Parts = 1024


class ValveShape(Shape, frozen=True, tag="valve", omit_defaults=True):
    """The features of a valve.

    Attributes:
        statuses: how a channel reports that it is idle or active; `implied` if its next item makes it active,
            so that no watermark arrives on a channel that is still idle; `none` if channels have no status.
        most_channels: the largest number of channels.
        unknown_channels: whether a step can name a channel that the valve does not have.
    """

    statuses: ValveStatuses = "explicit"
    most_channels: Parts = 1024
    unknown_channels: bool = True


class SourceShape(Shape, frozen=True, tag="source", omit_defaults=True):
    """The features of a source subtask.

    Attributes:
        outputs: whether the reader writes records to an output of their split, or to the main output.
        readers: whether an aligned reader pauses splits, or continues reading from all of them.
    """

    outputs: tuple[Literal["per-split", "main"], ...] = ("per-split", "main")
    readers: tuple[Literal["pauses", "continues"], ...] = ("pauses", "continues")


class CoordinatorShape(Shape, frozen=True, tag="coordinator", omit_defaults=True):
    """The features of a source coordinator."""


class LowWatermarkShape(Shape, frozen=True, tag="low_watermark", omit_defaults=True):
    """The features of a low-watermark service."""


class BacklogShape(Shape, frozen=True, tag="backlog", omit_defaults=True):
    """The features of a backlog detector."""


class WindowShape(Shape, frozen=True, tag="window", omit_defaults=True):
    """The features of a window operator. All lengths in ms.

    Attributes:
        assigners: the kinds of windows.
        sizes: the supported window sizes and session gaps; empty for any.
        offsets: whether windows can begin at an offset.
        gaps: whether windows can slide by more than their size, so that records fall between them.
        slides: whether windows can slide by any length, or only by a length that divides their size.
        every: the supported slides; empty for any.
        begins_at: the supported offsets; empty for any.
        triggers: when a window fires.
        allowed_lateness: the supported values of the allowed lateness, (0,) for none; empty for any.
        accumulation: what a window outputs when it fires again.
        late_records: where late records go: to an output of their own, or dropped and counted.
        statuses: how upstream reports that it is idle or active; `none` if it has no status.
    """

    assigners: tuple[AssignerName, ...] = get_args(AssignerName)
    sizes: tuple[Length, ...] = ()
    offsets: bool = True
    gaps: bool = True
    slides: Slides = "any"
    every: tuple[Length, ...] = ()
    begins_at: tuple[Offset, ...] = ()
    triggers: tuple[Trigger, ...] = get_args(Trigger)
    allowed_lateness: tuple[Duration, ...] = ()
    accumulation: tuple[Accumulation, ...] = get_args(Accumulation)
    late_records: tuple[LateRecords, ...] = get_args(LateRecords)
    statuses: Statuses = "explicit"


AnyShape = (
    ClockShape
    | GeneratorShape
    | IdlenessShape
    | SplitsShape
    | ValveShape
    | SourceShape
    | CoordinatorShape
    | LowWatermarkShape
    | BacklogShape
    | WindowShape
)

SHAPES: dict[str, type[AnyShape]] = {str(shape.__struct_config__.tag): shape for shape in get_args(AnyShape)}
"""The type of the shape of each component, by the component's name."""


def component_of_shape(shape: AnyShape) -> str:
    """Return the name of the component that a shape describes."""
    return str(shape.__struct_config__.tag)


def shape_of(component: str, shapes: tuple[AnyShape, ...]) -> AnyShape | None:
    """Return the shape of a component among those that an engine declares; None if the engine has every
    feature of the component."""
    declared = next((shape for shape in shapes if component_of_shape(shape) == component), None)
    return None if declared is None or declared == type(declared)() else declared


def shape_mark(shape: AnyShape) -> str:
    """Return the mark of a shape in scenario ids, so that ids of different shapes differ."""
    return f"+{crc32(msgspec.json.encode(shape)):08x}"
