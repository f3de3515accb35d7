"""Faulty input activity clocks that only scenarios of scale detect."""

from typing import Any

from tidegauge_reference.citation import cite
from tidegauge_reference.errors import IllegalArgument

from ...mutants.mutant import Mutant, at_scale


def _reading_as_a_double(self: Any, nanoseconds: int) -> None:
    if cite("CLOCK-5", nanoseconds < 0):
        raise IllegalArgument("time cannot go back (CLOCK-5)")
    if cite("CLOCK-1", not any(self._blocks(reason) for reason in self.pauses)):
        self.nanoseconds = int(float(self.nanoseconds + nanoseconds))


def _counted_to_255(self: Any, reason: Any = "backpressure") -> None:
    if self.pauses.count(reason) < 255:
        self.pauses = tuple(sorted((*self.pauses, reason)))


CLOCK_MUTANTS_OF_SCALE = (
    at_scale(
        "with-a-reading-at-2-53",
        Mutant(
            "clock-reading-as-a-double",
            "clock",
            "clock",
            ("CLOCK-1",),
            "doubles for whole numbers",
            "The reading is a double and loses single nanoseconds beyond 2^53 ns.",
            functions=(("PausableClock.advance", _reading_as_a_double),),
        ),
    ),
    at_scale(
        "repeated",
        Mutant(
            "clock-pauses-to-255",
            "clock",
            "clock",
            ("CLOCK-4",),
            "a counter of 8 bits",
            "The counter of the pauses for one reason stops at 255.",
            functions=(("PausableClock.pause", _counted_to_255),),
        ),
    ),
)
