"""PySpark's TwsTester with guards: what it lets pass and a real query does not.

The processors here are right or wrong in one thing each, and small: most keep a number that each batch adds to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from pyspark import cloudpickle
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import ArrayType, StructType

from tidegauge_adapters.spark.tester.guarded_state import Entries
from tidegauge_adapters.spark.tester.guarded_tester import GuardedTester, Rows

NUMBER = StructType().add("number", "integer")
PAIRS = StructType().add("pairs", ArrayType(StructType().add("left", "long").add("right", "string")))
OUTPUT = StructType().add("key", "string").add("number", "long")


class Adding(StatefulProcessor):
    """Keeps the sum of what came, and answers by it; `step` in the subclasses says how."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.sum = handle.getValueState("sum", NUMBER)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        return iter([Row(key=key[0], number=self.step(sum(row.number for row in rows)))])

    def step(self, number: int) -> int:
        (before,) = self.sum.get() or (0,)
        self.sum.update((before + number,))
        return before + number

    def close(self) -> None:
        pass


class Listed(Adding):
    """Keeps a list instead, of state `sums` with `PAIRS`."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.sum = handle.getValueState("pairs", PAIRS)

    def step(self, number: int) -> int:
        (pairs,) = self.sum.get() or ([],)
        return self.changed(pairs, number)

    def changed(self, pairs: list[Any], number: int) -> int:
        pairs.append(Row(left=number, right="x"))
        self.sum.update((pairs,))
        return sum(pair.left for pair in pairs)


def batches(make: Callable[[], StatefulProcessor], *numbers: int) -> list[list[int] | Exception]:
    """What batches of one row each answer for one key; they end with the first that fails."""
    tester = GuardedTester([cloudpickle.dumps(make())], OUTPUT)
    states: dict[str, Entries] = {}
    found: list[list[int] | Exception] = []
    for number in numbers:
        rows: Mapping[str, tuple[int, Rows]] = {"k": (0, [{"key": "k", "number": number}])}
        answers, states = tester.batch(rows, states)
        answer = answers["k"]
        found.append(answer if isinstance(answer, Exception) else [row["number"] for row in answer])
        if isinstance(answer, Exception):
            break
    return found


def test_state_is_carried_from_batch_to_batch() -> None:
    assert batches(Adding, 1, 2, 3) == [[1], [3], [6]]


def test_what_a_processor_remembers_outside_its_state_is_lost() -> None:
    class Forgetful(Adding):
        total = 0

        def step(self, number: int) -> int:
            self.total += number
            return self.total

    assert batches(Forgetful, 1, 2, 3) == [[1], [2], [3]]


def test_structs_in_a_state_come_back_as_rows() -> None:
    assert batches(Listed, 1, 2) == [[1], [3]]


def test_state_that_is_changed_in_place_and_not_written_is_lost() -> None:
    class InPlace(Listed):
        def changed(self, pairs: list[Any], number: int) -> int:
            if not pairs:
                self.sum.update(([Row(left=100, right="x")],))
                return 0
            pairs.append(Row(left=number, right="x"))
            return sum(pair.left for pair in pairs)

    assert batches(InPlace, 1, 2, 3) == [[0], [102], [103]]


def test_state_that_is_changed_after_it_was_written_is_as_it_was_written() -> None:
    class WrittenEarly(Listed):
        def changed(self, pairs: list[Any], number: int) -> int:
            value = (pairs,)
            self.sum.update(value)
            pairs.append(Row(left=number, right="x"))
            return len(self.sum.get()[0])

    assert batches(WrittenEarly, 1, 2) == [[0], [0]]


def test_state_that_is_changed_in_place_and_written_as_the_same_object_is_kept() -> None:
    class SameObject(Listed):
        def step(self, number: int) -> int:
            value = self.sum.get() or ([],)
            value[0].append((number, "x"))
            self.sum.update(value)
            return sum(left for left, _ in value[0])

    assert batches(SameObject, 1, 2) == [[1], [3]]


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ((2**31,), "too large"),
        (("text",), "text"),
        ((1, 2), r"\(1, 2\) does not have the declared columns number"),
        ((), "does not have the declared columns number"),
        ({"number": 1}, "number"),
    ],
)
def test_a_state_that_does_not_fit_its_schema_is_found(value: Any, named: str) -> None:
    class Misfit(Adding):
        def step(self, number: int) -> int:
            self.sum.update(value)
            return 0

    (found,) = batches(Misfit, 1)
    assert type(found).__name__ == "RowDoesNotFit"
    with pytest.raises(TypeError, match=named):
        raise found  # type: ignore[misc]


def test_an_array_of_structs_that_are_too_short_is_found() -> None:
    class Short(Listed):
        def changed(self, pairs: list[Any], number: int) -> int:
            self.sum.update(([(1,)],))
            return 0

    (found,) = batches(Short, 1)
    assert "declared fields left, right" in str(found)


@pytest.mark.parametrize(
    ("row", "named"),
    [
        (Row(key="k", number=2**63), "declared schema"),
        (Row(key="k", number=1, more=2), "declared columns key, number"),
        (Row(key="k"), "declared columns key, number"),
        (("k", 1), "no Row with named columns"),
    ],
)
def test_an_output_row_that_does_not_fit_is_found(row: Any, named: str) -> None:
    class Misfit(Adding):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            return iter([row])

    (found,) = batches(Misfit, 1)
    assert named in str(found)


def test_the_order_of_output_columns_does_not_matter() -> None:
    class Reordered(Adding):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            return iter([Row(number=5, key=key[0])])

    assert batches(Reordered, 1) == [[5]]


def test_what_does_not_fit_costs_only_its_own_key() -> None:
    class Overflowing(Adding):
        def step(self, number: int) -> int:
            self.sum.update((number,))
            return number

    tester = GuardedTester([cloudpickle.dumps(Overflowing())], OUTPUT)
    rows = {
        name: (0, [{"key": name, "number": number}]) for name, number in [("a", 1), ("b", 2**40), ("c", 3)]
    }
    answers, states = tester.batch(rows, {})
    assert [isinstance(answers[key], Exception) for key in "abc"] == [False, True, False]
    assert sorted(states) == ["a", "c"]


class Mapped(Adding):
    """Keeps each number that came in a map, with how often it came."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.times = handle.getMapState("times", NUMBER, PAIRS)

    def step(self, number: int) -> int:
        (pairs,) = self.times.getValue((number,)) or ([],)
        self.times.updateValue((number,), ([*pairs, (number, "x")],))
        return 100 * len(list(self.times.keys())) + len(self.times.getValue((number,))[0])


