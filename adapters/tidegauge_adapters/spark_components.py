"""Which parts of `tidegauge_spark` are under which chapter: the one place where a component is added.

Here are only classes that a query runs: a verdict about others would say nothing about a job. `source` is
missing for that reason (see `NOT_CLAIMED`).
"""

from collections.abc import Callable, Mapping
from typing import Any

from tidegauge import IllegalArgument, IllegalState, Unsupported
from tidegauge.engine.errors import Refusals
from tidegauge_spark import IllegalArgumentError, IllegalStateError, PausingUnsupportedError

from .backlog_rows import BACKLOG_BINDING
from .clock_decisions import ClockDecisions
from .coordinator_decisions import CoordinatorDecisions
from .generator_rows import GENERATOR_BINDING
from .idleness_rows import IDLENESS_BINDING
from .low_watermark_decisions import LowWatermarkDecisions
from .processor_binding import ProcessorBinding
from .splits_rows import SPLITS_BINDING
from .valve_rows import VALVE_BINDING
from .window_rows import WINDOW_BINDING

BINDINGS: tuple[ProcessorBinding, ...] = (
    BACKLOG_BINDING,
    GENERATOR_BINDING,
    IDLENESS_BINDING,
    SPLITS_BINDING,
    VALVE_BINDING,
    WINDOW_BINDING,
)
"""Components that are stateful operators of a query."""

DECISIONS: Mapping[str, Callable[[Any], Any]] = {
    "clock": ClockDecisions,
    "coordinator": CoordinatorDecisions,
    "low_watermark": LowWatermarkDecisions,
}
"""Components that stay in the driver, or in a reader: their setup makes an object whose methods are the
steps, run in this process."""

REFUSALS: Refusals = {
    IllegalArgumentError: IllegalArgument,
    IllegalStateError: IllegalState,
    PausingUnsupportedError: Unsupported,
}
"""The library's exceptions by which these refuse a step."""

NOT_CLAIMED = (
    "The component source is not claimed: no query runs the library's SourceSubtask and SourceOutputs, since "
    "planners and readers decide by code of their own."
)
"""What the library has a class for, and no query runs it."""

EXTRAS = ("snapshot", "int64", "watermark-lag")
"""What the kit asks for beside components, and all of these have."""
