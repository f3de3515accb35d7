"""Setup and steps of an input with a watermark generator, and the builder calls on its strategy."""

from typing import Annotated, Literal

from msgspec import Meta

from ..base_scenario import BaseScenario
from ..timestamps import LARGEST_PLAIN, Timestamp
from ..vocabulary import Restore, Setup, Snapshot, Step

Milliseconds = Annotated[int, Meta(ge=-LARGEST_PLAIN, le=LARGEST_PLAIN)]
Place = Literal["source", "mid-pipeline"]
Assigner = Literal["record-time", "ingestion-time"]
Supplier = Literal["punctuated", "processing-time"]
Kind = Literal["bounded-out-of-orderness", "punctuated", "processing-time", "no-watermarks"]


class GeneratorSetup(Setup, frozen=True):
    """An input with a generator of this kind, at its source or at an operator in mid-pipeline.

    `max_out_of_orderness` (ms) is of the bounded kind only, 0 is for monotonous timestamps. `assigner`: which
    time a record gets. `idle_timeout` in ms. `processing_time`: that of the start, in ms.
    """

    place: Place
    kind: Kind
    max_out_of_orderness: Annotated[int, Meta(ge=0, le=LARGEST_PLAIN)] = 0
    assigner: Assigner = "record-time"
    idle_timeout: Annotated[int, Meta(ge=1, le=LARGEST_PLAIN)] | None = None
    processing_time: Annotated[int, Meta(ge=0, le=LARGEST_PLAIN)] = 0


class RecordStep(Step, frozen=True, tag="record"):
    """A record arrives that carries `timestamp` (ms); `MIN`: it carries none."""

    timestamp: Timestamp


class TickStep(Step, frozen=True, tag="tick"):
    """The periodic tick."""


class AdvanceStep(Step, frozen=True, tag="advance"):
    """Processing time passes, and nothing ticks."""

    never_sent = "time that goes back"

    milliseconds: Milliseconds


class WatermarkStep(Step, frozen=True, tag="watermark"):
    """A watermark (ms) arrives from upstream; `MAX` is the end of the input."""

    timestamp: Timestamp


class IdleStep(Step, frozen=True, tag="idle"):
    """Upstream says that it has no data for now."""


class ActiveStep(Step, frozen=True, tag="active"):
    """Upstream says that it has data again."""


class FinishStep(Step, frozen=True, tag="finish"):
    """The operator is finished in an orderly way: it has a last say."""


class StartStep(Step, frozen=True, tag="start"):
    """The operator is started again by the strategy as it is built now, without anything remembered."""


class NoWatermarksStep(Step, frozen=True, tag="no-watermarks"):
    """A builder call, as are the next ones: a new strategy. Durations are in ms; None is missing."""


class ForMonotonousTimestampsStep(Step, frozen=True, tag="for-monotonous-timestamps"):
    """A new strategy."""


class ForBoundedOutOfOrdernessStep(Step, frozen=True, tag="for-bounded-out-of-orderness"):
    """A new strategy."""

    max_out_of_orderness: Milliseconds | None


class ForGeneratorStep(Step, frozen=True, tag="for-generator"):
    """A new strategy."""

    supplier: Supplier | None


class WithTimestampAssignerStep(Step, frozen=True, tag="with-timestamp-assigner"):
    """The strategy as it is, with this assigner."""

    assigner: Assigner | None


class WithIdlenessStep(Step, frozen=True, tag="with-idleness"):
    """The strategy as it is, with this idle timeout."""

    timeout: Milliseconds | None


class WithWatermarkAlignmentStep(Step, frozen=True, tag="with-watermark-alignment"):
    """The strategy as it is, with this alignment; an `update_interval` of None is not passed at all."""

    watermark_group: str | None
    max_allowed_watermark_drift: Milliseconds | None
    update_interval: Milliseconds | None = None


class AlignmentStep(Step, frozen=True, tag="alignment"):
    """The alignment of the strategy is read."""


BuilderStep = (
    NoWatermarksStep
    | ForMonotonousTimestampsStep
    | ForBoundedOutOfOrdernessStep
    | ForGeneratorStep
    | WithTimestampAssignerStep
    | WithIdlenessStep
    | WithWatermarkAlignmentStep
)

GeneratorStep = (
    RecordStep
    | TickStep
    | AdvanceStep
    | WatermarkStep
    | IdleStep
    | ActiveStep
    | FinishStep
    | StartStep
    | AlignmentStep
    | BuilderStep
    | Snapshot
    | Restore
)


class GeneratorScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="generator"):
    """A scenario of steps on one input."""

    setup: GeneratorSetup
    history: tuple[GeneratorStep, ...]
