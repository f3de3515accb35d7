"""The offset of a companion: its knowledge of the reader beside it, and the watermark that follows from
it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Self

from tidegauge_spark.decisions.timestamps import MIN
from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError, sealed, unsealed
from tidegauge_spark.source.planning.signals import NO_SIGNALS, PlannedSignals
from tidegauge_spark.source.planning.standing import SplitStanding


class KnownPartition(NamedTuple):
    """A partition, as far as it is known to be read: the next offset, and the largest event time before it
    (ms), `MIN` if there was none."""

    end: int
    latest: int


class CompanionOffset(NamedTuple):
    """run: the run of the query in which the offset was planned. round: how many offsets were planned before
    it in that run. started_at: when the companion was planned for the first time (ms since 1970). partitions:
    by name, "topic-partition". signals: the idle partitions, and the combined watermark."""

    run: str
    round: int
    started_at: int
    partitions: Mapping[str, KnownPartition] = {}
    signals: PlannedSignals = NO_SIGNALS

    def to_json(self) -> dict[str, Any]:
        """Return the offset as Spark stores it."""
        return sealed(
            {
                "run": self.run,
                "round": self.round,
                "started_at": self.started_at,
                "partitions": {name: list(each) for name, each in self.partitions.items()},
                "signals": self.signals.to_json(),
            }
        )

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """Return the offset that `to_json` has written. Raises `IllegalOffsetError` for anything else."""
        unsealed(stored)
        try:
            return cls(
                str(stored["run"]),
                int(stored["round"]),
                int(stored["started_at"]),
                {name: KnownPartition(*each) for name, each in stored["partitions"].items()},
                PlannedSignals.from_json(stored["signals"]),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise IllegalOffsetError(
                f"the checkpoint has an offset that is not of watermark_of ({error!r}): start with a new "
                "checkpoint folder, or with the sources that the query had before"
            ) from error

    def standings(self, max_out_of_orderness: int) -> Iterator[SplitStanding]:
        """Yield the partitions that are not idle, with their watermarks."""
        for name, partition in self.partitions.items():
            if name not in self.signals.idle_splits:
                yield SplitStanding(name, partition_watermark(partition.latest, max_out_of_orderness))


def partition_watermark(latest: int, max_out_of_orderness: int) -> int:
    """Return the watermark of a partition whose largest event time is `latest` (ms), `MIN` before the
    first."""
    return MIN if latest == MIN else max(latest - max_out_of_orderness - 1, MIN)
