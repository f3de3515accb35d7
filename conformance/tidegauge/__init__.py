"""Tidegauge: does a stream processor keep event time right?

The kit draws scenarios from the specification, puts an engine through them by an adapter, and judges what
comes out. An engine joins by an `Adapter` (or `ComponentAdapter` in the same process).
"""

from .adapter import Adapter, ComponentAdapter, Implementation, Session
from .scenario import BadInput, Scenario
from .transcript import Failure, Transcript
from .version import __version__

__all__ = [
    "Adapter",
    "BadInput",
    "ComponentAdapter",
    "Failure",
    "Implementation",
    "Scenario",
    "Session",
    "Transcript",
    "__version__",
]
