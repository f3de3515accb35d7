"""Flink's published tests of its valve, as data: 2.3.0's under `flink-2.3`, the corrected ones under `core`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import ROOT

from tidegauge_reference import CORE, FLINK_2_3, Policies, Valve

LINES = (ROOT / "tests" / "data" / "flink" / "scenarios.jsonl").read_text(encoding="utf-8").splitlines()
SCENARIOS = [
    scenario for scenario in map(json.loads, LINES) if scenario["component"] == "status_watermark_valve"
]
POLICIES = {"2.3.0": FLINK_2_3, "post-2.3.0:FLINK-40475": CORE}


def do(valve: Valve, step: dict[str, Any]) -> list[list[Any]]:
    """One step, its outputs in the words of the scenarios."""
    arguments = step["args"]
    if step["do"] == "watermark":
        outputs = valve.watermark(arguments["channel"], arguments["ts"])
    else:
        methods = {"IDLE": valve.idle, "ACTIVE": valve.active}
        outputs = methods[arguments["status"]](arguments["channel"])
    return [list(output) if output[0] == "watermark" else ["status", output[0].upper()] for output in outputs]


def first_difference(scenario: dict[str, Any], policies: Policies) -> str | None:
    """Which expectation of a scenario the reference does not meet; None: it meets all."""
    valve = Valve(scenario["setup"]["channels"], policies)
    pending: list[list[Any]] = []
    for number, step in enumerate(scenario["steps"]):
        if "do" in step:
            pending += do(valve, step)
            continue
        expected = step["expect"]
        assert set(expected) <= {"outputs", "channel"}
        if "outputs" in expected:
            if pending != expected["outputs"]:
                return f"step {number}: expected {expected['outputs']}, got {pending}"
            pending = []
        if "channel" in expected:
            watermark, _, aligned = valve.state()[0][expected["channel"]["channel"]]
            stands = {"channel": expected["channel"]["channel"], "watermark": watermark, "aligned": aligned}
            if any(stands[name] != value for name, value in expected["channel"].items()):
                return f"step {number}: expected {expected['channel']}, the channel is {stands}"
    return None


def test_all_of_them_are_here_and_say_where_they_apply() -> None:
    applies_to = [scenario["applies_to"] for scenario in SCENARIOS]
    assert applies_to.count("2.3.0") == 17
    assert applies_to.count("post-2.3.0:FLINK-40475") == 3
    assert len(applies_to) == 20


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: str(scenario["id"]))
def test_the_reference_meets_every_expectation(scenario: dict[str, Any]) -> None:
    assert first_difference(scenario, POLICIES[scenario["applies_to"]]) is None


CORRECTED = [scenario for scenario in SCENARIOS if scenario["applies_to"] != "2.3.0"]


@pytest.mark.parametrize("scenario", CORRECTED, ids=lambda scenario: str(scenario["id"]))
def test_what_was_corrected_after_the_release_differs_under_the_release(scenario: dict[str, Any]) -> None:
    assert first_difference(scenario, FLINK_2_3) is not None
