"""An engine with several defects at once, as real ones are: broken rules are named, and no others."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from engines import ValveAdapter, compared, cover_sample, histories
from judged import accusations_in

from tidegauge.engine.limits import NoAnswer
from tidegauge.judging.reference.oracle import Expectation, expect
from tidegauge.wire.vocabulary import Error
from tidegauge_reference import CORE, FLINK_2_3, Policies, Valve

BEFORE_FLINK_40475 = replace(FLINK_2_3, valve_finished_channel="leaves")
FINISHED_COUNTS = replace(CORE, valve_finished_channel="counts")
FLUSH_AND_RETURN = {"VALVE-12", "VALVE-15"}
FINISHED = {"VALVE-17", "VALVE-18", "VALVE-20", "VALVE-21"}


@pytest.mark.parametrize(
    ("policies", "named", "broken"),
    [
        pytest.param(BEFORE_FLINK_40475, FLUSH_AND_RETURN, FLUSH_AND_RETURN, marks=pytest.mark.slower),
        (FINISHED_COUNTS, {"VALVE-20"}, FINISHED),
        pytest.param(
            FLINK_2_3,
            FLUSH_AND_RETURN,
            FLUSH_AND_RETURN | FINISHED | {"VALVE-6"},
            marks=pytest.mark.slower,
        ),
    ],
    ids=["before FLINK-40475", "a finished channel counts", "Flink 2.3"],
)
def test_broken_rules_are_blamed_and_no_others(policies: Policies, named: set[str], broken: set[str]) -> None:
    adapter = ValveAdapter(lambda channels: Valve(channels, policies))
    parts = {
        "large cover": cover_sample(5),
        "small cover": cover_sample(1, "2-channels-1-timestamp-and-end"),
        "histories": histories(3000),
    }
    reports = []
    for item, scenarios in parts.items():
        report = compared(adapter, scenarios)
        report.item = item
        reports.append(report)
    accused = accusations_in(*reports)
    assert named <= {rule for one in accused for rule in one.rules}
    assert all(set(one.rules) & broken for one in accused)


def test_any_decision_of_the_reference_can_be_turned_round() -> None:
    """What an engine that breaks the rule would do must be known somewhere, or the second opinion is silent on
    it. Turned, one decision leaves no channel whose watermark could be flushed."""
    made, turned = set(), set()
    for scenario in histories(300) + cover_sample(400) + cover_sample(7, "2-channels-1-timestamp-and-end"):
        right = expect(scenario, CORE)
        decisions = {decision for step in right.cited for decision in step} - {"VALVE-22", "VALVE-22!"}
        made |= decisions
        for decision in decisions - turned:
            with suppress(NoAnswer, ValueError):
                if errors(expect(scenario, CORE, flipped=decision)) == errors(right):
                    turned.add(decision)
    assert len(made) > 30
    assert made - turned == {"VALVE-18!"}


def errors(expectation: Expectation) -> list[Error]:
    """The refusals among the outputs."""
    return [output for outputs in expectation.outputs for output in outputs if isinstance(output, Error)]
