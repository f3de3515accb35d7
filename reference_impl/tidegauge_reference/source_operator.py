"""SOURCE: a subtask of a source, which reads the records of its splits under watermark alignment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .choices import before
from .citation import cite
from .clock import PausableClock
from .errors import IllegalArgument, IllegalState, Unsupported
from .generators import Generator
from .outputs import ACTIVE, IDLE, Output
from .policies import CORE, Policies
from .splits import Emitter, Part, SplitOutputs
from .timestamps import MAX, MIN

Outputs = list[tuple[Any, ...]]
MAIN = ""
"""The name of the output that belongs to no split."""


@dataclass(frozen=True)
class SourceSettings:
    """How subtasks are built. `generator` makes that of an output, on the output's activity clock. Without
    `per_split_outputs` only the main output is used. A reader that cannot pause splits lets them run ahead
    if `allow_unaligned_splits`. A policy needs `buffer_size`; the clocks show `start` (ms) first."""

    generator: Callable[[PausableClock, Policies], Generator]
    aligned: bool = True
    can_pause: bool = True
    allow_unaligned_splits: bool = False
    per_split_outputs: bool = True
    buffer_size: int = 0
    start: int = 0


@dataclass(slots=True)
class Alignment:
    """The `bound` announced last (ms), and what it makes of the subtask and of its splits. Where a policy
    says so, a watermark counts after `buffer_size` samples; less than 0: `IllegalArgument` (SOURCE-16)."""

    settings: SourceSettings
    policies: Policies = CORE
    buffer_size: int = 0
    bound: int = MAX
    blocked: bool = False
    paused: frozenset[str] = frozenset()
    reassigned: frozenset[str] = frozenset()
    samples: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.settings.buffer_size < 0:
            raise IllegalArgument(f"buffer_size is less than 0: {self.settings.buffer_size} (SOURCE-16)")
        if self.policies.source_aligned_watermark != "newest":
            self.buffer_size = self.settings.buffer_size

    def sample(self, split: str, watermark: int) -> None:
        """An update interval has passed; the newest watermark (ms) of a split, under `MAIN` the subtask's."""
        if self.buffer_size:
            self.samples[split] = (*self.samples.get(split, (MIN,) * self.buffer_size)[1:], watermark)

    def counted(self, split: str, watermark: int) -> int:
        """The watermark (ms) to compare with the bound, where `watermark` is the newest."""
        return (*self.samples.get(split, (MIN,) * self.buffer_size), watermark)[0]

    def check(self, emitted: int, splits: dict[Any, Part], announced: bool, ended: bool) -> Outputs:
        """Compare the watermark that the subtask has `emitted` (ms), and those of its splits, with the bound;
        resume splits if it was `announced`. A subtask that has `ended` is not blocked any more. Raises
        `Unsupported` before anything changes (SOURCE-12)."""
        # Splits beyond the bound are paused, except for idle ones, which deliver nothing.
        ahead = {split for split, part in splits.items() if self.counted(split, part.watermark) > self.bound}
        idle = {split for split, part in splits.items() if part.idle}
        beyond = sorted(ahead - self.paused - {MAIN})
        pausing = {split for split in beyond if cite("SOURCE-9", split not in idle)}
        if pausing and not self.settings.can_pause:
            if cite("SOURCE-12", not self.settings.allow_unaligned_splits):
                raise Unsupported(f"the reader cannot pause {sorted(pausing)} (SOURCE-12)")
            pausing = set()
        # Paused splits that are within the bound are resumed, but only when a bound has just been announced.
        kept = ahead | (idle if self.policies.source_idle_paused_split == "stays" else set())
        resuming = self.paused.intersection(splits) - kept if announced else frozenset()
        if resuming & self.reassigned:
            raise IllegalState(f"no clock of {sorted(resuming)} is paused: it has come again (SOURCE-9)")
        self.paused = self.paused - resuming | pausing
        outputs: Outputs = [("splits-paused", tuple(sorted(pausing)))] if pausing else []
        if cite("SOURCE-10", bool(resuming)):
            outputs.append(("splits-resumed", tuple(sorted(resuming))))
        # The whole subtask is blocked while the watermark that it has emitted is beyond the bound.
        was_blocked, watermark = self.blocked, self.counted(MAIN, emitted)
        self.blocked = not ended and not cite("SOURCE-2", watermark <= self.bound)
        if self.blocked:
            return [*outputs, ("blocked",)] if cite("SOURCE-1", not was_blocked) else outputs
        return [*outputs, ("unblocked",)] if cite("SOURCE-3", was_blocked) else outputs


