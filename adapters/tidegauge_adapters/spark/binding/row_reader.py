"""How output rows of a processor become outputs of the kit, step by step."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from tidegauge.wire.vocabulary import AnyOutput, Step

Row = Mapping[str, Any]


class RowReader(Protocol):
    """Reads the output rows of one scenario.

    It is given every step in order, snapshots and restores included, and may remember what came before.
    """

    def outputs(self, step: Step, rows: Sequence[Row]) -> Iterable[AnyOutput]:
        """Return the outputs of a step. Raises `ValueError` for a row that means nothing."""


class EachRow:
    """Reads each row by itself."""

    def __init__(self, output: Callable[[Row], AnyOutput]) -> None:
        self._output = output

    def outputs(self, step: Step, rows: Sequence[Row]) -> Iterable[AnyOutput]:
        """Return the output of each row."""
        return map(self._output, rows)
