"""Setup and steps of the watermarks of several splits, and of an operator's inputs."""

from typing import Annotated

from msgspec import Meta

from ..base_scenario import BaseScenario
from ..timestamps import Timestamp
from ..vocabulary import Restore, Setup, Snapshot, Step

Input = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]


class SplitsSetup(Setup, frozen=True, tag_field="parts"):
    """What is combined: splits, or inputs."""


class SplitOutputsSetup(SplitsSetup, frozen=True, tag="splits"):
    """The splits of one source subtask; it starts without any. Steps: those that name a split, and ticks."""


class OperatorInputsSetup(SplitsSetup, frozen=True, tag="inputs"):
    """An operator with several `inputs`, numbered from 0. Steps: those that name an input."""

    inputs: Annotated[int, Meta(ge=1, le=1024)]


class AddSplitStep(Step, frozen=True, tag="add-split"):
    """A split is assigned."""

    split: str


class RemoveSplitStep(Step, frozen=True, tag="remove-split"):
    """A split is finished or taken away."""

    split: str


class SplitWatermarkStep(Step, frozen=True, tag="watermark"):
    """A split delivers a watermark (ms); `deferred`: through its periodic output, to be sent at a tick."""

    split: str
    timestamp: Timestamp
    deferred: bool = False


class SplitIdleStep(Step, frozen=True, tag="idle"):
    """The split has no data for now; `deferred`: said through its periodic output."""

    split: str
    deferred: bool = False


class SplitActiveStep(Step, frozen=True, tag="active"):
    """The split has data again; `deferred`: said through its periodic output."""

    split: str
    deferred: bool = False


class TickStep(Step, frozen=True, tag="tick"):
    """The periodic emit of the source subtask."""


class InputWatermarkStep(Step, frozen=True, tag="input-watermark"):
    """A watermark (ms) arrives on an input of the operator; `MAX` is the end of that input."""

    input: Input
    timestamp: Timestamp


class InputIdleStep(Step, frozen=True, tag="input-idle"):
    """The input has no data for now."""

    input: Input


class InputActiveStep(Step, frozen=True, tag="input-active"):
    """The input has data again."""

    input: Input


SplitsStep = (
    AddSplitStep
    | RemoveSplitStep
    | SplitWatermarkStep
    | SplitIdleStep
    | SplitActiveStep
    | TickStep
    | InputWatermarkStep
    | InputIdleStep
    | InputActiveStep
    | Snapshot
    | Restore
)


class SplitsScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="splits"):
    """A scenario of steps on the splits of one source subtask, or on the inputs of one operator."""

    setup: SplitOutputsSetup | OperatorInputsSetup
    history: tuple[SplitsStep, ...]
