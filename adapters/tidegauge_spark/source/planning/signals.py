"""What an offset holds of the signals of its source: what was said last, and what is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tidegauge_spark.decisions.backlog import BacklogOutput
from tidegauge_spark.decisions.sources.signals import SourceSignals
from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError


class PlannedSignals(NamedTuple):
    """said: what each subtask says in the last batch, in order. state: that of `SourceSignals`, None before
    the first planning, and for a source without signals."""

    said: Mapping[int, list[BacklogOutput]]
    state: Mapping[str, Any] | None

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
        return PlannedSignals({}, self.state)

    def to_json(self) -> dict[str, Any] | None:
        """Return what is stored, None for a source without signals."""
        if self.state is None:
            return None
        said = {str(subtask): [list(each) for each in outputs] for subtask, outputs in self.said.items()}
        return {"said": said, "state": self.state}

    @classmethod
    def from_json(cls, stored: dict[str, Any] | None) -> PlannedSignals:
        """Return what `to_json` has written. Other things raise `KeyError`, `TypeError` or `ValueError`."""
        if stored is None:
            return NO_SIGNALS
        said = {
            int(subtask): [BacklogOutput(*each) for each in outputs]
            for subtask, outputs in stored["said"].items()
        }
        return cls(said, stored["state"])


NO_SIGNALS: Final = PlannedSignals({}, None)
