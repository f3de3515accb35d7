"""Failures of an engine outside of any scenario."""

from ..wire.results import EngineError
from ..wire.transcript import Failure

ENGINE = "engine"
"""The name that replaces that of a component."""


def errors_outside(failures: tuple[Failure, ...]) -> list[EngineError]:
    """Return the failures as errors of the engine in which no rule decides."""
    return [
        EngineError(
            component=ENGINE,
            kind=failure.kind,
            text=failure.text,
            scenarios=0,
            of=0,
            scenario="",
            traceback=failure.traceback,
        )
        for failure in failures
    ]
