"""What a user says of windows and their results, and how results are read without any Spark."""

from __future__ import annotations

from typing import Any

import pytest
import windowing_processors as samples
from pyspark.sql import Row
from pyspark.sql.types import DateType, DoubleType, IntegerType, StringType, TimestampType

from tidegauge import WindowShape
from tidegauge.wire.steps.window import Session as KitSession
from tidegauge.wire.steps.window import Sliding as KitSliding
from tidegauge_adapters.processors.watched.user_rows import UserRows, ms_of, time_of, value_of
from tidegauge_adapters.processors.windows import (
    ProcessorUnderTest,
    Session,
    Sliding,
    Tumbling,
    WindowResults,
    WindowsUnderTest,
)
from tidegauge_adapters.processors.windows.aggregates import Record, numbers_of_result, numbers_of_values
from tidegauge_adapters.processors.windows.durations import duration_ms
from tidegauge_adapters.processors.windows.record_book import RecordBook
from tidegauge_adapters.processors.windows.windows_binding import window_shape, windows_binding

MINUTE = Tumbling("1 minute")


def processor(**more: Any) -> ProcessorUnderTest:
    said: dict[str, Any] = {
        "make": samples.TumblingCount,
        "input_schema": "user string, ts long, value long, tags array<string>",
        "output_schema": "user string, start long, end long, n long",
        "key": "user",
        "time": "ts",
        "late_rows": "seen",
    }
    return ProcessorUnderTest(**{**said, **more})


def results(**more: Any) -> WindowResults:
    said: dict[str, Any] = {"assigner": MINUTE, "result": "n", "aggregate": "count", "start": "start"}
    return WindowResults(**{**said, **more})


