"""The options of the aligned source: what they mean, and one clear line for each way to get them wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NoReturn

from tidegauge_spark.coordinator_client import Address
from tidegauge_spark.durations import parse_duration
from tidegauge_spark.valve_state import MAX, MIN

DEFAULT_ROWS_PER_BATCH: Final = 1_000_000
MOST_SUBTASKS: Final = 10_000
MOST_ROWS_PER_BATCH: Final = 2**63 - 1

PLAIN_OPTIONS: Final = (
    "numSubtasks",
    "start",
    "end",
    "split",
    "watermarkGroup",
    "maxAllowedWatermarkDrift",
    "coordinator",
    "sourcesInGroup",
    "clockStep",
    "maxRowsPerBatch",
    "sourceName",
)
SUBTASK_OPTIONS: Final = ("end", "recordsPerMillisecond")
"""Options that a subtask has of its own, written with its index: "end.0"."""


class IllegalOptionError(ValueError):
    """An option that the source refuses; the text names the option, its value and the remedy."""


@dataclass(frozen=True)
class Sequence:
    """The numbers of one subtask, `first` to `last`, both included; empty if `last` is less.

    The record of number n has event time n ms. `records_per_millisecond`: at which rate of processing time
    the records become readable; None: all at once.
    """

    first: int
    last: int
    records_per_millisecond: Fraction | None = None

    def readable_at(self, now: int) -> int:
        """Return the last number that can be read at this processing time (ms since the source started)."""
        if self.records_per_millisecond is None:
            return self.last
        return min(self.last, self.first - 1 + int(self.records_per_millisecond * now))


@dataclass(frozen=True)
class Alignment:
    """What aligns a source: its group, how far it may be ahead (ms), and who else is in the group.

    `coordinator` is where the sources of the group meet, None if this is the only one. Nothing is read
    before `sources_in_group` sources have joined.
    """

    group: str
    drift: int
    coordinator: Address | None = None
    sources_in_group: int = 1


@dataclass(frozen=True)
class SourceOptions:
    """The options of a source, checked. `alignment` is None if it is not aligned (SOURCE-4).

    `clock_step`: the virtual time (ms) that passes at each planning; None: the wall clock.
    `rows_per_batch`: the most rows in a batch of this source. `name`: what the column "source" says; None:
    the identity of the source.
    """

    sequences: tuple[Sequence, ...]
    alignment: Alignment | None = None
    clock_step: int | None = None
    rows_per_batch: int = DEFAULT_ROWS_PER_BATCH
    name: str | None = None


def parse_options(options: Mapping[str, str]) -> SourceOptions:
    """Return the options as the source needs them; the case of their names does not matter.

    Raises `IllegalOptionError` for an unknown option, a value that is not one, and options that do not go
    together.
    """
    given = _Given(options)
    given.refuse_unknown()
    count = given.integer("numSubtasks", 1, 1, MOST_SUBTASKS)
    return SourceOptions(
        sequences=_sequences(given, count),
        alignment=_alignment(given),
        clock_step=given.duration("clockStep", least=1),
        rows_per_batch=given.integer("maxRowsPerBatch", DEFAULT_ROWS_PER_BATCH, 1, MOST_ROWS_PER_BATCH),
        name=given.text("sourceName"),
    )


class _Given:
    """The options as they were written, by lower-case name: Spark does not keep the case of names."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.values = {name.lower(): value.strip() for name, value in options.items()}

    def refuse_unknown(self) -> None:
        known = {name.lower() for name in PLAIN_OPTIONS}
        prefixes = tuple(f"{name.lower()}." for name in SUBTASK_OPTIONS)
        for name, value in self.values.items():
            if name not in known and not name.startswith(prefixes):
                refuse(name, value, f"there is no such option; there are {', '.join(all_names())}")

    def __contains__(self, name: str) -> bool:
        return name.lower() in self.values

    def value(self, name: str) -> str:
        return self.values[name.lower()]

    def text(self, name: str) -> str | None:
        if name not in self:
            return None
        return self.value(name) or refuse(name, "", "it is empty; write a text or leave the option out")

    def integer(self, name: str, default: int, least: int, most: int) -> int:
        if name not in self:
            return default
        value = self.value(name)
        if not re.fullmatch(r"[+-]?[0-9]{1,20}", value) or not least <= int(value) <= most:
            refuse(name, value, f"write a whole number from {least} to {most}")
        return int(value)

    def duration(self, name: str, least: int = 0) -> int | None:
        if name not in self:
            return None
        value = self.value(name)
        try:
            milliseconds = parse_duration(value)
        except ValueError as error:
            refuse(name, value, f'it {error}; write for example "30 seconds" or "500 milliseconds"')
        if not least <= milliseconds <= MAX:
            refuse(name, value, f"write a duration from {least} to {MAX} milliseconds")
        return milliseconds

    def by_subtask(self, name: str, count: int) -> dict[int, str]:
        """Return the options "name.<index>", by index."""
        prefix = f"{name.lower()}."
        found = {}
        for written, value in self.values.items():
            if not written.startswith(prefix):
                continue
            index = written.removeprefix(prefix)
            if not re.fullmatch(r"0|[1-9][0-9]{0,5}", index) or int(index) >= count:
                refuse(
                    f"{name}.{index}",
                    value,
                    f"the subtasks are 0 to {count - 1}; correct the index or raise numSubtasks",
                )
            found[int(index)] = value
        return found


