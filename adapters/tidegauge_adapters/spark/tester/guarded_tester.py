"""`ProcessorTester`, with guards against what the tester accepts and a real query rejects.

The tester drives a `StatefulProcessor` without a JVM, but serialises nothing: it accepts a number that does
not fit its column, a column that is not declared, and state that was changed in place and never
written. Here processors are pickled and new in each batch, and rows and state go through Arrow in their
declared schemas. In time mode "EventTime" each key has a watermark of its own.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import Row
from pyspark.sql.types import StructType

from tidegauge.engine.interruption import from_outside

from ..binding.processor_binding import TimeMode
from ..binding.processor_tester import ProcessorTester
from ..binding.step_rows import Rise, rows_of_steps, rows_of_timers
from .declared_schema import DeclaredSchema, RowDoesNotFit
from .guarded_state import Entries, GuardedProcessor, Place, decoded, encoded

Rows = list[dict[str, Any]]
Running = tuple[ProcessorTester, GuardedProcessor]

_TIMER = "$timer"
_WATERMARK = "$watermark"
"""Names of no state: Spark gives none with a dollar sign to a processor."""

_NO_VALUE = encoded(())
_NEVER_LATE = 2**63
"""The event time of each row, beyond every watermark: what is late the processor decides."""


class GuardedTester:
    """Runs batches of rows through `processors`, which are pickled; they answer by `output_schema`."""

    def __init__(
        self, processors: Sequence[bytes], output_schema: StructType, time_mode: TimeMode = "None"
    ) -> None:
        self._processors = processors
        self._time_mode = time_mode
        self._outputs = DeclaredSchema(output_schema)

    def batch(
        self, rows_of_keys: Mapping[str, tuple[int, Rows | Rise]], states: Mapping[str, Entries]
    ) -> tuple[dict[str, Rows | BaseException], dict[str, Entries]]:
        """One micro-batch: the number of the processor and the rows of each key, with the states before it.
        Instead of rows the watermark of a key may rise; its timers are entries like its states.

        Returns each key's output rows (or what the processor raised) and the states after it. A state that
        the processor did not write stays as it was, whatever it did to the object in place.
        """
        running: dict[int, Running] = {}
        failed: dict[str, Rows | BaseException] = {}
        given_out: dict[str, list[Row]] = {}
        after = dict(states)
        written = _WrittenStates()
        for key, (number, rows) in rows_of_keys.items():
            before = states.get(key, {})
            try:
                tester, processor = self._ready(running, number, key, before)
                if isinstance(rows, Rise):
                    given_out[key] = list(tester.setWatermark(rows.watermark))
                else:
                    given_out[key] = tester.test(key, [Row(**row) for row in rows])
                if self._time_mode != "None":
                    processor.entries |= _timers(tester, key)
                    processor.entries |= _watermark(rows) if isinstance(rows, Rise) else {}
            except BaseException as error:  # a processor's `SystemExit` costs one scenario, too
                if from_outside(error):
                    raise
                failed[key] = error
            else:
                after[key] = processor.entries
                written.add(key, before, processor)
        answers = failed | _fitting(self._outputs.rows, given_out)
        for key, (_, rows) in rows_of_keys.items() if self._time_mode != "None" else ():
            if isinstance(answer := answers[key], list):
                answers[key] = _laid(answer, rows)
        for key, stored in written.through_arrow().items():
            if isinstance(stored, Exception):
                answers[key] = stored
            else:
                after[key] = stored
        return answers, {key: after[key] for key in after if not isinstance(answers.get(key), BaseException)}

    def _ready(self, running: dict[int, Running], number: int, key: str, before: Entries) -> Running:
        """Return a tester with the states and timers of a key. In time mode "None" keys share a tester."""
        found = running.get(number)
        if found is None:
            timed = self._time_mode != "None"
            processor = GuardedProcessor(pickle.loads(self._processors[number]), at_once=timed)
            tester = ProcessorTester(
                processor, timeMode=self._time_mode, eventTimeExtractor=lambda row: _NEVER_LATE
            )
            found = tester, processor
        tester, processor = found
        processor.entries = dict(before)
        if self._time_mode == "None":
            running[number] = found
            return found
        if reached := watermark_of(before):
            tester.setWatermark(reached)
        tester.handle.setGroupingKey(key)
        for timer in [timer for name, timer in before if name == _TIMER]:
            tester.handle.registerTimer(timer)
            del processor.entries[_TIMER, timer]
        return found


def _laid(answer: Rows, to: Rows | Rise) -> Rows:
    """Output rows, to the steps in which they came."""
    if isinstance(to, Rise):
        return rows_of_timers(answer, to)
    return rows_of_steps(answer, {row["sequence"] for row in to})


def watermark_of(entries: Entries) -> int:
    """That of a key, in ms; Spark's starts at 0."""
    entry = entries.get((_WATERMARK, None))
    return 0 if entry is None else decoded(entry)[0]


