"""One subtask: the samples of polls become rows of an event log.

Rows describe what happened between two polls, as far as the polls show it. The samples of one poll are
milliseconds to seconds apart, so a sampled output watermark may be ahead of the input that it came from. The
rows never show this.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from msgspec import Struct

from tidegauge.wire.timestamps import MAX

from .vertex_metrics import SubtaskSample

_IDLE_MS: Final = 950
"""The minimum idle time (ms per second) of an idle split: 1,000 less a margin for rounding."""


class Row(Struct, frozen=True):
    """A row of an event log, without the columns of its subtask. `event_time` in ms."""

    kind: str
    event_time: int | None = None
    split: str = ""
    channel: int | None = None
    count: int = 1


class Input(NamedTuple):
    """An input of a subtask: a channel, or a split (`channel` None). `name`: the split, or the upstream
    subtask of the channel."""

    name: str
    channel: int | None = None


class InputSample(NamedTuple):
    """What a poll shows of an input.

    watermark: the last watermark that it delivered (ms), None if there was none. idle: its idle time in ms
    per second, None if unknown. has_ended: whether the upstream subtask has finished.
    """

    watermark: int | None
    idle: float | None = None
    has_ended: bool = False


class _InputState(Struct):
    """The state of an input according to the rows so far, and its last sample."""

    watermark: int | None = None
    sampled: int | None = None
    is_idle: bool = False
    is_excluded: bool = False
    has_ended: bool = False


class SubtaskRows:
    """Makes the rows of one subtask. `rows`: their number so far."""

    def __init__(self) -> None:
        self.attempt: int | None = None
        self.rows = 0
        self._records: int | None = None
        self._late: int | None = None
        self._stale: tuple[int | None, ...] | None = None
        self._expects_attempt = False
        self._has_ended = False
        self._begin()

    def _begin(self) -> None:
        self._sampled: int | None = None
        self._watermark: int | None = None
        self._is_blocked = False
        self._is_idle = False
        self._inputs: dict[Input, _InputState] = {}

    @property
    def is_counted(self) -> bool:
        """Whether its records are counted. The first poll only shows where the counter stands."""
        return self._records is not None

    def is_before(self, sample: SubtaskSample) -> bool:
        """Whether a counter or the watermark is smaller than in the last poll, as after a restart."""
        pairs = (
            (self._records, sample.records),
            (self._late, sample.late),
            (self._sampled, sample.watermark),
        )
        return any(_has_fallen(old, new) for old, new in pairs)

    def poll(
        self,
        sample: SubtaskSample,
        inputs: Mapping[Input, InputSample],
        attempt: int | None,
        has_ended: bool = False,
    ) -> list[Row]:
        """Return the rows of what has changed since the last poll.

        attempt: the number of the attempt, None if unknown. has_ended: whether the subtask has finished.
        """
        rows = [*self._restart(sample, attempt), *self._poll(sample, inputs)]
        if has_ended and not self._has_ended:
            rows.append(Row("finished"))
        self._has_ended = has_ended
        self.rows += len(rows)
        return rows

    def _restart(self, sample: SubtaskSample, attempt: int | None) -> Iterator[Row]:
        """Begin again after a restart: the counter of records is smaller, or the attempt is another.

        Either may show first: by default the JobManager fetches metrics every ten seconds, and caches the
        attempts for three seconds.
        """
        is_new = None not in (attempt, self.attempt) and attempt != self.attempt
        has_fallen = self._stale is None and _has_fallen(self._records, sample.records)
        if is_new and not has_fallen and self._expects_attempt:
            is_new = self._expects_attempt = False
        elif has_fallen:
            self._expects_attempt = not is_new
        elif is_new:
            self._stale = (self._records, self._late, self._sampled)
        self.attempt = self.attempt if attempt is None else attempt
        if is_new or has_fallen:
            self._begin()
            yield Row("restarted")

    def _poll(self, sample: SubtaskSample, inputs: Mapping[Input, InputSample]) -> Iterator[Row]:
        # After a restart, the JobManager may still serve the metrics of the attempt before.
        if self._stale == (sample.records, sample.late, sample.watermark):
            return
        self._stale = None
        records = _more(self._records, sample.records)
        late = _more(self._late, sample.late)
        self._records = self._records if sample.records is None else sample.records
        self._late = self._late if sample.late is None else sample.late
        yield from self._of_inputs(inputs)
        watermark = self._reached(sample.watermark, inputs)
        self._sampled = sample.watermark
        # An idle or blocked subtask sends no records or watermarks. If it sent any, it was active meanwhile.
        is_idle = bool(self._inputs) and all(
            state.is_idle and name.channel is None for name, state in self._inputs.items()
        )
        is_blocked = sample.watermark is not None and sample.drift is not None and sample.drift > 0
        moved = bool(records) or watermark is not None
        if self._is_blocked and (moved or not is_blocked):
            yield Row("unblocked")
            self._is_blocked = False
        if self._is_idle and (moved or not is_idle):
            yield Row("active")
            self._is_idle = False
        if records:
            yield Row("record", count=records)
        if late:
            yield Row("late", count=late)
        if watermark is not None:
            yield Row("watermark", watermark)
            self._watermark = watermark
        if is_blocked and not self._is_blocked:
            yield Row("blocked")
            self._is_blocked = True
        if is_idle and not self._is_idle:
            yield Row("idle")
            self._is_idle = True

    def _reached(self, now: int | None, inputs: Mapping[Input, InputSample]) -> int | None:
        """Return the watermark to report, None if there is no new one.

        If an input has not reached the present watermark, the input was sampled earlier. The watermark of the
        last poll is then reported.
        """
        holding = [sample.watermark for name, sample in inputs.items() if not self._inputs[name].is_excluded]
        is_behind = now is not None and any(mark is None or mark < now for mark in holding)
        watermark = self._sampled if is_behind else now
        if watermark == MAX and any(
            name.channel is not None and sample.watermark != MAX and not self._inputs[name].has_ended
            for name, sample in inputs.items()
        ):
            return None  # the end of the other inputs has not been seen yet
        # Within an attempt a lower value is an older one: the metrics of a chain are fetched one by one.
        reported = self._watermark
        is_old = watermark is not None and reported is not None and watermark <= reported
        return None if is_old else watermark

    def _of_inputs(self, inputs: Mapping[Input, InputSample]) -> Iterator[Row]:
        """Yield the rows of inputs: first those that exclude an input, then those of inputs that count."""
        for name in [name for name in self._inputs if name not in inputs]:
            if not self._inputs.pop(name).has_ended:
                yield Row("finished", None, name.name, name.channel)
        counting: list[Row] = []
        for name, sample in inputs.items():
            state = self._inputs.get(name)
            if state is None:
                state = self._inputs[name] = _InputState()
                yield Row("assigned", None, name.name, name.channel)
            if sample.idle is not None and state.sampled == sample.watermark and sample.idle != 0:
                state.is_idle = state.is_idle or sample.idle >= _IDLE_MS
            else:
                state.is_idle = False
            state.sampled = sample.watermark
            if sample.has_ended and not state.has_ended:
                state.has_ended = True
                yield Row("finished", None, name.name, name.channel)
            # The output of the last poll is ahead of the input: the input is idle, or has ended.
            is_passed = self._sampled is not None and (
                sample.watermark is None or sample.watermark < self._sampled
            )
            excluded = state.is_idle or state.has_ended or is_passed
            if excluded != state.is_excluded and not state.has_ended:
                row = Row("idle" if excluded else "active", None, name.name, name.channel)
                if excluded:
                    yield row
                else:
                    counting.append(row)
            state.is_excluded = excluded
            if not excluded and sample.watermark is not None and sample.watermark != state.watermark:
                state.watermark = sample.watermark
                counting.append(Row("watermark", sample.watermark, name.name, name.channel))
        yield from counting


def _has_fallen(old: int | None, new: int | None) -> bool:
    return old is not None and new is not None and new < old


def _more(old: int | None, new: int | None) -> int:
    """Return the growth of a counter. A counter that is smaller than before began again at 0."""
    if old is None or new is None:
        return 0
    return new - old if new >= old else new
