"""The common part of the offsets of all sources."""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeVar

from tidegauge_spark.source.planning.signals import PlannedSignals


class Offset(Protocol):
    """An offset of a source; see `SourceOffset` and `FilesOffset`."""

    @property
    def source(self) -> str:
        """The identity of the source."""

    @property
    def started_at(self) -> int:
        """When the source started for the first time (ms since 1970)."""

    @property
    def now(self) -> int:
        """The processing time of the last planning (ms since it started)."""

    @property
    def signals(self) -> PlannedSignals:
        """The signals of the source."""

    @property
    def ended(self) -> bool:
        """Whether the input is finished for good, and all of it is planned."""

    def at(self, now: int) -> Self:
        """Return this offset at another processing time, with nothing to read."""

    def to_json(self) -> dict[str, Any]:
        """Return the offset as Spark stores it."""


AnyOffset = TypeVar("AnyOffset", bound=Offset)
