"""A source subtask under alignment, in plain Python: what it emits, reports, and may read.

The planners of a query hold one for each subtask, and tell it what they have planned; `SourceSignals` says in
band what it emits.

Timestamps, bounds and processing time are in ms. Rule ids such as "SOURCE-9" are of the Tidegauge
specification.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from tidegauge_spark.decisions.errors import IllegalArgumentError, IllegalStateError
from tidegauge_spark.decisions.sources.outputs import MAIN, OutputsState, SourceOutputs
from tidegauge_spark.decisions.sources.settings import SourceSettings
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.watermark_generators import StreamElement


class PausingUnsupportedError(NotImplementedError):
    """A split would have to be paused, the reader cannot, and nobody has allowed it to run ahead."""


class SourceOutput(NamedTuple):
    """Something that a subtask says.

    Downstream: "record" and "watermark" with a timestamp (ms), "idle" and "active". To its coordinator:
    "report" with its watermark (ms). To who polls it: "blocked", "unblocked". To its reader: "splits-paused"
    and "splits-resumed", with the names, ascending.
    """

    kind: str
    timestamp: int | None = None
    splits: tuple[str, ...] = ()


class SubtaskState(NamedTuple):
    """All that a subtask has to remember (SOURCE-17).

    outputs: what it has emitted, and its clocks. splits: those assigned. bound: announced last, `MAX` before.
    paused: splits that are not read. held: outputs under backpressure. ended: no more input.
    """

    outputs: OutputsState
    splits: Sequence[str]
    bound: int
    blocked: bool
    paused: Sequence[str]
    held: Sequence[str]
    ended: bool


class SourceSubtask:
    """One subtask of a source: its steps are what happens to it, and return what it says.

    A step that cannot be raises `IllegalArgumentError`, or `IllegalStateError` after the end of the input,
    and changes nothing (SOURCE-16).
    """

    def __init__(self, settings: SourceSettings) -> None:
        """Start without splits, and with a bound that admits everything."""
        self._settings = settings
        self._aligned = settings.strategy.alignment is not None
        self._outputs = SourceOutputs(settings.strategy, settings.start)
        self._splits: set[str] = set()
        self._bound = MAX
        self._blocked = False
        self._paused: set[str] = set()
        self._held: set[str] = set()
        self._ended = False

    @classmethod
    def restored(cls, settings: SourceSettings, state: SubtaskState) -> SourceSubtask:
        """Return a subtask that goes on where the one with this state and these settings stood."""
        subtask = cls(settings)
        subtask._restore(state)
        return subtask

    def state(self) -> SubtaskState:
        """Return all that is remembered; later steps do not change it. It may go through JSON."""
        return SubtaskState(
            outputs=self._outputs.state(),
            splits=tuple(sorted(self._splits)),
            bound=self._bound,
            blocked=self._blocked,
            paused=tuple(sorted(self._paused)),
            held=tuple(sorted(self._held)),
            ended=self._ended,
        )

    def _restore(self, state: SubtaskState) -> None:
        state = SubtaskState(*state)
        self._outputs.restore(OutputsState(*state.outputs))
        self._splits, self._paused, self._held = set(state.splits), set(state.paused), set(state.held)
        self._bound, self._blocked = state.bound, state.blocked
        self._ended = state.ended

    @property
    def blocked(self) -> bool:
        """Whether the subtask may not read because it is ahead of its bound."""
        return self._blocked

    @property
    def paused(self) -> frozenset[str]:
        """The splits that may not be read because they are ahead of the bound."""
        return frozenset(self._paused)

    @property
    def ended(self) -> bool:
        """Whether the input has ended."""
        return self._ended

    @property
    def splits(self) -> frozenset[str]:
        """The splits that are assigned, and not finished."""
        return frozenset(self._splits)

    @property
    def held(self) -> frozenset[str]:
        """The splits of which downstream takes no records now: see `hold`."""
        return frozenset(self._held - {MAIN})

    @property
    def idle_splits(self) -> frozenset[str]:
        """The splits that are not waited for, since they have no data for now."""
        return frozenset(filter(self._outputs.is_idle, self._splits))

    @property
    def idle(self) -> bool:
        """Whether the last status that the subtask said is IDLE."""
        return self._outputs.idle

    @property
    def watermark(self) -> int:
        """The watermark that the subtask emitted last (ms), `MIN` before."""
        return self._outputs.watermark

    @property
    def limit(self) -> int:
        """The greatest watermark (ms) at which a subtask is not blocked (SOURCE-1), nor a split paused.

        It is the bound: a watermark that equals it does not exceed it (SOURCE-2, SOURCE-9).
        """
        return self._bound

    def reads_up_to(
        self, watermark: int | None, next_time: int, minimum: int | None, out_of_orderness: int = 0
    ) -> int:
        """Return the greatest event time (ms) up to which a split may be planned.

        watermark: how far the split is, None if nothing is known of it. next_time: the event time that its
        next record brings it to. minimum: that of the group, from which the bound comes; None if nobody is
        waited for. out_of_orderness: how far its watermark stays behind that (ms).

        It is planned while the time of its watermark does not exceed the bound, so its watermark never does
        (SOURCE-1). That alone could stop the slowest split as well, if its next record is further away than
        the drift: one that holds the group minimum may always read its next record (SOURCE-2).
        """
        latest = min(MAX, self.limit + out_of_orderness)
        if minimum is not None and watermark is not None and watermark <= minimum:
            return max(latest, next_time)
        return latest

    def assign(self, split: str) -> list[SourceOutput]:
        """The reader gets a split, which is waited for from now on."""
        self._check_not_ended()
        if split == MAIN or split in self._splits:
            raise IllegalArgumentError(f"split {split!r} is assigned already, or is no name")
        self._splits.add(split)
        self._open(self._output_of(split))
        return []

    def finish(self, split: str) -> list[SourceOutput]:
        """The reader has read all of a split, which is waited for no longer."""
        self._check_not_ended()
        self._check_assigned(split)
        self._splits.remove(split)
        self._paused.discard(split)
        self._held.discard(split)
        if self._settings.per_split_outputs:
            self._outputs.close(split)
        elif not self._splits:
            self._outputs.close(MAIN)  # SPLIT-7: without splits the subtask is idle
        return []

    def record(self, split: str | None, timestamp: int) -> list[SourceOutput]:
        """The reader offers a record (ms, `MIN`: without a timestamp), of no split in particular if None.

        It is not read while the subtask is blocked (SOURCE-1) or the split is paused (SOURCE-11).
        """
        output = self._writable(split)
        if output is None or output in self._paused:
            return []
        with self._as_before_if_refused():
            return self._said(self._outputs.record(output, timestamp), output)

    def write(self, split: str | None, element: StreamElement) -> list[SourceOutput]:
        """The reader itself writes a watermark or a status to the output of a split."""
        output = self._writable(split)
        if output is None:
            return []
        with self._as_before_if_refused():
            return self._said(self._outputs.write(output, element), output)

    def write_watermarks(self, watermarks: Mapping[str, int]) -> list[SourceOutput]:
        """The reader itself writes a watermark (ms) to each of these splits; what is new is said together.

        Nothing is written while the subtask is blocked: the reader is not asked.
        """
        writable: dict[str, int] = {}
        for split, timestamp in watermarks.items():
            output = self._writable(split)
            if output is not None:
                writable[output] = timestamp
        if self._blocked:
            return []
        with self._as_before_if_refused():
            return self._said(self._outputs.write_watermarks(writable), *watermarks)

    def tick(self) -> list[SourceOutput]:
        """It is time for periodic watermarks; they are due while the subtask is blocked, too."""
        if self._ended:
            return []
        with self._as_before_if_refused():
            return self._said(self._outputs.tick(), *self._splits)

    def report(self) -> list[SourceOutput]:
        """An update interval has passed: say how far the subtask is (SOURCE-6), if it can tell (SOURCE-7)."""
        if not self._aligned or (self.watermark == MIN and not self._ended):
            return []
        silent = self._ended or self._outputs.idle  # SOURCE-14, SOURCE-8
        return [SourceOutput("report", MAX if silent else self.watermark)]

    def announcement(self, bound: int) -> list[SourceOutput]:
        """The coordinator announces a bound (ms); nobody obeys one without alignment (SOURCE-4)."""
        if not self._aligned or self._ended:
            return []
        with self._as_before_if_refused():
            self._bound = bound
            return [*self._blocking(), *self._resumed(), *self._pausing(self._splits)]

    def hold(self, splits: Iterable[str], everything: bool = False) -> list[SourceOutput]:
        """Downstream takes no records of some splits, and of the others takes them again (SOURCE-13).

        The output of each of these splits is under backpressure: a batch has room for some records only, or
        the owner of a split holds it back. Meanwhile the split does not become idle. With `everything`, the
        main output is under backpressure, too.
        """
        held = set(splits)
        for split in held:
            self._check_assigned(split)
        held |= {MAIN} if everything else set()
        for output in held - self._held:
            self._outputs.pause(output, "backpressure")
        for output in self._held - held:
            self._outputs.resume(output, "backpressure")
        self._held = held
        return []

    def advance(self, milliseconds: int) -> list[SourceOutput]:
        """Processing time passes (ms), and nothing else happens."""
        self._outputs.advance(milliseconds)
        return []

    def end_of_input(self) -> list[SourceOutput]:
        """The reader has no more: that is the end of time, for everybody (SOURCE-14).

        While the subtask is blocked the reader is not asked, so that nobody can know.
        """
        self._check_not_ended()
        if self._blocked:
            return []
        self._ended = True
        return [*self._said(self._outputs.end()), *self.report()]

    def _check_not_ended(self) -> None:
        if self._ended:
            raise IllegalStateError("the input has ended; nothing can come any more")

    def _check_assigned(self, split: str) -> None:
        if split not in self._splits:
            raise IllegalArgumentError(f"split {split!r} is not assigned")

    def _writable(self, split: str | None) -> str | None:
        """Return the output that belongs to a split, None if the reader is not asked now."""
        self._check_not_ended()
        if split is not None:
            self._check_assigned(split)
        if self._blocked:
            return None
        output = self._output_of(split)
        self._open(output)
        return output

    def _output_of(self, split: str | None) -> str:
        return split if split is not None and self._settings.per_split_outputs else MAIN

    def _open(self, output: str) -> None:
        if output in self._outputs:
            return
        self._outputs.open(output, ["alignment"] * self._blocked + ["backpressure"] * (output in self._held))

    def _said(self, elements: Iterable[StreamElement], *changed: str) -> list[SourceOutput]:
        """Return what goes downstream, and what follows from it for the reading of splits."""
        sent = [SourceOutput(each.kind, each.timestamp) for each in elements]
        if not self._aligned or self._ended:
            return sent
        return [*sent, *self._blocking(), *self._pausing(changed)]

    def _blocking(self) -> list[SourceOutput]:
        """Block or unblock the subtask by its watermark and bound (SOURCE-1, SOURCE-2, SOURCE-3)."""
        ahead = self.watermark > self.limit
        if ahead == self._blocked:
            return []
        self._blocked = ahead
        (self._outputs.pause_all if ahead else self._outputs.resume_all)("alignment")
        return [SourceOutput("blocked" if ahead else "unblocked")]

    def _pausing(self, splits: Iterable[str]) -> list[SourceOutput]:
        """Pause those of the splits that are active and ahead of the bound (SOURCE-9).

        Raises `PausingUnsupportedError` if that cannot be done (SOURCE-12).
        """
        if not self._settings.can_pause and self._settings.allow_unaligned_splits:
            return []
        ahead = sorted(
            split
            for split in splits
            if split in self._outputs and split not in self._paused and split != MAIN
            if not self._outputs.is_idle(split) and self._outputs.watermark_of(split) > self.limit
        )
        if not ahead:
            return []
        if not self._settings.can_pause:
            raise PausingUnsupportedError(
                f"splits {', '.join(ahead)} are ahead of the others and the reader cannot pause splits; "
                "allow unaligned splits, or use a reader that can"
            )
        self._paused.update(ahead)
        for split in ahead:
            self._outputs.pause(split, "alignment")
        return [SourceOutput("splits-paused", splits=tuple(ahead))]

    def _resumed(self) -> list[SourceOutput]:
        """Read on in the splits that the bound admits, idle ones included (SOURCE-10)."""
        admitted = sorted(split for split in self._paused if self._outputs.watermark_of(split) <= self.limit)
        if not admitted:
            return []
        self._paused.difference_update(admitted)
        for split in admitted:
            self._outputs.resume(split, "alignment")
        return [SourceOutput("splits-resumed", splits=tuple(admitted))]

    @contextmanager
    def _as_before_if_refused(self) -> Iterator[None]:
        """Take a step back if it would need the pausing that the reader cannot do (SOURCE-12)."""
        if self._settings.can_pause or self._settings.allow_unaligned_splits:
            yield
            return
        before = self.state()
        try:
            yield
        except PausingUnsupportedError:
            self._restore(before)
            raise
