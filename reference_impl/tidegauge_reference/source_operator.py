"""SOURCE: a subtask of a source, which reads the records of its splits under watermark alignment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .citation import cite
from .clock import PausableClock
from .errors import IllegalArgument, IllegalState, Unsupported
from .generators import Generator
from .outputs import ACTIVE, IDLE, Output
from .policies import CORE, Policies
from .split_alignment import MAIN, Alignment, Outputs
from .splits import Emitter, Part, SplitOutputs
from .timestamps import MAX, MIN


@dataclass(frozen=True)
class SourceSettings:
    """How the subtasks of a source are built. `generator` makes the one of an output, which may read the
    activity clock of that output. Each split has an output, or with `per_split_outputs` off only the main
    output is used. A reader that cannot pause splits lets them run ahead if `allow_unaligned_splits`.
    `buffer_size` matters only to a policy; `start` (ms) is what the clocks show first."""

    generator: Callable[[PausableClock, Policies], Generator]
    aligned: bool = True
    can_pause: bool = True
    allow_unaligned_splits: bool = False
    per_split_outputs: bool = True
    buffer_size: int = 0
    start: int = 0


class Writer:
    """An output that the reader writes to: its activity clock, and its generator."""

    def __init__(self, settings: SourceSettings, now: int, policies: Policies) -> None:
        self.clock = PausableClock(now * 10**6, policies)
        self.generator = settings.generator(self.clock, policies)


class SourceOperator:
    """One subtask. A step on a split names it; None stands for the main output.

    Raises `IllegalArgument` for an unknown split or a negative time, `IllegalState` for input after its end
    (both SOURCE-16), `Unsupported` when the reader would have to pause and cannot (SOURCE-12).
    """

    def __init__(self, settings: SourceSettings, policies: Policies = CORE) -> None:
        self.settings, self.policies, self.now = settings, policies, settings.start
        self.apart = policies.source_main_output == "apart"
        self.may_fail = not (settings.can_pause or settings.allow_unaligned_splits)
        self.backpressured = self.finished = False
        tolerant = settings.allow_unaligned_splits
        self.alignment = Alignment(settings.can_pause, tolerant, settings.buffer_size, policies)
        self.splits = SplitOutputs(policies)
        self.emitter = Emitter(policies) if self.apart else self.splits.output
        self.assigned: frozenset[str] = frozenset()
        self.idle_sides = frozenset({"splits", "main"})
        self.writers = {MAIN: Writer(settings, self.now, policies)}

    def assign(self, split: str) -> Outputs:
        """The reader gets a split; from now on it is waited for."""
        self._refuse(split in (MAIN, *self.assigned), f"split {split!r} has no name or is assigned already")
        self.assigned |= {split}
        if not (self.settings.per_split_outputs or self.apart):
            return self._join(MAIN)
        self.writers[split] = Writer(self.settings, self.now, self.policies)
        return self._send("splits", self.splits.add(split))

    def finish(self, split: str) -> Outputs:
        """The reader has read all of a split; it is not waited for any more."""
        self._refuse(split not in self.assigned, f"split {split!r} is not assigned")
        self.assigned -= {split}
        self.alignment.paused -= {split}
        self.alignment.samples.pop(split, None)
        left = split if self.writers.pop(split, None) else MAIN
        return self._send("splits", self.splits.remove(left)) if left == split or not self.assigned else []

    def record(self, split: str | None, timestamp: int) -> Outputs:
        """The reader has a record of `timestamp` (ms; `MIN`: none), read if that is allowed."""
        output = self._polled(split)
        paused = cite("SOURCE-11", split in self.alignment.paused)
        if output is None or (paused and self.policies.source_paused_split == "not-read"):
            return []
        saved = self.state() if self.may_fail else ()
        outputs = self._join(output)
        emitted = self.writers[output].generator.on_event(timestamp)
        idle = self.emitter.is_idle or self.splits.parts.get(output, Part()).idle
        if cite("SOURCE-5", idle) and self.policies.idleness_ends_with == "record":
            outputs += self._deliver(output, [ACTIVE]) + self.emitter.active()
        brought = self._deliver(output, [one for one in emitted if one != ACTIVE])
        record = ("record", timestamp)
        comes_last = brought != [] and cite("SOURCE-5", False)
        outputs += [*brought, record] if comes_last else [record, *brought]
        return self._checked(saved, outputs) if emitted or len(outputs) > 1 else outputs

    def write(self, split: str | None, written: Output) -> Outputs:
        """The reader itself writes a watermark, IDLE or ACTIVE."""
        output = self._polled(split)
        if output is None:
            return []
        saved = self.state() if self.may_fail else ()
        return self._checked(saved, self._join(output) + self._deliver(output, [written]))

    def tick(self) -> Outputs:
        """Time for periodic watermarks: every generator has its turn, then the splits are combined."""
        if self.finished:
            return []
        saved, outputs = self.state() if self.may_fail else (), Outputs()
        for output in sorted(map(str, self.splits.parts)):
            outputs += self._deliver(output, self.writers[output].generator.on_periodic_emit(), deferred=True)
        outputs += self._send("splits", self.splits.tick())
        if self.apart:
            outputs += self._deliver(MAIN, self.writers[MAIN].generator.on_periodic_emit())
        return self._checked(saved, outputs)

    def report(self) -> Outputs:
        """An update interval has passed: the coordinator is told how far the subtask is."""
        if cite("SOURCE-4", not self.settings.aligned):
            return []
        if cite("SOURCE-14", self.finished):
            return [("report", MAX)]
        saved = self.state() if self.may_fail else ()
        for split, part in self.splits.parts.items():
            self.alignment.sample(str(split), part.watermark)
        self.alignment.sample(MAIN, self.emitter.maximum)
        outputs = self._checked(saved, [], announced=True)
        if cite("SOURCE-7", self.emitter.maximum == MIN):
            return outputs
        waited_for = cite("SOURCE-6", not cite("SOURCE-8", self.emitter.is_idle))
        return [*outputs, ("report", self.emitter.maximum if waited_for else MAX)]

    def announcement(self, bound: int) -> Outputs:
        """The coordinator announces the watermark (ms) up to which the subtask may read."""
        obeys = self.settings.aligned or self.policies.source_bound_without_alignment == "obeyed"
        if self.finished or (not obeys and cite("SOURCE-4")):
            return []
        saved = self.state() if self.may_fail else ()
        self.alignment.bound = bound
        return self._checked(saved, [], announced=True)

    def backpressure(self, on: bool) -> Outputs:
        """Downstream takes no more records for now, or takes them again."""
        self.backpressured = on
        return []

    def advance(self, milliseconds: int) -> Outputs:
        """So much time passes; it does not count for an output that the reader is kept from."""
        if cite("SOURCE-16", milliseconds < 0):
            raise IllegalArgument(f"time cannot go back: milliseconds is {milliseconds} (SOURCE-16)")
        self.now += milliseconds
        for output, writer in self.writers.items():
            everywhere = output == MAIN or self.policies.source_blocked_clocks == "all"
            blocked = everywhere and self.alignment.blocked
            kept_from = self.backpressured or blocked or output in self.alignment.paused
            if not cite("SOURCE-13", kept_from):
                writer.clock.advance(milliseconds * 10**6)
        return []

    def end_of_input(self) -> Outputs:
        """The reader has no more records or splits; while it is blocked it is not asked."""
        if self._polled(None) is None:
            return []
        self.finished = True
        last = self.emitter.watermark(MAX) if cite("SOURCE-14", self.finished) else []
        return [*last, *([("report", MAX)] if self.settings.aligned else [])]

    def _refuse(self, wrong: bool, why: str) -> None:
        if cite("SOURCE-16", self.finished):
            raise IllegalState("the input has ended (SOURCE-16)")
        if cite("SOURCE-16", wrong):
            raise IllegalArgument(f"{why} (SOURCE-16)")

    def _polled(self, split: str | None) -> str | None:
        """The output that the reader, asked for input, writes to; None: it is not asked."""
        self._refuse(split is not None and split not in self.assigned, f"split {split!r} is not assigned")
        output = MAIN if split is None or not self.settings.per_split_outputs else split
        return None if cite("SOURCE-1", self.alignment.blocked) else output

    def _join(self, output: str) -> Outputs:
        """The main output is written to."""
        if output != MAIN or self.apart or not cite("SOURCE-15", MAIN not in self.splits.parts):
            return []
        return self._send("splits", self.splits.add(MAIN))

    def _deliver(self, output: str, emitted: Sequence[Output], deferred: bool = False) -> Outputs:
        """What the generator of an output, or the reader, has emitted there."""
        if output not in self.splits.parts:
            return self._send("main", emitted)
        sent = Outputs()
        for name, *fields in emitted:
            sent += self._send("splits", getattr(self.splits, name)(output, *fields, deferred=deferred))
        return sent

    def _send(self, side: str, outputs: Sequence[Output]) -> Outputs:
        """To downstream. Where the main output and the splits are apart, IDLE only when both are idle."""
        if side == "splits" and not self.apart:
            return [*outputs]
        sent = Outputs()
        for output in outputs:
            self.idle_sides = self.idle_sides | {side} if output == IDLE else self.idle_sides - {side}
            if output != IDLE or len(self.idle_sides) == 2:
                sent += self.emitter.send([output])
        return sent

    def _checked(self, saved: tuple[Any, ...], outputs: Outputs, announced: bool = False) -> Outputs:
        """What a step outputs, with what alignment makes of it. Where that is impossible, `saved` is back."""
        try:
            return outputs + self.alignment.check(self.emitter.maximum, self.splits.parts, announced)
        except Unsupported:
            self.restore(saved)
            raise

    def state(self) -> tuple[Any, ...]:
        """All of the state, hashable: equal states behave alike from here on."""
        emitted = self.emitter.maximum, self.emitter.is_idle, self.idle_sides
        writers = [
            (output, writer.generator.state(), writer.clock.state())
            for output, writer in sorted(self.writers.items())
        ]
        own = self.now, self.assigned, self.backpressured, self.finished, emitted
        return own, self.splits.state(), self.alignment.state(), tuple(writers)

    def snapshot(self) -> tuple[Any, ...]:
        """What `restore` needs."""
        cite("SOURCE-17")
        return self.state()

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Become the subtask that `saved` was taken from."""
        cite("SOURCE-17")
        own, splits, alignment, writers = saved
        self.now, self.assigned, self.backpressured, self.finished, emitted = own
        self.splits.restore(splits)
        self.emitter.maximum, self.emitter.is_idle, self.idle_sides = emitted
        self.alignment.restore(alignment)
        self.writers = {}
        for output, generator, clock in writers:
            self.writers[output] = writer = Writer(self.settings, self.now, self.policies)
            writer.generator.restore(generator)
            writer.clock.restore(clock)
