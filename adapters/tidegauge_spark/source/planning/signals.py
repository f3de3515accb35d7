"""The signals of a source in its offset: those sent last, and the state behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tidegauge_spark.decisions.backlog import BacklogOutput
from tidegauge_spark.decisions.sources.signals import SourceSignals
from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.planning.late_rows import LateRows
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError


class PlannedSignals(NamedTuple):
    """said: the signals of each subtask in the last batch, in order. state: the state of `SourceSignals`,
    None before the first planning, and for a source without signals. late: the number of late rows so far.
    forgotten_at: the watermark of the source (ms) when the state before this one was discarded, `MIN` if none
    was."""

    said: Mapping[int, list[BacklogOutput]]
    state: Mapping[str, Any] | None
    late: LateRows = LateRows()
    forgotten_at: int = MIN

    @property
    def idle_splits(self) -> frozenset[str]:
        """The idle splits, which are excluded from the watermark."""
        return frozenset(() if self.state is None else self.state["idle_splits"])

    @property
    def blocked_splits(self) -> list[str]:
        """The splits whose idleness clocks are stopped, in order."""
        return [] if self.state is None else list(self.state["blocked_splits"])

    @property
    def idle_subtasks(self) -> frozenset[int]:
        """The subtasks whose last status is idle."""
        flags = () if self.state is None else self.state["idle"]
        return frozenset(subtask for subtask, idle in enumerate(flags) if idle)

    @property
    def combined(self) -> int:
        """The watermark of the source (ms): the smallest over its subtasks, `MIN` if there is none yet."""
        return MIN if self.state is None else int(self.state.get("combined", MIN))

    @property
    def late_until(self) -> int:
        """The event time (ms) up to which rows of the next batch are late: Spark's watermark does not
        regress."""
        return max(self.combined, self.forgotten_at)

    def with_late(self, more: LateRows) -> PlannedSignals:
        """Return the signals after a batch with these late rows."""
        return self._replace(late=self.late.plus(more))

    def forgotten(self) -> PlannedSignals:
        """Return what remains if the number of subtasks changes: the signals of single subtasks are
        discarded."""
        return NO_SIGNALS._replace(late=self.late, forgotten_at=self.late_until)

    def backlog(self, subtask: int) -> bool | None:
        """Return the last backlog flag of a subtask, None if there was none."""
        flag: bool | None = None if self.state is None else self.state["backlog"][subtask]
        return flag

    @property
    def in_backlog(self) -> bool:
        """Whether a subtask is in backlog."""
        return self.state is not None and any(self.state["backlog"])

    def restored(self, subtasks: int, idle_timeout: int | None, threshold: int | None) -> SourceSignals:
        """Return signals that continue from this state, with the settings of `SourceSignals`.

        Raises `IllegalOffsetError` if the checkpoint has another form of the state.
        """
        if self.state is None:
            return SourceSignals(subtasks, idle_timeout, threshold)
        try:
            return SourceSignals.restored(self.state, idle_timeout, threshold)
        except ValueError as error:
            raise IllegalOffsetError(
                f"the checkpoint has an offset with {error}: start with a new checkpoint folder, or with "
                "the tidegauge_spark that wrote it"
            ) from error

    def silent(self) -> PlannedSignals:
        """Return the same state without signals to send."""
        return self._replace(said={})

    def to_json(self) -> dict[str, Any] | None:
        """Return the stored form, None for a source without signals."""
        if self.state is None:
            return None
        said = {str(subtask): [list(each) for each in outputs] for subtask, outputs in self.said.items()}
        stored: dict[str, Any] = {"said": said, "state": self.state}
        if any(self.late):
            stored["late"] = list(self.late)
        if self.forgotten_at != MIN:
            stored["forgotten_at"] = self.forgotten_at
        return stored

    @classmethod
    def from_json(cls, stored: dict[str, Any] | None) -> PlannedSignals:
        """Return the signals that `to_json` has written. Raises `KeyError`, `TypeError` or `ValueError` for
        other values."""
        if stored is None:
            return NO_SIGNALS
        said = {
            int(subtask): [BacklogOutput(*each) for each in outputs]
            for subtask, outputs in stored["said"].items()
        }
        late = LateRows(*map(int, stored.get("late", ())))
        return cls(said, stored["state"], late, int(stored.get("forgotten_at", MIN)))


NO_SIGNALS: Final = PlannedSignals({}, None)
