"""GEN: the strategy builder, and an input whose records get timestamps and watermarks by a strategy."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

from .citation import cite
from .clock import PausableClock
from .generators import BoundedOutOfOrderness, Generator, NoWatermarks, ProcessingTime, Punctuated, given
from .idleness import WatermarksWithIdleness
from .outputs import ACTIVE, Output, watermark
from .policies import CORE, Policies
from .splits import Emitter
from .timestamps import MAX, later

SUPPLIERS: dict[Any, Any] = {"punctuated": Punctuated, "processing-time": ProcessingTime}
ASSIGNERS: dict[Any, Any] = {
    "record-time": lambda timestamp, now: timestamp,
    "ingestion-time": lambda timestamp, now: now,
}


@dataclass(frozen=True)
class WatermarkStrategy:
    """Where timestamps and watermarks come from. Immutable: a builder call returns another strategy; of the
    same call the last counts. Durations in ms; bad arguments raise `IllegalArgument` (GEN-15). `inner`: the
    strategy with the idle timeout before, which counts as well under a policy."""

    supplier: Any = NoWatermarks
    bound: int | None = None
    assigner: Any = "record-time"
    idle_timeout: int | None = None
    alignment: tuple[str, int, int] | None = None
    inner: Any = field(default=None, compare=False)

    @classmethod
    def no_watermarks(cls) -> Self:
        """For jobs on processing time."""
        return cls()

    @classmethod
    def for_monotonous_timestamps(cls) -> Self:
        """For records in the order of their timestamps."""
        return cls(bound=0)

    @classmethod
    def for_bounded_out_of_orderness(cls, max_out_of_orderness: int | None) -> Self:
        """For records at most so far behind the largest timestamp before them."""
        return cls(bound=given("max_out_of_orderness", max_out_of_orderness, 0))

    @classmethod
    def for_generator(cls, supplier: Any) -> Self:
        """By `supplier`, a function from a context (`create_generator`) to a generator, or a name of one."""
        return cls(given("supplier", supplier))

    def with_timestamp_assigner(self, assigner: Any) -> Self:
        """By `assigner`, a function of the record's timestamp and the processing time, or a name of one."""
        return replace(self, assigner=given("assigner", assigner))

    def with_idleness(self, timeout: int | None) -> Self:
        """Idle when no record has come for longer than `timeout`."""
        inner = self.inner if self.idle_timeout is None else self
        return replace(self, idle_timeout=given("timeout", timeout, 1), inner=inner)

    def with_watermark_alignment(self, group: Any, drift: int | None, interval: int | None = 1000) -> Self:
        """Aligned with the sources of `group`: at most `drift` ahead, as of the update at each `interval`."""
        durations = given("drift", drift, 0), given("interval", interval, 1)
        return replace(self, alignment=(given("group", group), *durations))

    def create_generator(self, context: Any, policies: Policies = CORE) -> Generator:
        """A new generator. `context`: its `input_activity_clock`, and the processing time `now` (ms)."""
        generator: Generator = SUPPLIERS.get(self.supplier, self.supplier)(context)
        if self.bound is not None:
            generator = BoundedOutOfOrderness(self.bound)
        if policies.generator_idle_timeouts == "nest" and self.inner is not None:
            generator = self.inner.create_generator(context, policies)
        if cite("GEN-13", self.idle_timeout is None):
            return generator
        timeout = (self.idle_timeout or 0) * 10**6
        return WatermarksWithIdleness(generator, timeout, context.input_activity_clock, policies)


class WatermarkedInput:
    """Runs the generator of a strategy; `now` is the processing time (ms). In `mid_pipeline` watermarks and
    statuses pass through an emitter, elsewhere they go out raw. A change of `strategy` waits for a start."""

    def __init__(
        self, strategy: WatermarkStrategy, mid_pipeline: bool, now: int = 0, policies: Policies = CORE
    ) -> None:
        self.strategy = self.running = strategy
        self.mid_pipeline, self.policies, self.now = mid_pipeline, policies, given("now", now, 0)
        self.start()

    def alignment(self) -> list[tuple[Any, ...]]:
        """The group, drift and update interval (ms) of the strategy; nothing if it has none."""
        if cite("GEN-14", self.strategy.alignment is None):
            return []
        return [("alignment", *(self.strategy.alignment or ()))]

    def start(self) -> list[Output]:
        """It is started, perhaps again, by the strategy as it is now."""
        cite("GEN-12")
        self.running = self.strategy
        self.input_activity_clock = PausableClock(self.now * 10**6, self.policies)
        self.generator = self.running.create_generator(self, self.policies)
        self.emitter = Emitter(self.policies)
        return []

    def record(self, timestamp: int) -> list[Output]:
        """A record that carries `timestamp` (ms; `MIN`: none)."""
        assigner = self.running.assigner
        cite("GEN-1")
        assigned = ASSIGNERS.get(assigner, assigner)(timestamp, self.now)
        made = self.generator.on_event(assigned)
        first = [output for output in made if output == ACTIVE]
        then = [output for output in made if output != ACTIVE]
        return [*self._sent(first), ("record", assigned), *self._sent(then)]

    def tick(self) -> list[Output]:
        """The periodic tick; there is a last one when the input is finished."""
        return self._sent(self.generator.on_periodic_emit())

    finish = tick

    def advance(self, milliseconds: int) -> list[Output]:
        """So much processing time passes."""
        self.now = later(self.now, given("milliseconds", milliseconds, 0))
        self.input_activity_clock.advance(milliseconds * 10**6)
        return []

    def watermark(self, timestamp: int) -> list[Output]:
        """A watermark (ms) arrives; `MAX` is the end of the input."""
        return self._sent([watermark(timestamp)]) if cite("GEN-10", timestamp == MAX) else []

    def idle(self) -> list[Output]:
        """A status arrives: only what is generated here counts."""
        cite("GEN-10", False)
        return []

    active = idle

    def _sent(self, outputs: list[Output]) -> list[Output]:
        if cite("GEN-11", self.mid_pipeline):
            return self.emitter.send(outputs)
        return outputs

    def state(self) -> tuple[Any, ...]:
        """All of the state, hashable."""
        emitted = self.emitter.maximum, self.emitter.is_idle
        clock = self.input_activity_clock.state()
        return self.strategy, self.running, self.now, clock, self.generator.state(), emitted

    snapshot = state

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Become the input that `saved` was taken from."""
        strategy, self.strategy, self.now, clock, generator, emitted = saved
        self.start()  # by the strategy that was running, not by what has been built since
        self.strategy = strategy
        self.input_activity_clock.restore(clock)
        self.generator.restore(generator)
        self.emitter.maximum, self.emitter.is_idle = emitted