def _watermark(rise: Rise) -> Entries:
    return {(_WATERMARK, None): encoded((rise.watermark,))}


def _timers(tester: ProcessorTester, key: str) -> Entries:
    tester.handle.setGroupingKey(key)
    return {(_TIMER, timer): _NO_VALUE for timer in tester.handle.listTimers()}


class _WrittenStates:
    """What processors wrote in a batch; it goes through Arrow all at once, which is a matter of speed."""

    def __init__(self) -> None:
        self._entries: dict[str, Entries] = {}
        self._values = _BySchema()
        self._map_keys = _BySchema()

    def add(self, key: str, before: Entries, processor: GuardedProcessor) -> None:
        """The entries of a key after a batch; each that was written is a new object."""
        self._entries[key] = processor.entries
        for place, entry in processor.entries.items():
            name, where = place
            if before.get(place) is not entry and name in processor.schemas:
                *of_map_keys, of_values = processor.schemas[name]
                self._values.add(of_values, key, place, decoded(entry))
                for schema in of_map_keys:
                    self._map_keys.add(schema, key, place, where)

    def through_arrow(self) -> dict[str, Entries | Exception]:
        """The entries of each key as they come back, or why they do not fit."""
        found: dict[str, Entries | Exception] = dict(self._entries)
        map_keys = self._map_keys.through_arrow()
        found |= {key: misfit for key, _, misfit in map_keys if isinstance(misfit, Exception)}
        for key, places, values in self._values.through_arrow():
            entries = found[key]
            if isinstance(values, Exception):
                found[key] = values
            elif not isinstance(entries, Exception):
                entries.update(zip(places, map(encoded, values), strict=True))
        return found


class _BySchema:
    """States, or keys of maps, of many grouping keys: those of the same schema together."""

    def __init__(self) -> None:
        self._schemas: dict[int, StructType] = {}  # by identity: to compare them takes long
        self._places: dict[int, dict[str, list[Place]]] = {}
        self._values: dict[int, dict[str, list[tuple[Any, ...]]]] = {}

    def add(self, schema: StructType, key: str, place: Place, value: tuple[Any, ...]) -> None:
        """A value at a place among the entries of a grouping key."""
        self._schemas[id(schema)] = schema
        self._places.setdefault(id(schema), {}).setdefault(key, []).append(place)
        self._values.setdefault(id(schema), {}).setdefault(key, []).append(value)

    def through_arrow(self) -> Iterator[tuple[str, list[Place], Any]]:
        """Grouping key, places and values as they come back; instead of these, why they do not fit."""
        for number, schema in self._schemas.items():
            fitting = _fitting(DeclaredSchema(schema).values, self._values[number])
            for key, places in self._places[number].items():
                yield key, places, fitting[key]


def _fitting(
    convert: Callable[[list[Any]], list[Any]], values_of_keys: Mapping[str, Sequence[Any]]
) -> dict[str, Any]:
    """Each key's values converted, or why they do not fit."""
    try:
        through = iter(convert([value for values in values_of_keys.values() for value in values]))
    except RowDoesNotFit:
        return {key: _fitting_or_not(convert, values) for key, values in values_of_keys.items()}
    return {key: [next(through) for _ in values] for key, values in values_of_keys.items()}


def _fitting_or_not(convert: Callable[[list[Any]], list[Any]], values: Sequence[Any]) -> Any:
    try:
        return convert(list(values))
    except RowDoesNotFit as error:
        return error