def test_map_states_are_carried() -> None:
    assert batches(Mapped, 7, 7, 8, 7) == [[101], [102], [201], [203]]


def test_a_value_of_a_map_that_is_changed_in_place_is_not_written() -> None:
    class InPlace(Mapped):
        def step(self, number: int) -> int:
            if not self.times.containsKey((number,)):
                self.times.updateValue((number,), ([],))
            for _, (pairs,) in self.times.iterator():
                pairs.append((number, "x"))
            return len(self.times.getValue((number,))[0])

    assert batches(InPlace, 7, 7) == [[0], [0]]


def test_removed_keys_of_a_map_are_gone_and_so_is_a_cleared_state() -> None:
    class Removing(Mapped):
        def step(self, number: int) -> int:
            if number < 0:
                self.times.removeKey((-number,))
            elif number == 0:
                self.times.clear()
            else:
                self.times.updateValue((number,), ([],))
            return 10 * self.times.exists() + len(list(self.times.values()))

    assert batches(Removing, 1, 2, -1, -1, -2, 3, 4, 0) == [[11], [12], [11], [11], [0], [11], [12], [0]]


def test_the_keys_of_a_map_do_not_come_in_the_order_of_insertion() -> None:
    class FirstKey(Mapped):
        def step(self, number: int) -> int:
            super().step(number)
            return int(next(self.times.keys())[0])

    assert [answer for (answer,) in batches(FirstKey, 1, 2, 3)] != [1, 1, 1]  # type: ignore[misc]


def test_a_key_of_a_map_must_fit_its_schema() -> None:
    (found,) = batches(Mapped, 2**31)
    assert "declared schema" in str(found)


def test_list_states_are_carried_and_checked() -> None:
    class Appending(Adding):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.numbers = handle.getListState("numbers", NUMBER)

        def step(self, number: int) -> int:
            if number == 0:
                self.numbers.put([(9,)])
            else:
                self.numbers.appendList([(number,), (number,)])
            return int("".join(str(one) for (one,) in self.numbers.get()))

    *fitting, misfit = batches(Appending, 1, 2, 0, 3, 2**31)
    assert fitting == [[11], [1122], [9], [933]]
    assert "declared schema" in str(misfit)


def test_a_state_with_a_schema_in_ddl_is_read_without_spark() -> None:
    class Written(Adding):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.sum = handle.getValueState("sum", "number INT")

    assert batches(Written, 1) == batches(Adding, 1)


def test_a_state_with_an_unreadable_schema_is_refused_with_the_place() -> None:
    class Written(Adding):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.sum = handle.getValueState("sum", "number NUMBER")

    (found,) = batches(Written, 1)
    assert isinstance(found, ValueError)
    assert "state 'sum': the schema 'number NUMBER' has 'NUMBER' where a type" in str(found)


def test_a_state_that_is_declared_twice_is_refused_as_spark_does() -> None:
    class Twice(Adding):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.sum = handle.getValueState("sum", NUMBER)
            handle.getValueState("sum", NUMBER)

    (found,) = batches(Twice, 1)
    assert "'sum' is declared twice" in str(found)
