"""How far ahead of the slowest the subtasks of aligned sources were (JOB-2): the one property of a whole
job.

The log is reduced to steps first, in any order and in any parts: what each subtask had reached by the end
of each second of processing time. Steps of a job are then gone through in order; what is remembered grows
with the number of subtasks, not with the log.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .counts import Count, Example
from .findings import OperatorFindings
from .properties import Role

RESOLUTION: Final = 1000
"""The length (ms) of what is one moment of a job. A subtask is ahead if the others have not come near it by
the end of the next moment: clocks may differ by a little, and so may the times that a micro-batch has in each
of its sources."""

NAME: Final = "log-spread-bounded"
SENTENCE: Final = "No subtask is ahead of the slowest of its group by more than the drift and the overshoot."
RULES: Final[dict[Role, tuple[str, ...]]] = {"source": ("JOB-2",), "splits": ("JOB-2",)}

STEPS: Final = pa.schema(
    [
        ("job", pa.string()),
        ("moment", pa.int64()),
        ("source", pa.string()),
        ("subtask", pa.int32()),
        ("reached", pa.int64()),
        ("sequence", pa.int64()),
        ("state", pa.string()),
    ]
)
"""A subtask in one moment: the greatest event time of the records that left it (null: none did), and its last
status, or `finished`, with its number in the sequence (null: no change)."""

_KEY: Final = ["job", "moment", "source", "subtask"]
_ORDER: Final = [(name, "ascending") for name in _KEY]


@dataclass(frozen=True)
class Alignment:
    """What is known of the alignment of a job's sources: times in ms; `sources` None means all."""

    drift: int
    overshoot: int = 0
    sources: tuple[str, ...] | None = None


def steps_of(table: Any, alignment: Alignment) -> Any:
    """The steps of some rows, a table with the columns of `STEPS`; the rows may be in any order."""
    of_subtasks = pc.and_(pc.equal(table["channel"], -1), pc.not_equal(table["source"], ""))
    if alignment.sources is not None:
        of_subtasks = pc.and_(of_subtasks, pc.is_in(table["source"], pa.array(alignment.sources)))
    moment = pc.divide(table["processing_time"], RESOLUTION)
    table = table.append_column("moment", moment).filter(of_subtasks)
    is_record = pc.and_(pc.equal(table["kind"], "record"), pc.is_valid(table["event_time"]))
    records = table.filter(is_record).group_by(_KEY).aggregate([("event_time", "max")])
    changes = table.filter(pc.is_in(table["kind"], pa.array(["idle", "active", "finished", "restarted"])))
    changes = changes.filter(pc.equal(changes["split"], ""))
    return together(
        pa.concat_tables(
            [
                pa.table(
                    {
                        **{name: records[name] for name in _KEY},
                        "reached": records["event_time_max"],
                        "sequence": pa.nulls(len(records), pa.int64()),
                        "state": pa.nulls(len(records), pa.string()),
                    }
                ).select(STEPS.names),
                pa.table(
                    {
                        **{name: changes[name] for name in _KEY},
                        "reached": pa.nulls(len(changes), pa.int64()),
                        "sequence": changes["sequence"],
                        "state": changes["kind"],
                    }
                ).select(STEPS.names),
            ]
        )
    )


def together(steps: Any) -> Any:
    """One step for each subtask and moment, in the order of job and moment."""
    changes = steps.filter(pc.is_valid(steps["sequence"])).sort_by("sequence")
    last = changes.group_by(_KEY, use_threads=False).aggregate([("sequence", "last"), ("state", "last")])
    reached = steps.group_by(_KEY).aggregate([("reached", "max")])
    joined = reached.join(last, keys=_KEY, join_type="left outer").sort_by(_ORDER)
    return pa.table(
        [
            *(joined[name] for name in _KEY),
            joined["reached_max"],
            joined["sequence_last"],
            joined["state_last"],
        ],
        schema=STEPS,
    )


class Spread:
    """The subtasks of one job, moment after moment."""

    def __init__(self, job: str, alignment: Alignment) -> None:
        self._job = job
        self._allowed = alignment.drift + alignment.overshoot
        self._number: dict[tuple[str, int], int] = {}
        self._reached = np.zeros(0, dtype=np.int64)
        self._out = np.zeros(0, dtype=bool)
        self._moved: list[tuple[int, int, int]] = []
        self._beyond_since: dict[int, int] = {}
        self._found: dict[str, Count] = {}

    def add(self, moment: int, steps: Iterable[tuple[str, int, int | None, str | None]]) -> None:
        """What the subtasks did in a moment: source, subtask, what they reached, and their last status."""
        if self._moved and moment > self._moved[0][0] + 1:
            self.settle()
        moved = []
        for source, subtask, reached, state in steps:
            number = self._number_of(source, subtask, reached)
            if number is None:
                continue
            if reached is not None:
                self._reached[number] = max(self._reached[number], reached)
                self._out[number] = False
                moved.append((moment, number, int(self._reached[number])))
            if state is not None:
                self._out[number] = state in ("idle", "finished")
        self.settle()
        self._moved = moved

    def settle(self) -> None:
        """Judge what moved in the last moment, by where the others are now."""
        counted = ~self._out
        if counted.any():
            slowest = int(np.flatnonzero(counted)[np.argmin(self._reached[counted])])
            for moment, number, reached in self._moved:
                self._look(moment, number, reached, slowest)
        self._moved = []

    def _number_of(self, source: str, subtask: int, reached: int | None) -> int | None:
        """The place of a subtask, which has one from its first record on."""
        key = source, subtask
        if key not in self._number and reached is not None:
            self._number[key] = len(self._number)
            self._reached = np.append(self._reached, reached)
            self._out = np.append(self._out, False)
        return self._number.get(key)

    def _look(self, moment: int, number: int, reached: int, slowest: int) -> None:
        names = list(self._number)
        source, subtask = names[number]
        count = self._found.setdefault(source, Count())
        count.about += 1
        ahead = reached - int(self._reached[slowest])
        if ahead <= self._allowed:
            self._beyond_since.pop(number, None)
            return
        began = self._beyond_since.setdefault(number, moment)
        waits, index = names[slowest]
        says = f"is {ahead} ms ahead of {waits}[{index}], the slowest; {self._allowed} ms are allowed"
        example = Example(moment * RESOLUTION, subtask, -1, says)
        count.add(Count(0, 1, ahead - self._allowed, (moment - began) * RESOLUTION, [example]))

    def findings(self) -> Iterator[OperatorFindings]:
        """What was found, of each source."""
        for source, count in self._found.items():
            yield OperatorFindings(self._job, source, properties={NAME: count})


def spread(tables: Iterable[Any], alignment: Alignment) -> Iterator[OperatorFindings]:
    """What steps show that come in tables, all steps of a job after one another and in order."""
    current: Spread | None = None
    job, moment, together_in_moment = "", 0, list[tuple[str, int, int | None, str | None]]()
    for table in tables:
        for step in table.to_pylist():
            if current is None or step["job"] != job or step["moment"] != moment:
                if current is not None:
                    current.add(moment, together_in_moment)
                together_in_moment = []
            if current is None or step["job"] != job:
                if current is not None:
                    current.settle()
                    yield from current.findings()
                current = Spread(step["job"], alignment)
            job, moment = step["job"], step["moment"]
            together_in_moment.append((step["source"], step["subtask"], step["reached"], step["state"]))
    if current is not None:
        current.add(moment, together_in_moment)
        current.settle()
        yield from current.findings()
