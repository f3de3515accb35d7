"""Which parts of `tidegauge_spark` are under which chapter: the one place where a component is added.

Here are only classes that a query runs: a verdict about others would say nothing about a job.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tidegauge import IllegalArgument, IllegalState, Unsupported
from tidegauge.engine.errors import Refusals
from tidegauge_spark.decisions.errors import IllegalArgumentError, IllegalStateError
from tidegauge_spark.decisions.sources.subtask import PausingUnsupportedError

from .binding.processor_binding import ProcessorBinding
from .decisions.clock import ClockDecisions
from .decisions.coordinator import CoordinatorDecisions
from .decisions.low_watermark import LowWatermarkDecisions
from .decisions.source import SourceDecisions
from .rows.backlog import BACKLOG_BINDING
from .rows.generator import GENERATOR_BINDING
from .rows.idleness import IDLENESS_BINDING
from .rows.splits import SPLITS_BINDING
from .rows.valve import VALVE_BINDING
from .rows.window import WINDOW_BINDING

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
    "source": SourceDecisions,
}
"""Components that stay in the driver, or in a reader: their setup makes an object whose methods are the
steps, run in this process."""

REFUSALS: Refusals = {
    IllegalArgumentError: IllegalArgument,
    IllegalStateError: IllegalState,
    PausingUnsupportedError: Unsupported,
}
"""The library's exceptions by which these refuse a step."""

EXTRAS = ("snapshot", "int64", "watermark-lag")
"""What the kit asks for beside components, and all of these have."""
