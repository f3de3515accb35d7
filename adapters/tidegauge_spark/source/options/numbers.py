"""Number sequences, one for each subtask, the logs of a source without data: their options and columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.source.options.given import GivenOptions

SEQUENCE_OPTIONS: Final = ("start", "end", "split")
SUBTASK_OPTIONS: Final = ("end", "recordsPerMillisecond")
"""Options of a single subtask, written with its index: "end.0"."""

SOURCE_SCHEMA: Final = StructType(
    [
        StructField("source", StringType()),
        StructField("subtask", IntegerType()),
        StructField("number", LongType()),
        StructField("timestamp", LongType()),
        StructField("planned_at", LongType()),
    ]
)
"""A row is one record of a number sequence.

source: the option sourceName, or else the identity of the source. subtask: counted from 0. number: the number
in the sequence. timestamp: its event time, the same number in ms. planned_at: the processing time at which
the batch was planned, in ms since the source started, by the source's own clock.
"""


@dataclass(frozen=True)
class Sequence:
    """The numbers of one subtask, `first` to `last`, both included; empty if `last` is less.

    The record of number n has event time n ms. `records_per_millisecond`: the rate of processing time at
    which the records become readable; None: all at once.
    """

    first: int
    last: int
    records_per_millisecond: Fraction | None = None

    def readable_at(self, now: int) -> int:
        """Return the last number that can be read at this processing time (ms since the source started)."""
        if self.records_per_millisecond is None:
            return self.last
        return min(self.last, self.first - 1 + int(self.records_per_millisecond * now))


def parse_sequences(given: GivenOptions, count: int) -> tuple[Sequence, ...]:
    """Return the numbers and the rate of each of `count` subtasks. Raises `IllegalOptionError`."""
    start = given.integer("start", 0, MIN, MAX)
    end = given.integer("end", MAX, MIN, MAX)
    _refuse_empty(given, "end", end, start)
    own_ends = given.by_subtask("end", count)
    if given.one_of("split", ("range", "repeat")) == "range":
        for index, value in own_ends.items():
            given.refuse(f"end.{index}", value, 'a range has one end; write split "repeat" or leave it out')
        borders = split_range(start, end, count)
    else:
        borders = [(start, end)] * count
        for index in own_ends:
            own_end = given.integer(f"end.{index}", end, MIN, MAX)
            _refuse_empty(given, f"end.{index}", own_end, start)
            borders[index] = (start, own_end)
    rates = {
        index: _rate(given, index, value)
        for index, value in given.by_subtask("recordsPerMillisecond", count).items()
    }
    return tuple(Sequence(first, last, rates.get(index)) for index, (first, last) in enumerate(borders))


def split_range(start: int, end: int, count: int) -> list[tuple[int, int]]:
    """Divide `start` to `end`, both included, into contiguous parts; the first parts get the remainder.

    Flink's NumberSequenceSource divides its range in the same way.
    """
    each, left_over = divmod(end - start + 1, count)
    borders = []
    for index in range(count):
        size = each + (index < left_over)
        borders.append((start, start + size - 1))
        start += size
    return borders


def _rate(given: GivenOptions, index: int, value: str) -> Fraction:
    rate = Fraction(value) if re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,18})?", value) else Fraction(0)
    if rate <= 0:
        given.refuse(
            f"recordsPerMillisecond.{index}", value, 'write a number greater than 0, like "1" or "0.5"'
        )
    return rate


def _refuse_empty(given: GivenOptions, name: str, end: int, start: int) -> None:
    if end < start:
        given.refuse(name, str(end), f"it is included and must not be less than start, {start}")