class SourceOperator:
    """One subtask. A step on a split names it; None stands for the main output. `IllegalArgument`: unknown
    split or negative time, `IllegalState`: input after its end (SOURCE-16); `Unsupported`: SOURCE-12."""

    def __init__(self, settings: SourceSettings, policies: Policies = CORE) -> None:
        self.settings, self.policies, self.now = settings, policies, settings.start
        self.apart = policies.source_main_output == "apart"
        keeps = policies.source_finished_paused_split == "kept"
        self.may_fail = keeps or not (settings.can_pause or settings.allow_unaligned_splits)
        self.alignment = Alignment(settings, policies)
        # Where the main output is apart, what the splits say is weighed at every update.
        weighed = replace(policies, split_status="idle-at-every-update")
        self.splits = SplitOutputs(weighed if self.apart else policies)
        self.emitter = Emitter(policies) if self.apart else self.splits.output
        self.assigned, self.active_sides = frozenset[str](), frozenset[str]()
        self.backpressured = self.finished = False
        self.clocks, self.generators = dict[str, PausableClock](), dict[str, Generator]()
        self._open(MAIN)

    def assign(self, split: str) -> Outputs:
        """The reader gets a split; from now on it is waited for."""
        self._refuse(split in (MAIN, *self.assigned), f"split {split!r} has no name or is assigned already")
        self.assigned |= {split}
        self.alignment.reassigned |= {split} & self.alignment.paused
        if not (self.settings.per_split_outputs or self.apart):
            return self._deliver(MAIN, [])
        self._open(split)
        return self._send("splits", self.splits.add(split))

    def finish(self, split: str) -> Outputs:
        """The reader has read all of a split; it is not waited for any more."""
        self._refuse(split not in self.assigned, f"split {split!r} is not assigned")
        self.assigned -= {split}
        if self.policies.source_finished_paused_split == "forgotten":
            self.alignment.paused -= {split}
        for kept in (self.alignment.samples, self.clocks, self.generators):
            kept.pop(split, None)
        left = split if split in self.splits.parts else MAIN
        if left != split and not self.apart and cite("SOURCE-15", not self.assigned):
            self._open(MAIN)  # the next split begins anew
        return self._send("splits", self.splits.remove(left)) if left == split or not self.assigned else []

    def record(self, split: str | None, timestamp: int) -> Outputs:
        """The reader has a record of `timestamp` (ms; `MIN`: none), read if that is allowed."""
        output = self._polled(split)
        paused = cite("SOURCE-11", split in self.alignment.paused)
        if output is None or (paused and self.policies.source_paused_split == "not-read"):
            return []
        saved = self.state() if self.may_fail else ()
        # The generator sees the record first, but what it outputs goes behind the record; except for ACTIVE.
        emitted = self.generators[output].on_event(timestamp)
        idle = self.emitter.is_idle or (output in self.splits.parts and self.splits.parts[output].idle)
        outputs: Outputs = []
        if cite("SOURCE-5", idle) and self.policies.idleness_ends_with == "record":
            outputs += self._deliver(output, [ACTIVE]) + self.emitter.active()
        brought = self._deliver(output, [one for one in emitted if one != ACTIVE])
        outputs += before("SOURCE-5", [("record", timestamp)], brought)
        return self._checked(saved, outputs) if emitted or idle else outputs

    def write(self, split: str | None, written: Output) -> Outputs:
        """The reader itself writes a watermark, IDLE or ACTIVE."""
        output = self._polled(split)
        if output is None:
            return []
        return self._checked(self.state() if self.may_fail else (), self._deliver(output, [written]))

    def tick(self) -> Outputs:
        """Time for periodic watermarks: every generator has its turn, then the splits are combined."""
        if self.finished:
            return []
        saved, outputs = self.state() if self.may_fail else (), Outputs()
        # What the splits say is deferred, so that one update combines all of it.
        for output in sorted(map(str, self.splits.parts)):
            outputs += self._deliver(output, self.generators[output].on_periodic_emit(), deferred=True)
        outputs += self._send("splits", self.splits.tick())
        if self.apart:
            outputs += self._deliver(MAIN, self.generators[MAIN].on_periodic_emit())
        return self._checked(saved, outputs)

    def report(self) -> Outputs:
        """An update interval has passed: the coordinator is told how far the subtask is."""
        if cite("SOURCE-4", not self.settings.aligned):
            return []
        return self._reported(self.state() if self.may_fail else ())

    def announcement(self, bound: int) -> Outputs:
        """The coordinator announces the watermark (ms) up to which the subtask may read."""
        obeys = self.settings.aligned or self.policies.source_bound_without_alignment == "obeyed"
        over = self.finished and self.policies.source_end_of_input == "ends-all"
        if over or (not obeys and cite("SOURCE-4")):
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
        # The clock of an output stands still while its records could not be delivered.
        for output, clock in self.clocks.items():
            everywhere = output == MAIN or self.policies.source_blocked_clocks == "all"
            blocked = everywhere and self.alignment.blocked
            kept_from = self.backpressured or blocked or output in self.alignment.paused
            if not cite("SOURCE-13", kept_from):
                clock.advance(milliseconds * 10**6)
        return []

    def end_of_input(self) -> Outputs:
        """The reader has no more records or splits; while it is blocked it is not asked."""
        if self._polled(None) is None:
            return []
        saved = self.state() if self.may_fail else ()
        self.finished = True
        cite("SOURCE-14")
        ends_all = self.policies.source_end_of_input == "ends-all"
        outputs: Outputs = [*self.emitter.watermark(MAX)] if ends_all else [("watermark", MAX)]
        self.emitter.maximum, self.emitter.is_idle = MAX, False
        return outputs + self._reported(saved) if self.settings.aligned else outputs

    def _reported(self, saved: tuple[Any, ...]) -> Outputs:
        for split, part in {**self.splits.parts, MAIN: Part(self.emitter.maximum)}.items():
            self.alignment.sample(str(split), part.watermark)
        outputs = self._checked(saved, [], announced=True)
        if cite("SOURCE-7", self.emitter.maximum == MIN):
            return outputs
        waited_for = cite("SOURCE-6", not cite("SOURCE-8", self.emitter.is_idle))
        return [*outputs, ("report", self.emitter.maximum if waited_for else MAX)]

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

    def _open(self, output: str) -> None:
        self.clocks[output] = clock = PausableClock(self.now * 10**6, self.policies)
        self.generators[output] = self.settings.generator(clock, self.policies)

    def _deliver(self, output: str, emitted: Sequence[Output], deferred: bool = False) -> Outputs:
        """An output is written to, and `emitted` is what its generator or the reader says there."""
        joins = output == MAIN and not self.apart and cite("SOURCE-15", MAIN not in self.splits.parts)
        sent: Outputs = [*self.splits.add(MAIN)] if joins else []
        if output not in self.splits.parts:
            return self._send("main", emitted)
        for name, *fields in emitted:
            sent += self._send("splits", getattr(self.splits, name)(output, *fields, deferred=deferred))
        return sent

    def _send(self, side: str, outputs: Sequence[Output]) -> Outputs:
        """To downstream. Where the main output and the splits are apart, IDLE only when both are idle."""
        if not self.apart:
            return [*outputs]
        for output in outputs:
            self.active_sides = self.active_sides - {side} if output == IDLE else self.active_sides | {side}
        return [*self.emitter.send([one for one in outputs if one != IDLE or not self.active_sides])]

    def _checked(self, saved: tuple[Any, ...], outputs: Outputs, announced: bool = False) -> Outputs:
        """What a step outputs, with what alignment makes of it. Where that is impossible, `saved` is back."""
        try:
            emitted, parts = self.emitter.maximum, self.splits.parts
            return outputs + self.alignment.check(emitted, parts, announced, self.finished)
        except (Unsupported, IllegalState):
            self.restore(saved)
            raise

    def state(self) -> tuple[Any, ...]:
        """All of the state, hashable: equal states behave alike from here on."""
        emitted = self.emitter.maximum, self.emitter.is_idle, self.active_sides
        own = self.now, self.assigned, self.backpressured, self.finished, emitted
        writers = tuple((o, self.clocks[o].state(), self.generators[o].state()) for o in sorted(self.clocks))
        kept = self.alignment
        aligned = kept.bound, kept.blocked, kept.paused, kept.reassigned
        samples = tuple(sorted(self.alignment.samples.items()))
        return own, self.splits.state(), aligned, samples, writers

    snapshot = state

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Become the subtask that `saved` was taken from."""
        cite("SOURCE-17")
        own, splits, aligned, samples, writers = saved
        self.now, self.assigned, self.backpressured, self.finished, emitted = own
        self.splits.restore(splits)
        self.emitter.maximum, self.emitter.is_idle, self.active_sides = emitted
        kept = self.alignment
        kept.bound, kept.blocked, kept.paused, kept.reassigned = aligned
        self.alignment.samples = dict(samples)
        self.clocks, self.generators = {}, {}
        for output, clock, generator in writers:
            self._open(output)
            self.clocks[output].restore(clock)
            self.generators[output].restore(generator)
