"""Tidegauge: does a stream processor keep event time right?

The kit draws scenarios from the specification, puts an engine through them by an adapter, and judges what
comes out. An engine joins by an `Adapter` (or `ComponentAdapter` in the same process). It refuses a step by
`IllegalArgument`, `IllegalState` or `Unsupported`; nothing else that it raises is an answer.
"""

from tidegauge_reference import IllegalArgument, IllegalState, Unsupported

from .engine.adapter import Adapter, ComponentAdapter
from .engine.session import Session
from .version import __version__
from .wire.implementation import Implementation
from .wire.scenario import BadInput, Scenario
from .wire.shapes import (
    BacklogShape,
    ClockShape,
    CoordinatorShape,
    GeneratorShape,
    IdlenessShape,
    LowWatermarkShape,
    SourceShape,
    SplitsShape,
    ValveShape,
    WindowShape,
)
from .wire.transcript import Failure, Transcript

__all__ = [
    "Adapter",
    "BacklogShape",
    "BadInput",
    "ClockShape",
    "ComponentAdapter",
    "CoordinatorShape",
    "Failure",
    "GeneratorShape",
    "IdlenessShape",
    "IllegalArgument",
    "IllegalState",
    "Implementation",
    "LowWatermarkShape",
    "Scenario",
    "Session",
    "SourceShape",
    "SplitsShape",
    "Transcript",
    "Unsupported",
    "ValveShape",
    "WindowShape",
    "__version__",
]
