"""Setup and steps of the source coordinators of a job."""

from typing import Annotated

from msgspec import Meta, Struct

from ..base_scenario import BaseScenario
from ..timestamps import Timestamp
from ..vocabulary import Restore, Setup, Snapshot, Step

Milliseconds = Annotated[int, Meta(ge=-(2**53 - 1), le=2**53 - 1)]
Number = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]


class StartedSource(Struct, frozen=True, forbid_unknown_fields=True):
    """A source that has been started and whose subtasks all run. `source` is its identity, `name` what people
    call it; without a `watermark_group` it has no alignment. The drift is in ms."""

    source: str
    name: str
    watermark_group: str | None
    max_allowed_watermark_drift: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    subtasks: Annotated[int, Meta(ge=1, le=1024)]


class CoordinatorSetup(Setup, frozen=True):
    """The coordinators of a job that has these sources from the start, each with another identity."""

    sources: tuple[StartedSource, ...] = ()


class StartStep(Step, frozen=True, tag="start"):
    """One more source begins; its subtasks do not run yet."""

    never_sent = "a source that starts twice, or with arguments that its strategy refuses"

    source: str
    name: str
    watermark_group: str | None
    max_allowed_watermark_drift: Milliseconds
    subtasks: Annotated[int, Meta(ge=-1024, le=1024)]


class SubtaskStep(Step, frozen=True):
    """Something happens to a subtask of a source."""

    never_sent = "a subtask that does not exist, or a report without alignment"

    source: str
    subtask: Number


class ReportStep(SubtaskStep, frozen=True, tag="report"):
    """A subtask says which watermark (ms) it emitted last; `MAX`: do not wait for me."""

    watermark: Timestamp


class FinishStep(SubtaskStep, frozen=True, tag="finish"):
    """A subtask has read all its records and gets no more."""


class ReadyStep(SubtaskStep, frozen=True, tag="ready"):
    """A subtask runs and can be told its bound."""


class FailedStep(SubtaskStep, frozen=True, tag="failed"):
    """A subtask does not run any more."""


class ResetStep(SubtaskStep, frozen=True, tag="reset"):
    """A subtask is put back to a checkpoint and does not run until it is ready again."""


class RestartStep(Step, frozen=True, tag="restart"):
    """The coordinator of a source is made anew, and all its subtasks are reset."""

    never_sent = "a source that has not started"

    source: str


class AnnounceStep(Step, frozen=True, tag="announce"):
    """An update interval of a source is over."""

    never_sent = "a source that has not started"

    source: str


CoordinatorStep = (
    StartStep
    | ReportStep
    | FinishStep
    | ReadyStep
    | FailedStep
    | ResetStep
    | RestartStep
    | AnnounceStep
    | Snapshot
    | Restore
)


class CoordinatorScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="coordinator"):
    """A scenario of steps on the source coordinators of a job."""

    setup: CoordinatorSetup
    history: tuple[CoordinatorStep, ...]
