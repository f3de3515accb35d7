"""Engines in this process, stepped by calling their methods."""

import pickle
from collections.abc import Callable, Mapping
from typing import Any

from ..wire.transcript import Outputs
from ..wire.vocabulary import Restore, Snapshot, Step
from .errors import NO_REFUSALS, ProtocolBreach, Refusals, advise, raised
from .foreign_text import message_of
from .interruption import from_outside
from .outputs import read_outputs
from .session import Session


class InProcessSession(Session):
    """Steps an engine object: its methods are the steps (`components/<name>/binding.py`). `errors` are the
    exceptions of its own by which it refuses a step.

    A snapshot goes through pickle, and `restore` is called on a new engine, so that state which is
    shared or not saved shows.
    """

    def __init__(
        self,
        make: Callable[[], Any],
        calls: Mapping[type[Step], Callable[[Any, Any], Any]],
        errors: Refusals = NO_REFUSALS,
    ) -> None:
        self._make = make
        self._calls = calls
        self._errors = errors
        self._engine = make()
        self._saved = b""

    def step(self, step: Step) -> Outputs:
        """Call the engine's method. A refusal that this call raises is an output; what the reading of its
        outputs raises is not."""
        call = self._calls.get(type(step))
        if call is None:
            return self._snapshot_or_restore(step)
        try:
            returned = call(self._engine, step)
        except Exception as error:
            refused = raised(error, self._errors)
            if refused is None:
                advise(error)
                raise
            return (refused,)
        return read_outputs(returned)

    def state_bytes(self) -> int | None:
        """The snapshot, pickled as it would be for a restore."""
        return len(_pickled(self._engine.snapshot()))

    def _snapshot_or_restore(self, step: Step) -> Outputs:
        if isinstance(step, Snapshot):
            self._saved = _pickled(self._engine.snapshot())
        elif isinstance(step, Restore):
            self._engine = self._make()
            self._engine.restore(_unpickled(self._saved))
        else:
            raise TypeError(f"{step!r} is not a step of this component")
        return ()


class UnmadeSession(Session):
    """An engine that could not be made: each step raises why."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def step(self, step: Step) -> Outputs:
        """Raise what the making of the engine raised."""
        raise self._error


def _pickled(saved: Any) -> bytes:
    try:
        return pickle.dumps(saved)
    except BaseException as error:
        if from_outside(error):
            raise
        raise ProtocolBreach(f"what snapshot() returned cannot be pickled: {message_of(error)}") from error


def _unpickled(saved: bytes) -> Any:
    try:
        return pickle.loads(saved)
    except BaseException as error:
        if from_outside(error):
            raise
        raise ProtocolBreach(f"what snapshot() returned cannot be unpickled: {message_of(error)}") from error
