"""Verdicts on engines with fewer features: what lies outside of a declared shape is not applicable, and what an
adapter hides beyond that is not tested."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from judged import events_of, judged, results_of
from msgspec.structs import replace

from tidegauge import ClockShape, ComponentAdapter, Implementation, Scenario, Session, ValveShape, WindowShape
from tidegauge.components.registry import load_mutants
from tidegauge.components.shared.upstream import breach_of
from tidegauge.engine.expressed_shape import drawn_shapes
from tidegauge.engine.mutant_adapter import MutantAdapter
from tidegauge.engine.never_sent import never_sent
from tidegauge.wire.results import Results
from tidegauge.wire.shapes import AnyShape
from tidegauge.wire.steps.clock import PauseStep
from tidegauge.wire.steps.window import Tumbling, WatermarkStep, WindowSetup
from tidegauge.wire.transcript import Outputs
from tidegauge.wire.vocabulary import Setup, Step
from tidegauge.words.conclusion import conclude, in_a_few_words
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE, MIN
from tidegauge_reference.clock import PausableClock
from tidegauge_reference.valve import Valve

ONCE = WindowShape(
    assigners=("tumbling",),
    offsets=False,
    triggers=("event-time",),
    allowed_lateness=(0,),
    accumulation=("discarding",),
    late_records=("output",),
)


class Narrowed(ReferenceAdapter):
    """The reference, which declares fewer features than it has."""

    declared: tuple[AnyShape, ...] = (ONCE, ValveShape(statuses="none"))

    def describe(self) -> Implementation:
        return replace(super().describe(), shapes=self.declared)


class NarrowMutant(MutantAdapter):
    """A mutant of the window component that declares a shape."""

    def __init__(self, name: str, shape: AnyShape | None) -> None:
        super().__init__(load_mutants()[name], {})
        self.shape = shape

    def describe(self) -> Implementation:
        return replace(super().describe(), shapes=() if self.shape is None else (self.shape,))


class HidesWindows(NarrowMutant):
    """A mutant whose adapter expresses only the windows of `ONCE` and declares no shape."""

    def __init__(self, name: str) -> None:
        super().__init__(name, None)

    def inexpressible(self, scenario: Scenario) -> str | None:
        setup = scenario.setup
        assert isinstance(setup, WindowSetup)
        plain = WindowSetup(setup.assigner, accumulation="discarding")
        if not isinstance(setup.assigner, Tumbling) or setup.assigner.offset:
            return "windows other than tumbling ones"
        return None if setup == plain else "lateness, triggers and modes"


def run_of(adapter: Any, folder: Path, component: str) -> Results:
    return results_of(events_of(adapter, folder, components=[component]), folder, adapter)


def verdicts_of(results: Results) -> dict[str, str]:
    return {rule.id: rule.verdict for rule in results.rules}


def test_an_engine_with_fewer_features_conforms_within_its_shape(tmp_path: Path) -> None:
    results = run_of(Narrowed({}), tmp_path, "valve")
    assert results.exit_code == 0
    verdicts = verdicts_of(results)
    outside = {rule for rule, verdict in verdicts.items() if verdict == "not-applicable"}
    assert {"VALVE-6", "VALVE-8", "VALVE-9", "VALVE-12", "VALVE-14"} <= outside
    assert {verdicts[f"VALVE-{number}"] for number in (1, 2, 3, 19, 22, 23)} == {"pass"}
    reasons = {rule.reason for rule in results.rules if rule.id in outside}
    assert reasons == {"the rule is about features outside the declared shape: statuses of channels"}
    assert not {found.verdict for found in results.properties} & {"fail", "not-tested"}
    conclusion = conclude(results)
    assert conclusion.headline == f"Conforms within its shape: all {23 - len(outside)} claimed rules pass"
    assert "Tested within the declared shape of the engine: window: tumbling windows only" in " ".join(
        conclusion.remarks
    )
    assert in_a_few_words(results).endswith("within its shape")


@pytest.mark.slower
def test_rules_that_no_window_that_fires_once_can_break_are_not_applicable(tmp_path: Path) -> None:
    verdicts = verdicts_of(run_of(Narrowed({}), tmp_path, "window"))
    outside = {"WIN-2", "WIN-4", "WIN-5", "WIN-8", "WIN-9"}
    assert {rule for rule, verdict in verdicts.items() if verdict != "pass"} == outside


@pytest.mark.slower
@pytest.mark.parametrize(
    ("mutant", "rule"),
    [
        ("window-state-kept-for-ever", "WIN-13"),
        ("window-expires-a-millisecond-early", "WIN-10"),
        ("window-fires-at-its-end", "WIN-3"),
    ],
)
def test_a_mutant_with_fewer_features_fails(mutant: str, rule: str, tmp_path: Path) -> None:
    """Only long scenarios detect state that is kept forever although nothing is added to it."""
    results = run_of(NarrowMutant(mutant, ONCE), tmp_path, "window")
    assert verdicts_of(results)[rule] == "fail"
    assert results.exit_code == 1


@pytest.mark.slower
def test_an_adapter_that_hides_most_scenarios_is_tested_by_the_others(tmp_path: Path) -> None:
    adapter = HidesWindows("window-state-kept-for-ever")
    assert drawn_shapes(adapter, adapter.describe()) == (ONCE,)
    results = run_of(adapter, tmp_path, "window")
    verdicts = verdicts_of(results)
    assert verdicts["WIN-13"] == "fail"
    assert {verdicts[rule] for rule in ("WIN-1", "WIN-6", "WIN-7", "WIN-14")} == {"pass"}
    assert {verdicts[rule] for rule in ("WIN-2", "WIN-3", "WIN-4", "WIN-5", "WIN-9", "WIN-12")} == {
        "not-tested"
    }
    (sessions,) = (rule for rule in results.rules if rule.id == "WIN-2")
    assert sessions.reason.startswith("the adapter does not express the scenarios that would show window-")
    assert sessions.reason.endswith('("windows other than tumbling ones")')


def test_steps_that_no_runtime_sends_narrow_nothing() -> None:
    """Most scenarios of a clock have such a step, so that an adapter of an engine that does not refuse them hides
    most of them."""

    class RefusesNothing(ReferenceAdapter):
        def describe(self) -> Implementation:
            return replace(super().describe(), refuses=False)

        def inexpressible(self, scenario: Scenario) -> str | None:
            return never_sent(scenario, "core")

    adapter = RefusesNothing({})
    assert drawn_shapes(adapter, adapter.describe()) == ()


def test_drawn_shapes_are_those_declared_where_an_adapter_hides_little() -> None:
    class HidesOne(ReferenceAdapter):
        def inexpressible(self, scenario: Scenario) -> str | None:
            return "one scenario" if scenario.id.endswith(":17") else None

    adapter = HidesOne({})
    assert drawn_shapes(adapter, adapter.describe()) == ()
    declaring = Narrowed({})
    assert drawn_shapes(declaring, declaring.describe()) == Narrowed.declared


class RelyingOnUpstream(ReferenceAdapter):
    """The reference, which declares a contract and notes what is sent to its sessions."""

    def __init__(self) -> None:
        super().__init__({})
        self.sent: list[list[Step]] = []

    def describe(self) -> Implementation:
        shapes = (WindowShape(contract=("falling-watermark",), no_timestamp=False),)
        return replace(super().describe(), capabilities=("window",), shapes=shapes)

    def session(self, setup: Setup) -> Session:
        session, steps = super().session(setup), list[Step]()
        self.sent.append(steps)

        class Noting(Session):
            def step(self, step: Step) -> Outputs:
                steps.append(step)
                return session.step(step)

        return Noting()


def test_interactive_sessions_keep_the_contract_and_the_shape(tmp_path: Path) -> None:
    """Hypothesis draws each step alone: what came before it decides whether upstream can send it."""
    adapter = RelyingOnUpstream()
    events_of(adapter, tmp_path, components=["window"], wanted=lambda item: item.suite == "interactive")
    assert sum(isinstance(step, WatermarkStep) for steps in adapter.sent for step in steps) > 4
    assert {breach_of(("falling-watermark",), steps) for steps in adapter.sent} == {""}
    assert not any(getattr(step, "timestamp", 0) == "MIN" for steps in adapter.sent for step in steps)


class AlignmentIgnoringClock(PausableClock):
    """A clock that ignores pauses for alignment."""

    def pause(self, reason: str = "backpressure") -> None:
        if reason != "alignment":
            super().pause(reason)

    def resume(self, reason: str = "backpressure") -> None:
        if reason != "alignment":
            super().resume(reason)


class HidesPauses(ReferenceAdapter):
    """An engine that ignores pauses for alignment; its adapter does not express them."""

    def describe(self) -> Implementation:
        return replace(super().describe(), capabilities=("clock",))

    def clock(self, setup: Any) -> AlignmentIgnoringClock:
        return AlignmentIgnoringClock(setup.nanoseconds, CORE)

    def inexpressible(self, scenario: Scenario) -> str | None:
        hidden = any(isinstance(step, PauseStep) and step.reason == "alignment" for step in scenario.history)
        return "pauses for alignment" if hidden else None


def test_an_adapter_that_hides_scenarios_does_not_conform(tmp_path: Path) -> None:
    results = run_of(HidesPauses({}), tmp_path, "clock")
    assert results.exit_code == 1
    assert {rule for rule, verdict in verdicts_of(results).items() if verdict == "not-tested"} == {"CLOCK-3"}
    (rule,) = (rule for rule in results.rules if rule.id == "CLOCK-3")
    assert rule.reason == (
        "the adapter does not express the scenarios that would show clock-alignment-does-not-pause "
        '("pauses for alignment")'
    )
    assert conclude(results).headline == "NOT TESTED: 1 of 5 rules"


def test_a_rule_that_seldom_decides_does_not_pass(tmp_path: Path) -> None:
    """Rules about pauses do not apply to a clock without pauses; no rule passes on a few scenarios."""

    class WithoutPauses(ReferenceAdapter):
        def describe(self) -> Implementation:
            shape = ClockShape(without_steps=("pause", "resume"))
            return replace(super().describe(), capabilities=("clock",), shapes=(shape,))

    results = run_of(WithoutPauses({}), tmp_path, "clock")
    passing = [rule for rule in results.rules if rule.verdict == "pass"]
    assert {rule.id for rule in passing} >= {"CLOCK-1"}
    assert all(rule.scenarios >= 3 for rule in passing)
    assert judged(WithoutPauses({}), tmp_path, components=["clock"])["CLOCK-3"].verdict == "not-applicable"


class Trusting:
    """A valve that crashes at what its upstream never sends: a watermark that does not rise."""

    def __init__(self, channels: int) -> None:
        self.valve, self.watermarks = Valve(channels), [MIN] * channels

    def watermark(self, channel: int, timestamp: int) -> Any:
        if timestamp <= self.watermarks[channel]:
            raise RuntimeError("the watermark does not rise")
        self.watermarks[channel] = timestamp
        return self.valve.watermark(channel, timestamp)

    def idle(self, channel: int) -> Any:
        return self.valve.idle(channel)

    def active(self, channel: int) -> Any:
        return self.valve.active(channel)


class TrustingEngine(ComponentAdapter):
    shapes = (ValveShape(contract=("falling-watermark",), unknown_channels=False),)

    def valve(self, setup: Any) -> Trusting:
        return Trusting(setup.channels)


def test_an_engine_is_never_given_what_its_contract_excludes(tmp_path: Path) -> None:
    """Neither in drawn scenarios nor step by step: MIN is no watermark, so a first one that is MIN does not
    rise."""
    results = run_of(TrustingEngine({}), tmp_path, "valve")
    assert results.errors == []
    assert results.counts["error_scenarios"] == 0
    assert results.exit_code == 0, [rule.reason for rule in results.rules if rule.verdict == "not-tested"]
