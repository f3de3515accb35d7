"""Findings, summed up, and the fewest rules that account for failures."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from engines import ValveAdapter, compared, histories, valve_scenario
from msgspec.structs import replace

from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.items.blame import Spectrum
from tidegauge.judging.items.item_report import Counted, FoundFailure
from tidegauge.judging.items.merged import Findings, merged
from tidegauge.judging.jobs.blamed import Blamed, blamed_rules
from tidegauge.wire.transcript import Transcript
from tidegauge_reference import Valve


def failure(
    *cited: str, steps: int = 1, deterministic: bool = True, property: str | None = None, name: str = "found"
) -> FoundFailure:
    """A failing history of so many steps in which these decisions were made."""
    scenario = valve_scenario(1, *("i0",) * steps)
    return FoundFailure(
        scenario,
        Transcript(scenario.id, ()),
        name,
        list(cited),
        deterministic=deterministic,
        property=property,
    )


def findings(*failures: FoundFailure, counted: Mapping[str, int] | None = None) -> Findings:
    """What a run found: its failures (each diverging once), and scenarios in which rules decided rightly."""
    spectrum = Spectrum({}, {}, 0)
    for found in failures:
        spectrum.add(True, found.cited)
    for rule, scenarios in (counted or {}).items():
        for _ in range(scenarios):
            spectrum.add(False, [rule])
    return Findings(
        failures=list(failures),
        failing=len(failures),
        spectrum=spectrum,
        rules={rule: Counted(scenarios, scenarios) for rule, scenarios in (counted or {}).items()},
    )


def test_the_fewest_rules_that_account_for_the_failures_are_blamed() -> None:
    found = findings(
        failure("VALVE-6", "VALVE-2", name="a"),
        failure("VALVE-6", "VALVE-3", name="b"),
        failure("VALVE-10", name="c"),
        counted={"VALVE-2": 20, "VALVE-3": 20},
    )
    assert set(blamed_rules(found, COMPONENTS)) == {"VALVE-6", "VALVE-10"}


def test_equally_suspicious_rules_are_blamed_together() -> None:
    assert set(blamed_rules(findings(failure("VALVE-6", "VALVE-7")), COMPONENTS)) == {"VALVE-6", "VALVE-7"}


def test_a_blamed_rule_shows_its_smallest_failure() -> None:
    found = findings(
        failure("VALVE-6", steps=5, name="long"),
        failure("VALVE-6", steps=2, name="short"),
        failure("VALVE-6", steps=1, name="shortest, but of a property", property="valve-shift"),
    )
    blamed = blamed_rules(found, COMPONENTS)["VALVE-6"]
    assert isinstance(blamed, Blamed)
    assert blamed.failure.found_as == "short"
    assert blamed.suspects[0][0] == "VALVE-6"


def test_nothing_is_blamed_where_nothing_fails() -> None:
    assert blamed_rules(findings(counted={"VALVE-3": 3}), COMPONENTS) == {}


def test_findings_of_two_items_add_up() -> None:
    reports = [compared(ValveAdapter(), histories(50, seed)) for seed in (1, 2)]
    found = merged([replace(report, item=str(number)) for number, report in enumerate(reports)])
    assert found.scenarios == 100
    assert found.rules["VALVE-3"].scenarios == sum(report.rules["VALVE-3"].scenarios for report in reports)


class Unsteady(Valve):
    """Whether it outputs depends on how many were made before it."""

    made = 0

    def __init__(self, channels: int) -> None:
        super().__init__(channels)
        Unsteady.made += 1
        self.silent = Unsteady.made % 3 == 0

    def watermark(self, channel: int, timestamp: int) -> list[tuple[str] | tuple[str, int]]:
        outputs = super().watermark(channel, timestamp)
        return [] if self.silent else outputs


@pytest.mark.parametrize("count", [30, 300])
def test_failures_of_an_engine_that_changes_its_answers_say_so(count: int) -> None:
    report = compared(ValveAdapter(Unsteady), histories(count))
    blamed = blamed_rules(merged([report]), COMPONENTS)
    assert blamed
    assert not all(one.failure.deterministic for one in blamed.values())
