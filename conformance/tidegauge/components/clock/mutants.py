"""Wrong input activity clocks."""

from ...mutants.mutant import MutantsOfModule, at_scale
from .mutants_of_scale import CLOCK_MUTANTS_OF_SCALE

_clock = MutantsOfModule("clock", "clock")

_STOPS = 'if cite("CLOCK-1", not any(self._blocks(reason) for reason in self.pauses)):'
_REFUSES = 'raise IllegalState(f"resume without a pause for {reason} (CLOCK-4)")'
_BLOCKS = 'reason != "no-data" and not counted'

CLOCK_MUTANTS = (
    _clock(
        "system-time",
        ("CLOCK-1",),
        "FLINK-35886",
        "The clock keeps running while the input is blocked, like the system clock.",
        (_STOPS, "if True:"),
    ),
    _clock(
        "milliseconds",
        ("CLOCK-1",),
        "B25",
        "The reading grows in ms instead of ns.",
        (
            "            self.nanoseconds += nanoseconds\n",
            "            self.nanoseconds += nanoseconds // 10**6\n",
        ),
    ),
    _clock(
        "reason-counts-once",
        ("CLOCK-2",),
        "PAUSES-nested",
        "A reason that begins twice ends with the first of its ends.",
        ("tuple(sorted((*self.pauses, reason)))", "tuple(sorted({*self.pauses, reason}))"),
    ),
    _clock(
        "first-resumption-ends-all",
        ("CLOCK-2",),
        "PAUSES-nested",
        "The first resumption resumes the clock, although other reasons still block the input.",
        ("self.pauses = tuple(left)", "self.pauses = ()"),
    ),
    _clock(
        "no-data-pauses",
        ("CLOCK-3",),
        "B29",
        "The clock hides time in which the input was polled and had no data.",
        (_BLOCKS, "not counted"),
    ),
    _clock(
        "alignment-does-not-pause",
        ("CLOCK-3",),
        "FLINK-36751",
        "The clock is not paused while the input waits for alignment.",
        (_BLOCKS, 'reason not in ("no-data", "alignment") and not counted'),
    ),
    _clock(
        "busy-downstream-counts",
        ("CLOCK-3",),
        "B4",
        "Time in which operators downstream are busy with a record counts.",
        (' and self.policies.clock_busy_downstream == "counted"', ""),
    ),
    _clock(
        "resumes-without-pause",
        ("CLOCK-4",),
        "PAUSES-nested",
        "A resumption without a pause is accepted.",
        (_REFUSES, "return"),
    ),
    _clock(
        "goes-back",
        ("CLOCK-5",),
        "B24",
        "The clock follows a wall clock that is set back.",
        ('if cite("CLOCK-5", nanoseconds < 0):', "if False:"),
    ),
    _clock(
        "restored-running",
        ("CLOCK-6",),
        "B19",
        "A restored clock has lost its pauses.",
        ("self.nanoseconds, self.pauses = saved", "self.nanoseconds = saved[0]"),
    ),
    _clock(
        "does-nothing",
        (),
        "an unfinished clock",
        "Every step is accepted and nothing is ever output.",
        (
            'mean something."""\n        return self.nanoseconds\n',
            'mean something."""\n        return None\n',
        ),
        ('if cite("CLOCK-5", nanoseconds < 0):', "if False:"),
        (_REFUSES, "return"),
    ),
    at_scale(
        "6-pauses",
        _clock(
            "four-pauses",
            ("CLOCK-4",),
            "a counter of two bits",
            "No more than four pauses of one reason are counted.",
            (
                "self.pauses = tuple(sorted((*self.pauses, reason)))",
                "if self.pauses.count(reason) < 4:\n"
                "            self.pauses = tuple(sorted((*self.pauses, reason)))",
            ),
        ),
    ),
    at_scale(
        "256-pauses",
        _clock(
            "counter-of-pauses-in-a-byte",
            ("CLOCK-1",),
            "a number of 8 bits",
            "With 256 pauses the clock runs again.",
            (
                'if cite("CLOCK-1", not any(self._blocks(reason) for reason in self.pauses)):',
                'if cite("CLOCK-1", len(self.pauses) % 256 == 0 '
                "or not any(self._blocks(reason) for reason in self.pauses)):",
            ),
        ),
    ),
    *CLOCK_MUTANTS_OF_SCALE,
)
