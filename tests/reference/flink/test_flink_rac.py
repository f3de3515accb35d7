"""Under `flink-2.3` combined record attributes are what Apache Flink 2.3.0 gave (`data/flink/README.md`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flink_facts import IS_OWN, Trace, corpus, scenarios_of, traces_of

from tidegauge_reference import CORE, FLINK_2_3, IllegalArgument, Policies
from tidegauge_reference.backlog import AttributesCombiner

TRACES = [trace for file in corpus("rac") for trace in traces_of(file)]
SCENARIOS = scenarios_of("record_attributes_combiner")
SCENARIO_IDS = [scenario["id"] for scenario in SCENARIOS]


def answer(combiner: AttributesCombiner, channel: int, backlog: bool | None) -> list[list[Any]]:
    """What the reference outputs, in the words of the recording; an error's class is Java's own affair."""
    if backlog is None:
        return [["x"]]  # a type error of the caller: the reference has no such value
    try:
        outputs = combiner.attributes(channel, backlog)
    except IllegalArgument:
        return [["x"]]
    return [["b", output[1]] for output in outputs]


def first_difference(trace: Trace, policies: Policies, without_strategy: tuple[int, ...] = ()) -> str | None:
    """Where the reference departs from a trace; None: nowhere."""
    try:
        combiner = AttributesCombiner(trace["n"], without_strategy, policies)
    except IllegalArgument:
        return None if "ctor" in trace else f"{trace['id']}: Flink has such a combiner, the reference not"
    if "ctor" in trace:
        return f"{trace['id']}: Flink {trace['ctor']}, the reference has such a combiner"
    for number, (step, outputs) in enumerate(zip(trace["steps"], trace["out"], strict=True)):
        recorded = [["x"] if output[0] == "x" else output for output in outputs]
        given = answer(combiner, *step)
        if given != recorded:
            return f"{trace['id']}, step {number} {step}: Flink {outputs}, reference {given}"
    return None


def silent_channels(trace: Trace) -> tuple[int, ...]:
    """The channels that never report in a trace."""
    heard = {channel for channel, backlog in trace["steps"] if backlog is not None}
    return tuple(channel for channel in range(trace["n"]) if channel not in heard)


def before_a_null(trace: Trace) -> Trace:
    """The trace up to its first null, that step included. Flink answers a null with an exception after it has
    stored it, so that it counts that channel a second time when it reports again: a defect of what is no
    value here at all, and the reference's refused steps change nothing."""
    values = [backlog for _, backlog in trace["steps"]]
    if "ctor" in trace or None not in values:
        return trace
    length = values.index(None) + 1
    return {**trace, "steps": trace["steps"][:length], "out": trace["out"][:length]}


def test_every_trace_is_reproduced_up_to_a_null() -> None:
    assert TRACES
    known = [before_a_null(trace) for trace in TRACES]
    differences = [found for trace in known if (found := first_difference(trace, FLINK_2_3)) is not None]
    assert not differences, "\n".join(
        [f"{len(differences)} of {len(TRACES)} traces differ", *differences[:5]]
    )


@pytest.mark.skipif(not IS_OWN, reason="another recording may have other nulls")
def test_what_differs_after_a_null() -> None:
    assert sum(before_a_null(trace) != trace for trace in TRACES) == 24
    different = [trace["id"] for trace in TRACES if first_difference(trace, FLINK_2_3) is not None]
    assert len(different) == 8


@pytest.mark.skipif(not IS_OWN, reason="another recording may be of any size")
def test_the_corpus_of_the_project_is_whole() -> None:
    assert len(TRACES) == 400
    assert sum("ctor" in trace for trace in TRACES) == 6


def test_flink_waits_for_every_channel_whatever_is_declared_about_it() -> None:
    """Flink knows no declaration: the policy decides whether one of the silent channels means anything."""
    known = [before_a_null(trace) for trace in TRACES]
    declared = [(trace, silent) for trace in known if (silent := silent_channels(trace))]
    assert declared
    assert all(first_difference(trace, FLINK_2_3, silent) is None for trace, silent in declared)
    policies = replace(FLINK_2_3, backlog_channels_without_strategy=CORE.backlog_channels_without_strategy)
    assert any(first_difference(trace, policies, silent) is not None for trace, silent in declared)


def test_a_wrong_output_is_noticed() -> None:
    trace = next(trace for trace in TRACES if "out" in trace and trace["out"][0] == [])
    wrong = {**trace, "out": [[["b", False]], *trace["out"][1:]]}
    assert first_difference(trace, FLINK_2_3) is None
    assert "step 0" in str(first_difference(wrong, FLINK_2_3))
    assert "ctor" not in trace
    assert first_difference({**trace, "ctor": "java.lang.NegativeArraySizeException"}, FLINK_2_3) is not None
    refused = next(trace for trace in TRACES if "ctor" in trace)
    assert first_difference({**refused, "n": 1, "out": []}, FLINK_2_3) is not None


def test_all_scenarios_are_here_and_say_where_they_apply() -> None:
    assert [scenario["applies_to"] for scenario in SCENARIOS] == ["2.3.0"] * 3


@pytest.mark.parametrize("scenario", SCENARIOS, ids=SCENARIO_IDS)
@pytest.mark.parametrize("policies", [CORE, FLINK_2_3], ids=["core", "flink-2.3"])
def test_the_reference_meets_every_expectation(scenario: dict[str, Any], policies: Policies) -> None:
    combiner = AttributesCombiner(scenario["setup"]["channels"], (), policies)
    since: list[list[Any]] = []
    for step in scenario["steps"]:
        if "do" in step:
            assert step["do"] == "attributes"
            outputs = combiner.attributes(step["args"]["channel"], step["args"]["backlog"])
            since += [["backlog", output[1]] for output in outputs]
        else:
            assert step["expect"] == {"outputs": since}
            since = []