@pytest.mark.parametrize(
    ("text", "ms"), [("1 minute", 60_000), ("90 Seconds", 90_000), ("-2 hours", -7_200_000), (5, 5)]
)
def test_a_duration_is_a_text_or_a_number_of_ms(text: str | int, ms: int) -> None:
    assert duration_ms(text, "size") == ms


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"assigner": "1 minute"}, "assigner: '1 minute' is not a kind of windows; give Tumbling"),
        ({"allowed_lateness": "soon"}, "allowed_lateness: 'soon' is not a duration; give a number of ms"),
        ({"allowed_lateness": -1}, "allowed_lateness: -1 is negative"),
        ({"trigger": "often"}, "trigger: 'often' is unknown; known are event-time, per-record"),
        ({"aggregate": "median"}, "aggregate: 'median' is unknown; known are values, count, sum"),
        ({"aggregate": "sum"}, "value: name the input column that is aggregated"),
        ({"start": None}, "start: name the output column"),
        ({"assigner": Session(5)}, "start, end: name both columns"),
        ({"accumulation": "accumulating-and-retracting"}, "retract: it belongs to accumulation="),
        ({"earliest": 5, "latest": 4}, "earliest: 5 is after latest, 4"),
    ],
)
def test_what_contradicts_itself_is_refused_in_one_line(more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")) as caught:
        results(**more)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("make", [lambda: Tumbling(0), lambda: Sliding("1 minute", 0), lambda: Session(-1)])
def test_a_window_has_a_length(make: Any) -> None:
    with pytest.raises(ValueError, match="it has to be 1 ms at least"):
        make()


@pytest.mark.parametrize(
    ("of_processor", "of_results", "message"),
    [
        ({"time_mode": "ProcessingTime"}, {}, "time_mode: 'ProcessingTime' has no watermark"),
        ({"form": "group-state", "state_schema": "n long"}, {}, 'form: "group-state" cannot be tested'),
        (
            {},
            {"value": "user", "aggregate": "sum"},
            "value: 'user' is not a column of input_schema beside key",
        ),
        ({}, {"value": "tags", "aggregate": "sum"}, "value: column 'tags' is array<string>"),
        ({}, {"end": "until"}, "end: column 'until' is not in output_schema; it has user, start, end, n"),
    ],
)
def test_a_description_that_does_not_fit_the_processor_is_refused(
    of_processor: dict[str, Any], of_results: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        windows_binding(processor(**of_processor), results(**of_results))


def test_the_shape_has_the_declared_windows_and_no_others() -> None:
    sliding = results(assigner=Sliding("1 minute", "10 seconds", "5 seconds"), allowed_lateness="1 second")
    assert window_shape(processor(), sliding) == WindowShape(
        assigners=("sliding",),
        sizes=(60_000,),
        every=(10_000,),
        begins_at=(5_000,),
        triggers=("event-time",),
        allowed_lateness=(1_000,),
        accumulation=("accumulating",),
        late_records=("drop",),
        statuses="none",
        lowest=-86_400_000,
        highest=4_102_444_800_000,
        no_timestamp=False,
        end_of_input=False,
    )
    days = processor(input_schema="user string, ts date")
    assert window_shape(days, results(assigner=Tumbling("7 days"))).resolution_ms == 86_400_000
    assert window_shape(processor(input_schema="user string, ts int"), results()).highest == 2**31 - 1


def test_a_subclass_without_a_description_of_its_own_is_one_of_its_base() -> None:
    class Base(WindowsUnderTest):
        processor = processor()
        windows = results()

    class Longer(Base):
        windows = results(assigner=Tumbling("2 minutes"))

    assert [one.bindings[0].shape.sizes for one in (Base, Longer)] == [(60_000,), (120_000,)]  # type: ignore[union-attr]


# Rows of the user


def test_rows_have_the_columns_and_the_types_of_the_user() -> None:
    said = processor(
        input_schema="shop string, till int, at timestamp, amount double, note string",
        key=("shop", "till"),
        time="at",
    )
    rows = UserRows(said.inputs, said.keys, "at", "amount", {"note": "cash"})
    assert rows.key("w:1") == ("w:1", 0)
    row = rows.row("w:1", 1_500, 7)
    assert row.asDict() == {
        "shop": "w:1",
        "till": 0,
        "at": time_of(TimestampType(), 1_500),
        "amount": 7.0,
        "note": "cash",
    }
    assert (ms_of(row.at), type(row.amount)) == (1_500, float)


def test_keys_that_are_numbers_are_made_of_the_name_of_a_scenario() -> None:
    said = processor(input_schema="user int, ts long", key="user")
    keys = [UserRows(said.inputs, said.keys, "ts", "", {}).key(name) for name in ("a", "b", "a")]
    assert keys[0] == keys[2] != keys[1]
    assert isinstance(keys[0][0], int)


def test_large_numbers_are_kept_small_enough_for_sums() -> None:
    assert value_of(IntegerType(), 2**53 - 1) < 1_000_000
    assert (value_of(StringType(), 12), value_of(DoubleType(), -3)) == ("12", -3.0)
    assert ms_of(time_of(DateType(), -86_400_000)) == -86_400_000


# Results


def records(*values: int) -> list[Record]:
    return [Record(place, value, float(value)) for place, value in enumerate(values)]


def test_a_result_that_equals_the_aggregate_of_its_records_stands_for_them() -> None:
    own = records(3, 5, 9)
    assert numbers_of_result(17.0000001, "sum", [own], own) == (3, 5, 9)
    assert numbers_of_result(3, "count", [own], own) == (3, 5, 9)
    assert numbers_of_result([9.0, 5.0], lambda values: sorted(values)[-2:][::-1], [own], own) == (3, 5, 9)


@pytest.mark.parametrize(
    ("total", "numbers"), [(14, (5, 9)), (9, (9,)), (22, (3, 5, 5, 9)), (28, (3, 5, 9, 11)), (1_000, ())]
)
def test_a_result_that_differs_stands_for_the_nearest_records(total: float, numbers: tuple[int, ...]) -> None:
    own = records(3, 5, 9)
    assert numbers_of_result(total, "sum", [own], [*own, *records(11)]) == numbers


def test_a_search_among_many_records_ends() -> None:
    own = records(*range(2_000))
    assert numbers_of_result(-1, "sum", [own], own) == ()


def test_an_aggregate_that_raises_for_the_records_of_a_window_is_named() -> None:
    def ratio(values: Any) -> float:
        return float(1 / (len(values) - 1))

    with pytest.raises(ValueError, match=r"aggregate raises for the values \[3.0\]: ZeroDivisionError"):
        numbers_of_result(1, ratio, [records(3)], ())


def test_values_are_those_of_records() -> None:
    own = records(3, 5, 5)
    assert numbers_of_values([5.0, 3.0, 5.0], own) == (3, 5, 5)
    assert numbers_of_values([4.0], own) is None


def test_a_window_has_the_records_that_came_in_time() -> None:
    book = RecordBook(KitSliding(60_000, 20_000), 0, "accumulating")
    early, late = Record(5_000, 1, 1), Record(6_000, 2, 2)
    book.see(early, is_accepted=True)
    book.advance(19_999)
    assert book.windows_over(6_000) == 1
    book.see(late, is_accepted=True)
    assert book.likely_records(-20_000, 40_000)[0] == [early, late]
    assert book.likely_records(-40_000, 20_000)[0] == []
    assert book.is_in_time(0)
    book.advance(59_999)
    assert not book.has_windows
    assert not book.is_in_time(0)


def test_sessions_merge_in_the_order_of_arrival_and_a_copy_stays_as_it_is() -> None:
    book = RecordBook(KitSession(10), 0, "discarding")
    later, earlier, between = Record(20, 1, 1), Record(0, 2, 2), Record(10, 3, 3)
    book.see(later, is_accepted=True)
    book.see(earlier, is_accepted=True)
    copy = book.copy()
    book.see(between, is_accepted=True)
    assert book.likely_records(0, 30)[0] == [later, earlier, between]
    assert copy.likely_records(0, 10)[0] == [earlier]
    book.has_fired(0, 30)
    assert book.likely_records(0, 30)[:2] == [[], [later, earlier, between]]


def test_one_border_of_a_window_gives_the_other() -> None:
    assert results().window_of(Row(start=60_000)) == (60_000, 120_000)
    nested = results(start=None, end="window.end")
    assert nested.window_of(Row(window=Row(end=time_of(TimestampType(), 60_000)))) == (0, 60_000)
    with pytest.raises(ValueError, match="has no start of a window; if it reports a late record, say so"):
        results().window_of(Row(start=None))
