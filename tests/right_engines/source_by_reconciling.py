"""A source subtask that reconciles: a step changes what is known, and what should hold then is compared with what did.

What is known is an immutable `World`. A step makes a world from the one before; which splits should be paused, and
whether the subtask should be blocked, follows from the world alone. If the new world cannot be had, the old one stays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

MIN, MAX = -(2**63), 2**63 - 1

Output = tuple[Any, ...]


class Maker(NamedTuple):
    """The generator of an output: its largest timestamp (ms), whether a record came since the last probe, the countdown,
    and whether it said last that there is no data. The countdown is the odometer's reading (ms) at its start."""

    largest: int = MIN
    heard: bool = False
    countdown: int | None = None
    idle: bool = False


class Writer(NamedTuple):
    """An output: its generator, its watermark (ms), whether it is idle, and the odometer's reading (ms) from which on
    it has been kept from writing while the subtask was not, if it is."""

    maker: Maker = Maker()
    watermark: int = MIN
    idle: bool = False
    stopped: int | None = None


class World(NamedTuple):
    """The odometer counts the time (ms) in which the subtask was polled. The main output has the name None."""

    splits: frozenset[str]
    writers: dict[str | None, Writer]
    odometer: int = 0
    bound: int = MAX
    busy_downstream: bool = False
    ended: bool = False
    watermark: int = MIN
    idle: bool = False

    @property
    def blocked(self) -> bool:
        """Whether the watermark that went downstream last is beyond the bound."""
        return not self.ended and self.watermark > self.bound

    @property
    def paused(self) -> list[str]:
        """The splits that are not read."""
        return [name for name, one in self.writers.items() if name is not None and one.stopped is not None]

    def having(self, name: str | None, writer: Writer) -> World:
        """The world in which an output is this one."""
        return self._replace(writers={**self.writers, name: writer})


def sent(world: World, outputs: list[Output]) -> World:
    """What downstream is told when the outputs are combined, and the world in which it knows that."""
    unfinished = [one for one in world.writers.values() if one.watermark < MAX]
    moving = [one.watermark for one in unfinished if not one.idle]
    if moving:
        reached, idle = min(moving), False
    elif unfinished or not world.writers:
        reached, idle = max((one.watermark for one in unfinished), default=MIN), True
    else:
        reached, idle = MAX, False
    if world.idle and (not idle or reached > world.watermark):
        outputs.append(("active",))
        world = world._replace(idle=False)
    if reached > world.watermark:
        outputs.append(("watermark", reached))
        world = world._replace(watermark=reached)
    if idle and not world.idle:
        outputs.append(("idle",))
    return world._replace(idle=idle)


def shifted(writer: Writer, odometer: int) -> Writer:
    """An output that may write again: what it waited for has come no closer."""
    assert writer.stopped is not None
    countdown = writer.maker.countdown
    if countdown is not None:
        countdown += odometer - writer.stopped
    return writer._replace(maker=writer.maker._replace(countdown=countdown), stopped=None)


