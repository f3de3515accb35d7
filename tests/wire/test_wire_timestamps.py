"""Timestamps on the wire: numbers that every JSON reader keeps, names for the ends, strings beyond."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegauge.wire.scenario import BadInput, Scenario, encode_scenario, read_scenarios
from tidegauge.wire.timestamps import LARGEST_PLAIN, MAX, MIN, from_wire, to_wire


def scenario_line(timestamp: object, needs: tuple[str, ...] = ("int64",)) -> bytes:
    """A scenario of one watermark as a line."""
    step = {"step": "watermark", "channel": 0, "timestamp": timestamp}
    return json.dumps(
        {"component": "valve", "id": "a", "setup": {"channels": 1}, "needs": needs, "history": [step]}
    ).encode()


def read(line: bytes) -> Scenario:
    """The one scenario of a line."""
    (scenario,) = read_scenarios([line], "file")
    return scenario


WIRE_FORMS = {
    0: 0,
    -1: -1,
    LARGEST_PLAIN: 9007199254740991,
    -LARGEST_PLAIN: -9007199254740991,
    LARGEST_PLAIN + 1: "9007199254740992",
    -LARGEST_PLAIN - 1: "-9007199254740992",
    MAX - 1: "9223372036854775806",
    MIN + 1: "-9223372036854775807",
    MAX: "MAX",
    MIN: "MIN",
}


@pytest.mark.parametrize(("milliseconds", "wire"), WIRE_FORMS.items(), ids=map(str, WIRE_FORMS.values()))
def test_a_timestamp_has_one_wire_form(milliseconds: int, wire: int | str) -> None:
    assert to_wire(milliseconds) == wire
    assert type(to_wire(milliseconds)) is type(wire)
    assert from_wire(wire) == milliseconds


@settings(database=None, deadline=None, derandomize=True, max_examples=300)
@given(milliseconds=st.integers(MIN, MAX))
def test_a_timestamp_survives_the_trip(milliseconds: int) -> None:
    line = scenario_line(to_wire(milliseconds))
    (step,) = read(line).history
    assert from_wire(step.timestamp) == milliseconds  # type: ignore[union-attr]
    assert read(encode_scenario(read(line))) == read(line)


@pytest.mark.parametrize("timestamp", WIRE_FORMS.values(), ids=str)
def test_the_wire_forms_are_read(timestamp: int | str) -> None:
    assert read(scenario_line(timestamp)).history[0].timestamp == timestamp  # type: ignore[union-attr]


AT_TIMESTAMP = "file, line 1: .* - at `\\$\\.history\\[0\\]\\.timestamp`"


@pytest.mark.parametrize(
    ("timestamp", "problem"),
    [
        (2**53, "Expected `int` <= 9007199254740991"),
        (-(2**53), "Expected `int` >= -9007199254740991"),
        (2**63 - 1, "Expected `int` <= 9007199254740991"),
        (-(2**63), "Expected `int` >= -9007199254740991"),
        (2**63, "Expected `int` <= 9007199254740991"),
        (10**30, "Expected `int` <= 9007199254740991"),
        (1.0, "got `float`"),
        (1e300, "got `float`"),
        (True, "got `bool`"),
        (None, "got `null`"),
        ("max", 'Expected a number, "MIN" or "MAX"'),
        ("MAX\n", 'Expected a number, "MIN" or "MAX"'),
        ("9007199254740992\n", 'Expected a number, "MIN" or "MAX"'),
        ("", 'Expected a number, "MIN" or "MAX"'),
        ("12", 'Expected a number, "MIN" or "MAX"'),
        ("+9007199254740992", 'Expected a number, "MIN" or "MAX"'),
        ("09007199254740992", 'Expected a number, "MIN" or "MAX"'),
        ("99999999999999999999", 'Expected a number, "MIN" or "MAX"'),
        ("9007199254740991", "write 9007199254740991 for the string"),
        ("9223372036854775807", "write 'MAX' for the string"),
        ("-9223372036854775808", "write 'MIN' for the string"),
        ("9223372036854775808", "is not a signed 64-bit number"),
        ("-9223372036854775809", "is not a signed 64-bit number"),
    ],
    ids=repr,
)
def test_any_other_form_is_refused_with_its_place(timestamp: object, problem: str) -> None:
    with pytest.raises(BadInput, match=AT_TIMESTAMP) as refused:
        read(scenario_line(timestamp))
    assert problem in str(refused.value)


def test_a_string_beyond_the_plain_range_needs_the_capability() -> None:
    assert read(scenario_line("9007199254740992")).needs == ("int64",)
    with pytest.raises(BadInput, match=AT_TIMESTAMP) as refused:
        read(scenario_line("9007199254740992", needs=()))
    assert "needs the capability 'int64'" in str(refused.value)


@pytest.mark.parametrize("timestamp", ["MIN", "MAX", LARGEST_PLAIN])
def test_the_ends_and_plain_numbers_need_no_capability(timestamp: int | str) -> None:
    assert read(scenario_line(timestamp, needs=())).needs == ()
