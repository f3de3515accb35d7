"""Setup and steps of an input whose idleness is judged on its activity clock."""

from typing import Annotated, Literal

from msgspec import Meta

from ..base_scenario import BaseScenario
from ..timestamps import Timestamp
from ..vocabulary import Restore, Setup, Snapshot, Step
from .clock import AdvanceStep, PauseStep, ResumeStep

GeneratorKind = Literal["bounded-out-of-orderness", "punctuated", "none", "after-silence"]


class IdlenessSetup(Setup, frozen=True, omit_defaults=True):
    """An input with the idle timeout `timeout` (ns), around a generator of the kind `generator`, whose
    clock reads `nanoseconds` at the start. `max_out_of_orderness` (ms) is that generator's bound, 0:
    monotonous timestamps; of `after-silence` the silence that it waits for."""

    generator: GeneratorKind
    timeout: Annotated[int, Meta(ge=1, le=2**53 - 1)]
    max_out_of_orderness: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 0
    nanoseconds: Annotated[int, Meta(ge=-(2**53 - 1), le=2**53 - 1)] = 0


class RecordStep(Step, frozen=True, tag="record"):
    """The generator hears of a record with this timestamp (ms)."""

    timestamp: Timestamp


class TickStep(Step, frozen=True, tag="tick"):
    """The generator's periodic emit, with a probe of idleness."""


IdlenessStep = RecordStep | TickStep | AdvanceStep | PauseStep | ResumeStep | Snapshot | Restore


class IdlenessScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="idleness"):
    """A scenario of steps on an input whose idleness is judged on its activity clock."""

    setup: IdlenessSetup
    history: tuple[IdlenessStep, ...]
