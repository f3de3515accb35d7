"""Setup and steps of windows and lateness."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ..base_scenario import BaseScenario
from ..timestamps import Timestamp
from ..vocabulary import Restore, Setup, Snapshot, Step

_LARGEST = 2**53 - 1

Length = Annotated[int, Meta(ge=1, le=_LARGEST)]
Offset = Annotated[int, Meta(ge=-_LARGEST, le=_LARGEST)]
Value = Annotated[int, Meta(ge=-_LARGEST, le=_LARGEST)]


Trigger = Literal["event-time", "per-record"]
Accumulation = Literal["discarding", "accumulating", "accumulating-and-retracting"]


class Assigner(Struct, frozen=True, forbid_unknown_fields=True, tag_field="assigner"):
    """Which windows a record belongs to. All lengths in ms."""


class Tumbling(Assigner, frozen=True, tag="tumbling"):
    """Windows of `size`, one after the other; one starts at `offset`."""

    size: Length
    offset: Offset = 0


class Sliding(Assigner, frozen=True, tag="sliding"):
    """Windows of `size`, one every `slide`; one starts at `offset`."""

    size: Length
    slide: Length
    offset: Offset = 0


class Session(Assigner, frozen=True, tag="session"):
    """A window lasts until nothing has come for `gap`."""

    gap: Length


class WindowSetup(Setup, frozen=True):
    """Windows of one key. `allowed_lateness` in ms. `late_output`: late records go to an output of their own
    instead of being dropped."""

    assigner: Tumbling | Sliding | Session
    allowed_lateness: Annotated[int, Meta(ge=0, le=_LARGEST)] = 0
    trigger: Trigger = "event-time"
    accumulation: Accumulation = "accumulating"
    late_output: bool = True


class RecordStep(Step, frozen=True, tag="record"):
    """A record arrives; results name it by its `value`. `MIN`: it has no timestamp."""

    timestamp: Timestamp
    value: Value


class WatermarkStep(Step, frozen=True, tag="watermark"):
    """Everything up to `timestamp` (ms) has arrived; `MAX` ends the input."""

    timestamp: Timestamp


class IdleStep(Step, frozen=True, tag="idle"):
    """Upstream has no data for now."""


class ActiveStep(Step, frozen=True, tag="active"):
    """Upstream has data again."""


class ExpiredStateStep(Step, frozen=True, tag="expired-state"):
    """Asks how many records are kept of windows whose end minus 1 ms plus allowed lateness the watermark has
    reached. What is kept of other windows is the engine's own affair: it may keep less than all records."""


WindowStep = RecordStep | WatermarkStep | IdleStep | ActiveStep | ExpiredStateStep | Snapshot | Restore


class WindowScenario(BaseScenario, frozen=True, kw_only=True, tag_field="component", tag="window"):
    """A scenario of steps on windows."""

    setup: WindowSetup
    history: tuple[WindowStep, ...]
