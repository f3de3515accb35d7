"""Engines for the tests of the judge: the reference, wrong ones, and ones that are seen less closely."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from tidegauge import Adapter, ComponentAdapter, Implementation, Scenario, Transcript
from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.cover import state_cover
from tidegauge.drawing.histories import draw_history
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.wire.results import RuleResult
from tidegauge.wire.steps.valve import ActiveStep, IdleStep, ValveScenario, ValveSetup, WatermarkStep
from tidegauge.wire.transcript import Observation, joined, spans
from tidegauge.wire.vocabulary import Step
from tidegauge_reference import CORE, Policies, Valve
from tidegauge_spec import load_registry

VALVE_RULES = [rule.id for rule in load_registry().of_component("valve")]
"""The ids of all rules of the valve."""

MakeValve = Callable[[int], Any]


class ValveAdapter(ComponentAdapter):
    """Puts the valves that `make` makes of a number of channels under test."""

    extras: tuple[str, ...] = ("snapshot", "int64")

    def __init__(self, make: MakeValve = Valve) -> None:
        super().__init__({})
        self.make = make

    def valve(self, setup: ValveSetup) -> Any:
        """The valve under test."""
        return self.make(setup.channels)


class SeenLessClosely(Adapter):
    """Another adapter's engine, whose outputs come out at the end of a group or of the scenario."""

    def __init__(self, inner: Adapter, observes: Observation) -> None:
        super().__init__({})
        self.inner = inner
        self.observes = observes

    def describe(self) -> Implementation:
        return replace(self.inner.describe(), observes=self.observes)

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        for scenario in scenarios:
            (transcript,) = self.inner.run([scenario])
            outputs = joined(list(transcript.outputs), spans(scenario, self.observes))
            yield Transcript(scenario.id, tuple(outputs))


def examiner_of(adapter: Adapter, policies: Policies = CORE, **options: Any) -> Examiner:
    """The judge of an engine."""
    return Examiner(adapter, adapter.describe(), policies, **options)


def histories(count: int, seed: int = 1, policies: Policies = CORE) -> list[Scenario]:
    """Random histories of valves."""
    return [draw_history(COMPONENTS["valve"], seed, index, policies) for index in range(count)]


def cover_sample(
    stride: int, name: str = "3-channels-2-timestamps", policies: Policies = CORE
) -> list[Scenario]:
    """Every `stride`-th scenario of a state cover."""
    cover = state_cover(COMPONENTS["valve"], name, policies)
    return [cover.scenario(index) for index in range(0, len(cover), stride)]


def compared(adapter: Adapter, scenarios: list[Scenario], policies: Policies = CORE) -> ItemReport:
    """What an item finds that compares an engine with the reference."""
    report = ItemReport("item", "valve")
    examiner = examiner_of(adapter, policies)
    examiner.compare(report, examiner.applicable(scenarios))
    return report


def history(*calls: str) -> tuple[Step, ...]:
    """Steps from a shorthand: `w0=5` a watermark on channel 0 (`w0=MAX` its end), `i0` idle, `a0` active."""
    steps: list[Step] = []
    for call in calls:
        kind, (channel, _, value) = call[0], call[1:].partition("=")
        if kind == "w":
            timestamp = value if value in ("MIN", "MAX") else int(value)
            steps.append(WatermarkStep(int(channel), timestamp))
        else:
            steps.append({"i": IdleStep, "a": ActiveStep}[kind](int(channel)))
    return tuple(steps)


def valve_scenario(
    channels: int, *calls: str, groups: tuple[int, ...] = (), id: str = "own"
) -> ValveScenario:
    """A scenario from the shorthand of `history`."""
    return ValveScenario(id=id, setup=ValveSetup(channels), history=history(*calls), groups=groups)  # type: ignore[arg-type]


def failing_rule(name: str) -> RuleResult:
    """The result of a rule that an engine breaks."""
    rule = load_registry().rules[name]
    return RuleResult(
        id=name,
        level=rule.level,
        component=rule.component,
        title=rule.title,
        sentence=rule.sentence,
        intent=rule.intent,
        check=rule.check,
        sources=[],
        verdict="fail",
        reason="",
        layer="in-process",
        policy=None,
        scenarios=0,
        steps=0,
    )
