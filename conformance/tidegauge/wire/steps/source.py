"""Setup and steps of a source subtask."""

from typing import Annotated, Literal

from msgspec import Meta

from ..base_scenario import BaseScenario
from ..timestamps import LARGEST_PLAIN, Timestamp
from ..vocabulary import Restore, Setup, Snapshot, Step

Generator = Literal["bounded-out-of-orderness", "punctuated", "none"]
Split = Annotated[str, Meta(min_length=1)]
Milliseconds = Annotated[int, Meta(ge=0, le=LARGEST_PLAIN)]


class SourceSetup(Setup, frozen=True, omit_defaults=True):
    """A subtask whose outputs have a `generator` of this kind, and idleness if there is an `idle_timeout`.

    `max_out_of_orderness` is the generator's bound, 0: monotonous timestamps. `aligned`: with watermark
    alignment. `can_pause`: the reader can pause splits; if not, `allow_unaligned_splits` lets them run ahead.
    `per_split_outputs`: the reader writes each record to an output of its split, otherwise all to the main
    output. `buffer_size` only matters under a policy. `start`: what the clocks show first. Times in ms.
    """

    generator: Generator = "bounded-out-of-orderness"
    max_out_of_orderness: Milliseconds = 0
    idle_timeout: Annotated[int, Meta(ge=1, le=LARGEST_PLAIN)] | None = None
    aligned: bool = True
    can_pause: bool = True
    allow_unaligned_splits: bool = False
    per_split_outputs: bool = True
    buffer_size: Annotated[int, Meta(ge=0, le=1024)] = 0
    start: Milliseconds = 0


class AssignStep(Step, frozen=True, tag="assign"):
    """The reader gets a split."""

    never_sent = "a split that is assigned already, or is not, or input after its end"

    split: Split


class FinishStep(Step, frozen=True, tag="finish"):
    """The reader has read all of a split."""

    never_sent = "a split that is assigned already, or is not, or input after its end"

    split: Split


class RecordStep(Step, frozen=True, tag="record"):
    """The reader offers a record of a split (null: of the main output); `timestamp` in ms, `MIN`: none."""

    never_sent = "a split that is assigned already, or is not, or input after its end"

    split: Split | None
    timestamp: Timestamp


class WatermarkStep(Step, frozen=True, tag="watermark"):
    """The reader itself writes a watermark (ms)."""

    never_sent = "a split that is assigned already, or is not, or input after its end"

    split: Split | None
    timestamp: Timestamp


class IdleStep(Step, frozen=True, tag="idle"):
    """The reader itself says that there is no data for now."""

    never_sent = "a split that is assigned already, or is not, or input after its end"

    split: Split | None


class ActiveStep(Step, frozen=True, tag="active"):
    """The reader itself says that there is data again."""

    never_sent = "a split that is assigned already, or is not, or input after its end"

    split: Split | None


class TickStep(Step, frozen=True, tag="tick"):
    """Time for periodic watermarks."""


class ReportStep(Step, frozen=True, tag="report"):
    """An update interval has passed."""


class AnnouncementStep(Step, frozen=True, tag="announcement"):
    """The coordinator announces a bound (ms)."""

    bound: Timestamp


class BackpressureStep(Step, frozen=True, tag="backpressure"):
    """Downstream takes no more records (`on`), or takes them again."""

    on: bool


class AdvanceStep(Step, frozen=True, tag="advance"):
    """Processing time passes; less than 0 ms is refused."""

    never_sent = "time that goes back"

    milliseconds: Annotated[int, Meta(ge=-LARGEST_PLAIN, le=LARGEST_PLAIN)]


class EndOfInputStep(Step, frozen=True, tag="end-of-input"):
    """The reader has no more records and gets no more splits."""

    never_sent = "a second end of the input"


SourceStep = (
    AssignStep
    | FinishStep
    | RecordStep
    | WatermarkStep
    | IdleStep
    | ActiveStep
    | TickStep
    | ReportStep
    | AnnouncementStep
    | BackpressureStep
    | AdvanceStep
    | EndOfInputStep
    | Snapshot
    | Restore
)


class SourceScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="source"):
    """A scenario of steps on a source subtask."""

    setup: SourceSetup
    history: tuple[SourceStep, ...]
