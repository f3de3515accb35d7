"""Watermark strategies: descriptions of how an input gets its time, built by calls that can be chained.

    WatermarkStrategy.for_bounded_out_of_orderness("10 seconds").with_idleness("1 minute")

Durations are numbers of milliseconds, `timedelta`s, or texts such as "30 seconds".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from tidegauge_spark.decisions.duration_arguments import Duration, milliseconds_of
from tidegauge_spark.decisions.errors import IllegalArgumentError
from tidegauge_spark.decisions.watermark_generators import (
    BoundedOutOfOrderness,
    GeneratorContext,
    NoWatermarks,
    ProcessingTimeWatermarks,
    Punctuated,
    WatermarkGenerator,
)
from tidegauge_spark.decisions.watermarks_with_idleness import WatermarksWithIdleness

GeneratorSupplier = Callable[[GeneratorContext], WatermarkGenerator]
"""Makes a new generator, for an input with this context."""

TimestampAssigner = Callable[[int, int], int]
"""Gives a record its timestamp (ms), by that which it carries (`MIN`: none) and the processing time."""

_NANOSECONDS: Final = 1_000_000


def record_time(timestamp: int, _: int) -> int:
    """The timestamp that the record carries."""
    return timestamp


def ingestion_time(_: int, processing_time: int) -> int:
    """The processing time at which the record arrives."""
    return processing_time


def no_watermarks(_: GeneratorContext) -> WatermarkGenerator:
    """Supply a generator that says nothing about time."""
    return NoWatermarks()


def punctuated_watermarks(_: GeneratorContext) -> WatermarkGenerator:
    """Supply a generator that makes each record a watermark."""
    return Punctuated()


def processing_time_watermarks(context: GeneratorContext) -> WatermarkGenerator:
    """Supply a generator that goes by the clock of the machine.

    Raises `IllegalArgumentError` for an input whose rows tell no processing time.
    """
    if context.processing_time is None:
        raise IllegalArgumentError("the rows of this input tell no processing time to make watermarks from")
    return ProcessingTimeWatermarks(context.processing_time)


@dataclass(frozen=True)
class BoundedSupplier:
    """Supplies generators that expect records at most so late (ms)."""

    max_out_of_orderness: int

    def __call__(self, context: GeneratorContext) -> WatermarkGenerator:
        """Return a new generator."""
        return BoundedOutOfOrderness(self.max_out_of_orderness)


class WatermarkAlignment(NamedTuple):
    """How a source is aligned: with which group, at most how far ahead (ms), and how often told so (ms)."""

    watermark_group: str
    max_allowed_watermark_drift: int
    update_interval: int


@dataclass(frozen=True)
class WatermarkStrategy:
    """Which generator an input has, which time its records get, and with whom it is aligned.

    A strategy never changes: each call returns another one, and of the same call the last counts. It creates
    a generator at each start of an input (GEN-12). All calls raise `IllegalArgumentError` for a duration that
    is missing, negative or longer than 64 bits of ms, and for anything else that is missing (GEN-15).
    """

    supplier: GeneratorSupplier = no_watermarks
    assigner: TimestampAssigner = record_time
    idle_timeout: int | None = None
    alignment: WatermarkAlignment | None = None

    @staticmethod
    def no_watermarks() -> WatermarkStrategy:
        """Return a strategy without watermarks."""
        return WatermarkStrategy()

    @staticmethod
    def for_monotonous_timestamps() -> WatermarkStrategy:
        """Return a strategy for records whose timestamps never fall."""
        return WatermarkStrategy(BoundedSupplier(0))

    @staticmethod
    def for_bounded_out_of_orderness(max_out_of_orderness: Duration | None) -> WatermarkStrategy:
        """Return a strategy for records that are at most so far behind the latest one."""
        return WatermarkStrategy(
            BoundedSupplier(milliseconds_of(max_out_of_orderness, "max_out_of_orderness"))
        )

    @staticmethod
    def for_generator(supplier: GeneratorSupplier | None) -> WatermarkStrategy:
        """Return a strategy with generators of your own, `punctuated_watermarks` or
        `processing_time_watermarks`."""
        if not callable(supplier):
            raise IllegalArgumentError(f"a supplier makes a generator from a context; {supplier!r} does not")
        return WatermarkStrategy(supplier)

    def with_timestamp_assigner(self, assigner: TimestampAssigner | None) -> WatermarkStrategy:
        """Return the same with this assigner, say `ingestion_time`; without a call: `record_time`."""
        if not callable(assigner):
            raise IllegalArgumentError(f"an assigner gives a record its timestamp; {assigner!r} does not")
        return replace(self, assigner=assigner)

    def with_idleness(self, timeout: Duration | None) -> WatermarkStrategy:
        """Return the same with inputs that become idle after more than this time without a record."""
        return replace(self, idle_timeout=milliseconds_of(timeout, "an idle timeout", at_least=1))

    def with_watermark_alignment(
        self,
        watermark_group: str | None,
        max_allowed_watermark_drift: Duration | None,
        update_interval: Duration = 1000,
    ) -> WatermarkStrategy:
        """Return the same, aligned with the sources of this group (GEN-14).

        max_allowed_watermark_drift: how far ahead of the slowest, 0 included. update_interval: how often the
        subtasks report and are told the bound, 1 ms at least.
        """
        if not isinstance(watermark_group, str):
            raise IllegalArgumentError(f"a watermark group is a name, not {watermark_group!r}")
        drift = milliseconds_of(max_allowed_watermark_drift, "max_allowed_watermark_drift")
        interval = milliseconds_of(update_interval, "update_interval", at_least=1)
        return replace(self, alignment=WatermarkAlignment(watermark_group, drift, interval))

    def create_generator(self, context: GeneratorContext) -> WatermarkGenerator:
        """Return a new generator (GEN-12), its idleness judged on the clock of this context (GEN-13)."""
        generator = self.supplier(context)
        if self.idle_timeout is None:
            return generator
        clock = context.input_activity_clock
        return WatermarksWithIdleness(generator, self.idle_timeout * _NANOSECONDS, clock)
