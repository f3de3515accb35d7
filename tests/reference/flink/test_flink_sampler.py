"""Recordings of Flink's WatermarkSampler (`sampler`), and Flink's own tests of it."""

from __future__ import annotations

from functools import cache
from typing import Any

import flink_facts
import pytest
from flink_source import settings

from tidegauge_reference import CORE, FLINK_2_3, MIN, IllegalArgument, Policies
from tidegauge_reference.generators import NoWatermarks
from tidegauge_reference.source_operator import MAIN, Alignment

CALLS = {"l": "add_latest", "s": "sample"}


class Sampler:
    """The samples of one watermark, which the reference keeps only under the policy."""

    def __init__(self, capacity: int, policies: Policies = FLINK_2_3) -> None:
        self.alignment = Alignment(settings(NoWatermarks, None, buffer_size=capacity), policies)
        self.latest = MIN

    def do(self, call: str, *timestamps: int) -> None:
        """`add_latest` or `sample`."""
        if call == "add_latest":
            (self.latest,) = timestamps
        else:
            self.alignment.sample(MAIN, self.latest)

    def reading(self) -> dict[str, int]:
        """The newest watermark, and the one that counts."""
        return {"latest": self.latest, "oldest": self.alignment.counted(MAIN, self.latest)}


@cache
def traces() -> tuple[flink_facts.Trace, ...]:
    """All recordings."""
    return tuple(trace for file in flink_facts.corpus("sampler") for trace in flink_facts.traces_of(file))


def first_difference(trace: flink_facts.Trace, policies: Policies = FLINK_2_3) -> str | None:
    """Where the reference departs from a trace; None: nowhere."""
    try:
        sampler = Sampler(trace["cap"], policies)
    except IllegalArgument:
        refused = all(output[0] == "x" for outputs in trace["out"] for output in outputs)
        return None if refused else f"{trace['id']}: the reference refuses the capacity"
    for number, ((kind, *timestamps), outputs) in enumerate(zip(trace["steps"], trace["out"], strict=True)):
        sampler.do(CALLS[kind], *timestamps)
        given = [["r", *sampler.reading().values()]]
        if given != outputs:
            return f"{trace['id']}, step {number}: Flink {outputs}, reference {given}"
    return None


def test_every_trace_is_reproduced() -> None:
    assert traces()
    assert [found for trace in traces() if (found := first_difference(trace)) is not None] == []


@pytest.mark.skipif(not flink_facts.IS_OWN, reason="the number is that of the project's own recordings")
def test_the_recordings_of_the_project_are_whole() -> None:
    assert len(traces()) == 200


def test_a_wrong_output_is_noticed_and_the_policy_is_needed() -> None:
    trace = next(trace for trace in traces() if trace["cap"] > 0)
    (_, latest, oldest), *others = trace["out"][0]
    assert first_difference({**trace, "out": [[["r", latest, oldest + 1], *others], *trace["out"][1:]]})
    assert any(first_difference(trace, CORE) for trace in traces())


SCENARIOS = flink_facts.scenarios_of("watermark_sampler")


def unmet(scenario: dict[str, Any]) -> list[int]:
    """The steps of a scenario whose expectations the reference does not meet."""
    sampler = Sampler(scenario["setup"]["capacity"])
    found = []
    for number, step in enumerate(scenario["steps"]):
        if "do" in step:
            sampler.do(step["do"], *step["args"].values())
        elif step["expect"] != sampler.reading():
            found.append(number)
    return found


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: str(scenario["id"]))
def test_the_reference_meets_flinks_own_tests(scenario: dict[str, Any]) -> None:
    assert scenario["applies_to"] == "2.3.0"
    assert unmet(scenario) == []


def test_all_of_them_are_here() -> None:
    assert len(SCENARIOS) == 3
