"""The coordinator's half of the low-watermark service: rounds in which the subtasks of a source are asked.

Timestamps are in ms. Rule ids such as "LOW-9" are of the Tidegauge specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.timestamps import MAX, MIN


class RoundResult(NamedTuple):
    """What a round has found: a new low watermark (ms), and the timestamp (ms) of its trigger."""

    low_watermark: int
    timestamp: int


class RoundsState(NamedTuple):
    """All that the coordinator of a vertex remembers.

    there: the tasks that are there. started: how many ever were. result: the last result (ms), `MIN` before
    the first. timestamp: of the round that is open (ms), None without one; awaited: who has not replied in
    it yet; replies: the tasks that have, with their last reply (ms).
    """

    there: Sequence[int]
    started: int
    result: int
    timestamp: int | None
    awaited: Sequence[int]
    replies: Sequence[tuple[int, int]]


class LowWatermarkRounds:
    """The rounds of one vertex: each asks all of its tasks and ends when all have replied or left (LOW-3).

    Tasks are numbered from 0, in the order in which they start, and no number is used again. A step that
    ends the round returns a `RoundResult` if the result is a new one, which everybody who is there has to
    know (LOW-10), otherwise None.
    """

    def __init__(self, tasks: int) -> None:
        """Start with so many tasks and without a result."""
        self._there = dict.fromkeys(range(tasks))
        self._started = tasks
        self._result = MIN
        self._timestamp: int | None = None
        self._awaited: set[int] = set()
        self._replies: dict[int, int] = {}

    @classmethod
    def restored(cls, state: RoundsState) -> LowWatermarkRounds:
        """Return rounds that go on where those with this state stood (LOW-16)."""
        rounds = cls(0)
        there, rounds._started, rounds._result, rounds._timestamp, awaited, replies = state
        rounds._there = dict.fromkeys(there)
        rounds._awaited = set(awaited)
        rounds._replies = dict(replies)
        return rounds

    def state(self) -> RoundsState:
        """Return all that is remembered; later steps do not change it."""
        replies = tuple(self._replies.items())
        awaited = tuple(sorted(self._awaited))
        return RoundsState(tuple(self._there), self._started, self._result, self._timestamp, awaited, replies)

    @property
    def there(self) -> Sequence[int]:
        """The tasks that are there, ascending."""
        return tuple(self._there)

    @property
    def result(self) -> int:
        """The last result (ms), `MIN` before the first."""
        return self._result

    def join(self) -> int:
        """Return the number of a task that starts. A round that is open does not wait for it (LOW-5)."""
        task = self._started
        self._started += 1
        self._there[task] = None
        return task

    def leave(self, task: int) -> RoundResult | None:
        """A task is gone. An open round goes on without it (LOW-4); what it has replied still counts.

        Raises `IllegalArgumentError` for a task that is not there (LOW-15).
        """
        self.check(task)
        del self._there[task]
        self._awaited.discard(task)
        return self._ended()

    def trigger(self, timestamp: int) -> Sequence[int]:
        """Open a round (ms); return whom to ask (LOW-1). A round that was open ends without a result."""
        self._timestamp = timestamp if self._there else None
        self._awaited = set(self._there)
        self._replies = {}
        return self.there

    def reply(self, task: int, low_watermark: int) -> RoundResult | None:
        """A task says how far it is (ms); its last word counts (LOW-6).

        Ignored is who was not asked in the round that is open, or has left it without an answer (LOW-5).
        """
        if task not in self._awaited and task not in self._replies:
            return None
        self._awaited.discard(task)
        self._replies[task] = low_watermark
        return self._ended()

    def check(self, task: int) -> None:
        """Raise `IllegalArgumentError` for a task that is not there (LOW-15)."""
        if task not in self._there:
            raise IllegalArgumentError(f"no task {task} is there, of {self._started} that have started")

    def _ended(self) -> RoundResult | None:
        """End the round if nobody is awaited any more."""
        if self._timestamp is None or self._awaited:
            return None
        # An empty task repeats what it was told, so equality must not count (LOW-7); LOW-8; LOW-9.
        counting = (reply for reply in self._replies.values() if self._result < reply < MAX)
        timestamp, low_watermark = self._timestamp, min(counting, default=None)
        self._timestamp, self._replies = None, {}
        if low_watermark is None:
            return None
        self._result = low_watermark
        return RoundResult(low_watermark, timestamp)