def _sequences(given: _Given, count: int) -> tuple[Sequence, ...]:
    """Return the numbers of each subtask and their rate."""
    start = given.integer("start", 0, MIN, MAX)
    end = given.integer("end", MAX, MIN, MAX)
    _refuse_empty("end", end, start)
    split = (given.text("split") or "range").lower()
    own_ends = given.by_subtask("end", count)
    if split == "range":
        for index, value in own_ends.items():
            refuse(f"end.{index}", value, 'a range has one end; write split "repeat" or leave it out')
        borders = split_range(start, end, count)
    elif split == "repeat":
        borders = [(start, end)] * count
        for index in own_ends:
            own_end = given.integer(f"end.{index}", end, MIN, MAX)
            _refuse_empty(f"end.{index}", own_end, start)
            borders[index] = (start, own_end)
    else:
        refuse("split", split, 'write "range" or "repeat"')
    rates = given.by_subtask("recordsPerMillisecond", count)
    return tuple(
        Sequence(first, last, _rate(index, rates[index]) if index in rates else None)
        for index, (first, last) in enumerate(borders)
    )


def split_range(start: int, end: int, count: int) -> list[tuple[int, int]]:
    """Divide `start` to `end`, both included, into contiguous parts; the first ones get what is left over.

    It is how Flink's NumberSequenceSource divides its range.
    """
    each, left_over = divmod(end - start + 1, count)
    borders = []
    for index in range(count):
        size = each + (index < left_over)
        borders.append((start, start + size - 1))
        start += size
    return borders


def _alignment(given: _Given) -> Alignment | None:
    group = given.text("watermarkGroup")
    drift = given.duration("maxAllowedWatermarkDrift")
    for present, missing in (
        ("watermarkGroup", "maxAllowedWatermarkDrift"),
        ("maxAllowedWatermarkDrift", "watermarkGroup"),
        ("coordinator", "watermarkGroup"),
        ("sourcesInGroup", "watermarkGroup"),
    ):
        if present in given and missing not in given:
            refuse(present, given.value(present), f"set {missing} as well, or leave {present} out")
    if group is None or drift is None:
        return None
    sources = given.integer("sourcesInGroup", 1, 1, MOST_SUBTASKS)
    written = given.text("coordinator")
    if written is None:
        if sources > 1:
            refuse("sourcesInGroup", str(sources), "set coordinator to the address of coordination()")
        return Alignment(group, drift)
    try:
        address = Address.parse(written)
    except ValueError:
        refuse("coordinator", written, 'write the address that coordination() gave, "host:port/token"')
    return Alignment(group, drift, address, sources)


def _rate(index: int, value: str) -> Fraction:
    rate = Fraction(value) if re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,18})?", value) else Fraction(0)
    if rate <= 0:
        refuse(f"recordsPerMillisecond.{index}", value, 'write a number greater than 0, like "1" or "0.5"')
    return rate


def _refuse_empty(name: str, end: int, start: int) -> None:
    if end < start:
        refuse(name, str(end), f"it is included and must not be less than start, {start}")


def all_names() -> Iterable[str]:
    """Return the names of all options as a user writes them."""
    return (*PLAIN_OPTIONS, *(f"{name}.<subtask>" for name in SUBTASK_OPTIONS))


def refuse(name: str, value: str, remedy: str) -> NoReturn:
    """Raise `IllegalOptionError` in one line: option, value, remedy."""
    spelled = {known.lower(): known for known in (*PLAIN_OPTIONS, *SUBTASK_OPTIONS)}
    head, dot, index = name.partition(".")
    raise IllegalOptionError(f"option {spelled.get(head.lower(), head)}{dot}{index} = {value!r}: {remedy}")
