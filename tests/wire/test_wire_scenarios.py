"""Scenarios on the wire: what is written is read again, and bad input is refused where it stands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.scenario import BadInput, component_of, encode_scenario, problems, read_scenarios
from tidegauge.wire.steps.valve import ActiveStep, IdleStep, ValveScenario, ValveSetup, WatermarkStep
from tidegauge.wire.vocabulary import Restore, Snapshot, Step

FULL = ValveScenario(
    id="full",
    setup=ValveSetup(2),
    history=(
        WatermarkStep(0, 5),
        WatermarkStep(1, "9007199254740993"),
        Snapshot(),
        IdleStep(0),
        ActiveStep(0),
        Restore(),
        WatermarkStep(-1, "MAX"),
    ),
    origin=Origin("seed", seed=1, index=7),
    needs=("snapshot", "int64"),
    groups=(3, 4),
)


def line(**changes: Any) -> bytes:
    """A scenario as a line, with changed fields."""
    plain = {
        "component": "valve",
        "id": "a",
        "setup": {"channels": 2},
        "history": [{"step": "idle", "channel": 0}],
    }
    return json.dumps({**plain, **changes}).encode()


def test_a_scenario_survives_the_trip() -> None:
    (again,) = read_scenarios([encode_scenario(FULL)], "file")
    assert again == FULL
    assert component_of(again) == "valve"


def test_the_wire_form_is_what_is_published() -> None:
    assert json.loads(encode_scenario(FULL)) == {
        "component": "valve",
        "id": "full",
        "setup": {"channels": 2},
        "history": [
            {"step": "watermark", "channel": 0, "timestamp": 5},
            {"step": "watermark", "channel": 1, "timestamp": "9007199254740993"},
            {"step": "snapshot"},
            {"step": "idle", "channel": 0},
            {"step": "active", "channel": 0},
            {"step": "restore"},
            {"step": "watermark", "channel": -1, "timestamp": "MAX"},
        ],
        "origin": {"kind": "seed", "seed": 1, "index": 7},
        "needs": ["snapshot", "int64"],
        "groups": [3, 4],
    }


def test_blank_lines_count_but_are_skipped() -> None:
    read = list(read_scenarios([b"", line(), b"  \t", line(id="b"), b"\n"], "file"))
    assert [scenario.id for scenario in read] == ["a", "b"]
    with pytest.raises(BadInput, match="file, line 3: "):
        list(read_scenarios([line(), b"", b"{}"], "file"))


def test_scenarios_before_a_bad_line_are_read() -> None:
    reading = read_scenarios([line(), b"nonsense"], "stdin")
    assert next(reading).id == "a"
    with pytest.raises(BadInput, match="stdin, line 2: not a scenario: JSON is malformed"):
        next(reading)


def steps(*given: dict[str, object]) -> bytes:
    """A scenario of these steps as a line."""
    return line(history=list(given))


IDLE = {"step": "idle", "channel": 0}

REFUSED = {
    "no object": (b"[]", "Expected `object`, got `array`"),
    "cut off": (line()[:-5], "Input data was truncated"),
    "not UTF-8": (line().replace(b'"a"', b'"\xff"'), "UTF-8"),
    "unknown component": (line(component="valves"), "Invalid value 'valves' - at `$.component`"),
    "no id": (line().replace(b'"id": "a", ', b""), "missing required field `id`"),
    "an unknown field": (line(step=1), "unknown field `step`"),
    "no channels": (line(setup={"channels": 0}), "Expected `int` >= 1 - at `$.setup.channels`"),
    "too many channels": (line(setup={"channels": 1025}), "Expected `int` <= 1024 - at `$.setup.channels`"),
    "an unknown step": (
        steps(IDLE, {"step": "watermrk"}),
        "Invalid value 'watermrk' - at `$.history[1].step`",
    ),
    "a field too many": (
        steps(IDLE, {**IDLE, "timestamp": 1}),
        "unknown field `timestamp` - at `$.history[1]`",
    ),
    "a field missing": (steps({"step": "watermark", "channel": 0}), "missing required field `timestamp`"),
    "a channel in words": (steps({**IDLE, "channel": "0"}), "got `str` - at `$.history[0].channel`"),
    "a channel beyond": (steps({**IDLE, "channel": 2**31}), "<= 2147483647 - at `$.history[0].channel`"),
    "a channel far below": (
        steps({**IDLE, "channel": -(2**31) - 1}),
        ">= -2147483648 - at `$.history[0].channel`",
    ),
    "another protocol": (line(protocol=2), "protocol 2 is not 1 - at `$.protocol`"),
    "groups that do not add up": (line(groups=[2]), "groups do not add up to the 1 steps - at `$.groups`"),
    "an empty group": (line(groups=[1, 0]), "a group needs at least one step - at `$.groups`"),
    "a snapshot unannounced": (
        steps(IDLE, {"step": "snapshot"}),
        "this step needs the capability 'snapshot' in `$.needs` - at `$.history[1]`",
    ),
    "a restore unannounced": (
        line(history=[{"step": "snapshot"}, {"step": "restore"}]),
        "this step needs the capability 'snapshot' in `$.needs` - at `$.history[0]`",
    ),
    "a restore of nothing": (
        line(history=[IDLE, {"step": "restore"}, {"step": "snapshot"}], needs=["snapshot"]),
        "restore without a snapshot before it - at `$.history[1]`",
    ),
    "an unknown origin": (line(origin={"kind": "dream"}), "Invalid enum value 'dream' - at `$.origin.kind`"),
}


@pytest.mark.parametrize(("bad", "problem"), REFUSED.values(), ids=REFUSED)
def test_bad_input_is_refused_with_line_and_path(bad: bytes, problem: str) -> None:
    with pytest.raises(BadInput) as refused:
        list(read_scenarios([b"", bad], "some/file.jsonl"))
    message = str(refused.value)
    assert message.startswith("some/file.jsonl, line 2: ")
    assert problem.lower() in message.lower()
    assert "\n" not in message


def test_an_id_stands_once() -> None:
    with pytest.raises(BadInput, match="file, line 3: the id 'a' stands in line 1 already - at `\\$.id`"):
        list(read_scenarios([line(), line(id="b"), line()], "file"))


def scenario(*history: Step, **fields: Any) -> ValveScenario:
    """A scenario of two channels."""
    return ValveScenario(id="x", setup=ValveSetup(2), history=history, **fields)  # type: ignore[arg-type]


def test_a_legal_scenario_has_no_problems() -> None:
    assert problems(FULL) == []
    assert problems(scenario()) == []
    assert problems(scenario(IdleStep(0), IdleStep(7))) == []
    assert problems(scenario(IdleStep(0), IdleStep(1), groups=(1, 1))) == []
    assert problems(scenario(Snapshot(), Restore(), Restore(), needs=("snapshot",))) == []


def test_all_problems_are_found_at_once() -> None:
    found = problems(scenario(Restore(), WatermarkStep(0, "9223372036854775808"), groups=(1, 0), protocol=3))
    assert len(found) == 6
    places = [problem.rpartition(" - at ")[2] for problem in found]
    assert places == [
        "`$.protocol`",
        "`$.groups`",
        "`$.groups`",
        "`$.history[0]`",
        "`$.history[0]`",
        "`$.history[1].timestamp`",
    ]
