"""What an offset holds of the signals of its source: what was said last, and what is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tidegauge_spark.decisions.backlog import BacklogOutput
from tidegauge_spark.decisions.sources.signals import SourceSignals
from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.planning.late_rows import LateRows
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError


class PlannedSignals(NamedTuple):
    """said: what each subtask says in the last batch, in order. state: that of `SourceSignals`, None before
    the first planning, and for a source without signals. late: the rows that were late so far. forgotten_at:
    the watermark of the source (ms) when the state before this one was given up, `MIN` if none was."""

    said: Mapping[int, list[BacklogOutput]]
    state: Mapping[str, Any] | None
    late: LateRows = LateRows()
    forgotten_at: int = MIN

    @property
    def idle_splits(self) -> frozenset[str]:
        """The splits that nobody waits for."""
        return frozenset(() if self.state is None else self.state["idle_splits"])

    @property
    def blocked_splits(self) -> list[str]:
        """The splits whose clocks stand still, in order."""
        return [] if self.state is None else list(self.state["blocked_splits"])

    @property
    def idle_subtasks(self) -> frozenset[int]:
        """The subtasks that have said last that they are idle."""
        flags = () if self.state is None else self.state["idle"]
        return frozenset(subtask for subtask, idle in enumerate(flags) if idle)

    @property
    def combined(self) -> int:
        """The watermark of the source (ms): the smallest over its subtasks, `MIN` if there was none."""
        return MIN if self.state is None else int(self.state.get("combined", MIN))

    @property
    def late_until(self) -> int:
        """Up to which event time (ms) rows of the next batch are late: Spark's watermark does not go back."""
        return max(self.combined, self.forgotten_at)

    def with_late(self, more: LateRows) -> PlannedSignals:
        """Return the same after a batch in which so many rows are late."""
        return self._replace(late=self.late.plus(more))

    def forgotten(self) -> PlannedSignals:
        """Return what is left where the subtasks are others: nothing of what each said is known."""
        return NO_SIGNALS._replace(late=self.late, forgotten_at=self.late_until)

    def backlog(self, subtask: int) -> bool | None:
        """Return what a subtask has said last about its records, None if nothing."""
        flag: bool | None = None if self.state is None else self.state["backlog"][subtask]
        return flag

    @property
    def in_backlog(self) -> bool:
        """Whether a subtask is in backlog."""
        return self.state is not None and any(self.state["backlog"])

    def restored(self, subtasks: int, idle_timeout: int | None, threshold: int | None) -> SourceSignals:
        """Return signals that continue from here, with the settings of `SourceSignals`.

        Raises `IllegalOffsetError` if the checkpoint has another form of what was said before.
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
        """Return the same with nothing to say."""
        return self._replace(said={})

    def to_json(self) -> dict[str, Any] | None:
        """Return what is stored, None for a source without signals."""
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
        """Return what `to_json` has written. Other things raise `KeyError`, `TypeError` or `ValueError`."""
        if stored is None:
            return NO_SIGNALS
        said = {
            int(subtask): [BacklogOutput(*each) for each in outputs]
            for subtask, outputs in stored["said"].items()
        }
        late = LateRows(*map(int, stored.get("late", ())))
        return cls(said, stored["state"], late, int(stored.get("forgotten_at", MIN)))


NO_SIGNALS: Final = PlannedSignals({}, None)
