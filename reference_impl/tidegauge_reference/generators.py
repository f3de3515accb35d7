"""GEN: watermark generators; `strategy.py` creates and runs them."""

from typing import Any

from .citation import cite
from .errors import IllegalArgument
from .outputs import Output, watermark
from .timestamps import MAX, MIN, earlier


def given(argument: str, value: Any, least: int | None = None) -> Any:
    """`value`. Missing, or a duration (ms) below `least` or beyond 64 bits: `IllegalArgument` (GEN-15)."""
    if cite("GEN-15", value is None or (least is not None and not least <= value <= MAX)):
        raise IllegalArgument(f"{argument} cannot be {value} (GEN-15)")
    return value


class Generator:
    """Makes raw watermarks, which may repeat or go back: on records if it is `punctuated`, at ticks if it is
    `periodic`, then by its `largest` timestamp (ms) or `by_the_clock`. `context`: what its supplier was told;
    `fields`: its state. It is `idle` if IDLE was the last status that it said."""

    punctuated = periodic = by_the_clock = idle = False
    largest = MIN
    fields: tuple[str, ...] = ("largest",)

    def __init__(self, context: Any = None) -> None:
        self.context = context

    def on_event(self, timestamp: int) -> list[Output]:
        """A record of `timestamp` (ms)."""
        return [watermark(timestamp)] if cite("GEN-4", self.punctuated) else []

    def on_periodic_emit(self) -> list[Output]:
        """A periodic tick: records of the generator's very time may still follow."""
        if not cite("GEN-4", self.periodic):
            return []
        time = self.time()
        return [watermark(time - 1 if cite("GEN-5", time != MIN) else MIN)]

    def time(self) -> int:
        """The time (ms) that a periodic generator goes by; `MIN`: none yet."""
        return int(self.context.now) if cite("GEN-6", self.by_the_clock) else self.largest

    def state(self) -> Any:
        """All of the state, hashable: the values of `fields`."""
        return tuple(getattr(self, field) for field in self.fields)

    def restore(self, saved: Any) -> None:
        """Become the generator that `saved` was taken from."""
        vars(self).update(zip(self.fields, saved, strict=True))


class NoWatermarks(Generator):
    """Never emits a watermark."""


class Punctuated(Generator):
    """The timestamp of each record is a watermark."""

    punctuated = True


class ProcessingTime(Generator):
    """Goes by the processing time of its context, whatever the records carry."""

    periodic = by_the_clock = True


class BoundedOutOfOrderness(Generator):
    """Expects records up to `max_out_of_orderness` ms behind the largest; 0: monotonous timestamps."""

    periodic = True

    def __init__(self, max_out_of_orderness: int | None) -> None:
        self.bound: int = given("max_out_of_orderness", max_out_of_orderness, 0)

    def on_event(self, timestamp: int) -> list[Output]:
        """A record, which counts if its timestamp is the largest so far."""
        if cite("GEN-2", timestamp > self.largest):
            self.largest = timestamp
        return super().on_event(timestamp)

    def time(self) -> int:
        """The largest timestamp minus the bound."""
        # This far behind, a watermark makes late what breaks the bound (GEN-9), and nothing else (GEN-8).
        cite("GEN-3")
        cite("GEN-8")
        cite("GEN-9")
        return earlier(super().time(), self.bound)