class ReconcilingSource:
    """Holds the world; the rest is the setup."""

    def __init__(
        self,
        generator: str,
        max_out_of_orderness: int,
        idle_timeout: int | None,
        *,
        aligned: bool,
        can_pause: bool,
        allow_unaligned_splits: bool,
        per_split_outputs: bool,
    ) -> None:
        self._generator = generator
        self._behind = max_out_of_orderness + 1
        self._timeout = idle_timeout
        self._aligned = aligned
        self._pauses = can_pause
        self._may_run_ahead = allow_unaligned_splits and not can_pause
        self._per_split = per_split_outputs
        self._world = World(frozenset(), {})

    def assign(self, split: str) -> list[Output]:
        """A split comes."""
        self._not_ended()
        world = self._world
        if split in world.splits:
            raise ValueError(f"split {split!r} is assigned already")
        world = world._replace(splits=world.splits | {split})
        return self._become(world.having(split, Writer()) if self._per_split else self._with_main(world))

    def finish(self, split: str) -> list[Output]:
        """A split goes, and its output with it."""
        self._not_ended()
        world = self._world
        self._assigned(split)
        world = world._replace(splits=world.splits - {split})
        if self._per_split:
            writers = {name: one for name, one in world.writers.items() if name != split}
            return self._become(world._replace(writers=writers))
        if not world.splits:
            world = world._replace(writers={})
        return self._become(world)

    def record(self, split: str | None, timestamp: int) -> list[Output]:
        """A record (ms) is offered."""
        if not self._polled(split):
            return []
        name, world = self._output_of(split)
        writer = world.writers[name]
        if writer.stopped is not None:
            return []
        outputs: list[Output] = []
        if writer.idle or world.idle:
            world = sent(world.having(name, writer._replace(idle=False)), outputs)
            if world.idle:  # what is finished makes nothing active, and still no record goes out under IDLE
                outputs.append(("active",))
                world = world._replace(idle=False)
        outputs.append(("record", timestamp))
        writer = world.writers[name]
        maker = Maker(largest=max(writer.maker.largest, timestamp), heard=True)
        world = world.having(name, writer._replace(maker=maker))
        if self._generator == "punctuated":
            world = self._written(world, name, timestamp, outputs)
        return self._become(world, outputs)

    def watermark(self, split: str | None, timestamp: int) -> list[Output]:
        """The reader writes a watermark (ms)."""
        if not self._polled(split):
            return []
        name, world = self._output_of(split)
        outputs: list[Output] = []
        return self._become(self._written(world, name, timestamp, outputs), outputs)

    def idle(self, split: str | None) -> list[Output]:
        """The reader says that there is no data for now."""
        return self._status(split, idle=True)

    def active(self, split: str | None) -> list[Output]:
        """The reader says that there is data again."""
        return self._status(split, idle=False)

    def tick(self) -> list[Output]:
        """Generators are probed, and those of inputs that are not idle emit."""
        world = self._world
        if world.ended:
            return []
        writers = {name: self._ticked(writer) for name, writer in world.writers.items()}
        outputs: list[Output] = []
        return self._become(sent(world._replace(writers=writers), outputs), outputs)

    def report(self) -> list[Output]:
        """The last watermark, as alignment should know it."""
        world = self._world
        if not self._aligned or (world.watermark == MIN and not world.ended):
            return []
        return [("report", MAX if world.idle or world.ended else world.watermark)]

    def announcement(self, bound: int) -> list[Output]:
        """Another bound (ms)."""
        return self._become(self._world._replace(bound=bound)) if self._aligned else []

    def backpressure(self, on: bool) -> list[Output]:
        """Downstream is busy, or is not any more."""
        return self._become(self._world._replace(busy_downstream=on))

    def advance(self, milliseconds: int) -> list[Output]:
        """Time passes; where nothing is polled it is not counted."""
        if milliseconds < 0:
            raise ValueError(f"{milliseconds} ms cannot pass")
        world = self._world
        if not world.blocked and not world.busy_downstream:
            self._world = world._replace(odometer=world.odometer + milliseconds)
        return []

    def end_of_input(self) -> list[Output]:
        """No more records and no more splits."""
        self._not_ended()
        world = self._world
        if world.blocked:
            return []
        outputs: list[Output] = [("active",)] if world.idle else []
        if world.watermark < MAX:
            outputs.append(("watermark", MAX))
        if self._aligned:
            outputs.append(("report", MAX))
        return self._become(world._replace(ended=True, watermark=MAX, idle=False), outputs)

    def _become(self, world: World, outputs: list[Output] | None = None) -> list[Output]:
        """Takes the step into a world, and says which splits are paused and resumed by it."""
        outputs = [] if outputs is None else outputs
        before = self._world
        if not world.ended and self._per_split and not self._may_run_ahead:
            world = self._reconciled(world)
        paused = sorted(set(world.paused) - set(before.paused))
        resumed = sorted(name for name in before.paused if name in world.writers and name not in world.paused)
        if paused and not self._pauses:
            raise NotImplementedError(f"the reader cannot pause {', '.join(paused)}")
        outputs += [("splits-paused", tuple(paused))] if paused else []
        outputs += [("splits-resumed", tuple(resumed))] if resumed else []
        if world.blocked != before.blocked:
            outputs.append(("blocked",) if world.blocked else ("unblocked",))
        self._world = world
        return outputs

    def _reconciled(self, world: World) -> World:
        """The world in which exactly those splits are stopped that should be."""
        changed = {}
        for name, writer in world.writers.items():
            beyond = name is not None and writer.watermark > world.bound
            if beyond and writer.stopped is None and not writer.idle:
                changed[name] = writer._replace(stopped=world.odometer)
            elif not beyond and writer.stopped is not None:
                changed[name] = shifted(writer, world.odometer)
        return world._replace(writers={**world.writers, **changed}) if changed else world

    def _polled(self, split: str | None) -> bool:
        """Whether the reader is asked at all. Raises what the step is refused by."""
        self._not_ended()
        if split is not None:
            self._assigned(split)
        return not self._world.blocked

    def _not_ended(self) -> None:
        if self._world.ended:
            raise RuntimeError("the input has ended")

    def _assigned(self, split: str) -> None:
        if split not in self._world.splits:
            raise ValueError(f"split {split!r} is not assigned")

    def _output_of(self, split: str | None) -> tuple[str | None, World]:
        """The name of the output that is written to, and a world that has it."""
        if self._per_split and split is not None:
            return split, self._world
        return None, self._with_main(self._world)

    def _with_main(self, world: World) -> World:
        """A world that has the main output: as it is, or a new one."""
        return world if None in world.writers else world.having(None, Writer())

    def _status(self, split: str | None, *, idle: bool) -> list[Output]:
        if not self._polled(split):
            return []
        name, world = self._output_of(split)
        world = world.having(name, world.writers[name]._replace(idle=idle))
        outputs: list[Output] = []
        return self._become(sent(world, outputs), outputs)

    def _written(self, world: World, name: str | None, timestamp: int, outputs: list[Output]) -> World:
        """A watermark (ms) that is not for the next tick to send."""
        writer = world.writers[name]
        shows = writer.idle or timestamp > max(writer.watermark, world.watermark)
        watermark = max(writer.watermark, timestamp)
        world = world.having(name, writer._replace(watermark=watermark, idle=False))
        return sent(world, outputs) if shows else world

    def _ticked(self, writer: Writer) -> Writer:
        """An output after a probe and what its generator then emits."""
        if self._timeout is not None:
            maker = self._probed(writer)
            if maker.idle:
                return writer if writer.maker.idle else writer._replace(maker=maker, idle=True)
            writer = writer._replace(maker=maker)
        if self._generator != "bounded-out-of-orderness":
            return writer
        emitted = max(writer.maker.largest - self._behind, MIN)
        return writer._replace(watermark=max(writer.watermark, emitted), idle=False)

    def _probed(self, writer: Writer) -> Maker:
        assert self._timeout is not None
        maker = writer.maker
        now = self._world.odometer if writer.stopped is None else writer.stopped
        if maker.idle:
            return maker
        if maker.heard:
            return maker._replace(heard=False, countdown=None)
        if maker.countdown is None:
            return maker._replace(countdown=now)
        return maker._replace(idle=now - maker.countdown > self._timeout)

    def snapshot(self) -> Any:
        """The world is immutable, and all there is."""
        return self._world

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self._world = saved
