"""Right engines that are built quite differently raise no alarm; with a few words changed they do."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from component_scenarios import DRAWN, all_kinds, drawn
from conftest import others_slower
from engines import examiner_of
from judged import EFFORT, accused_in, judged
from msgspec.structs import replace
from right_engines import adapters

from tidegauge import Adapter, Implementation, Scenario, Transcript
from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.diagnosis.component_judgement import ENOUGH_DECIDED
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.judging.items.shrinker import NO_EFFORT, Effort
from tidegauge.vectors.published import load_vectors, published_outputs
from tidegauge.wire.transcript import Observation, Outputs, joined, spans
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE
from tidegauge_spec import Rule, load_registry

FOLDER = Path(adapters.__file__).parent
BUILT_IN = {
    "ValveFromHistory": "valve_from_history",
    "ValveWithHeaps": "valve_with_heaps",
    "ValveByTables": "valve_by_tables",
    "CoordinatorFromLog": "coordinator_from_log",
    "CoordinatorWithSortedReports": "coordinator_with_sorted_reports",
    "CoordinatorWithTournaments": "coordinator_with_tournaments",
    "WindowFromRecords": "windows_from_records",
    "WindowWithTimers": "windows_with_timers",
    "WindowOfSlices": "windows_of_slices",
    "LowWatermarkInSql": "low_watermark_in_sql",
    "SplitsInPiles": "splits_in_piles",
    "ClockOfLines": "clock_of_lines",
    "IdlenessByBudgets": "idleness_by_budgets",
    "GeneratorAsPipeline": "generator_as_pipeline",
    "SourceByReconciling": "source_by_reconciling",
    "BacklogByBallot": "backlog_by_ballot",
}
"""The adapters, each with the module that has all of its engine."""

each_engine = pytest.mark.parametrize("name", BUILT_IN)

QUICKLY_JUDGED = ("CoordinatorFromLog",)
"""Engines whose defect takes a few seconds to judge; the others in `tox -e slower`."""

few_engines = pytest.mark.parametrize("name", others_slower(BUILT_IN, ("ClockOfLines",)))


def adapter_of(name: str) -> Adapter:
    """One of them."""
    adapter_class: type[Adapter] = getattr(adapters, name)
    return adapter_class({})


def component_of(adapter: Adapter) -> str:
    """The one component that the adapter's engine is."""
    (component,) = set(adapter.describe().capabilities) & set(COMPONENTS)
    return component


def examined(adapter: Adapter, histories: int, *, effort: Effort = EFFORT) -> ItemReport:
    """Published vectors, a part of the covers, histories and all properties."""
    component = component_of(adapter)
    report = ItemReport("all", component)
    examiner = examiner_of(adapter, effort=effort)
    published = {
        vector.scenario.id: outputs
        for vector in load_vectors(component)
        if (outputs := published_outputs(vector, CORE)) is not None
    }
    vectors = [one.scenario for one in load_vectors(component) if one.scenario.id in published]
    examiner.compare(report, vectors, published)
    examiner.compare(report, examiner.applicable(all_kinds(component)))
    for property in COMPONENTS[component].properties:
        if adapter.describe().observes == "step" or not property.needs_steps:
            examiner.check(report, property, drawn(component, histories))
    return report


HISTORIES = {"generator": 1_000, "source": 800}
"""How many are drawn of the components that have a property which few histories decide; of the others 250."""


def rules_on_the_engine(component: str) -> list[Rule]:
    """The rules of a component that bind the engine, not its user."""
    rules = load_registry().of_component(component)
    return [rule for rule in rules if not rule.checked_by[0].startswith("not testable")]


@few_engines
def test_a_right_engine_raises_no_alarm(name: str) -> None:
    adapter = adapter_of(name)
    component = component_of(adapter)
    report = examined(adapter, histories=HISTORIES.get(component, 250))
    assert report.failures == []
    assert report.failing == 0
    for property in COMPONENTS[component].properties:
        assert report.properties[property.name].checked >= ENOUGH_DECIDED, property.name
    for rule in rules_on_the_engine(component):
        assert report.rules[rule.id].scenarios >= ENOUGH_DECIDED, rule.id


@few_engines
def test_a_right_engine_passes_every_rule_that_it_claims(name: str, tmp_path: Path) -> None:
    adapter = adapter_of(name)
    judgement = judged(adapter, tmp_path, components=[component_of(adapter)])
    rules = [judgement[rule.id] for rule in rules_on_the_engine(component_of(adapter))]
    assert {rule.id: rule.reason for rule in rules if rule.verdict != "pass"} == {}
    assert all(rule.excludes for rule in rules)


def test_each_component_that_has_steps_has_an_engine() -> None:
    described = Counter(component_of(adapter_of(name)) for name in BUILT_IN)
    assert set(described) == set(COMPONENTS) - {"job"}
    assert {name for name, count in described.items() if count == 3} == {"valve", "coordinator", "window"}
    assert {one.__name__ for one in adapters.RightEngine.__subclasses__()} == set(BUILT_IN)


@each_engine
def test_an_engine_is_not_the_reference_in_disguise(name: str) -> None:
    """All of it stands in its own module, which needs nothing but the standard library."""
    source = (FOLDER / f"{BUILT_IN[name]}.py").read_text(encoding="utf-8")
    assert imported_by(source) <= set(sys.stdlib_module_names) - {"importlib", "sys"}
    adapter = adapter_of(name)
    setup = drawn(component_of(adapter), 1)[0].setup
    engine = getattr(adapter, component_of(adapter))(setup)
    assert type(engine).__module__ == f"right_engines.{BUILT_IN[name]}"
    assert {one.__module__ for one in type(engine).__mro__} == {type(engine).__module__, "builtins"}


def test_the_adapters_take_nothing_from_the_reference() -> None:
    source = (FOLDER / "adapters.py").read_text(encoding="utf-8")
    assert imported_by(source) == {"__future__", "collections", "typing", "msgspec", "tidegauge", ""}


def imported_by(source: str) -> set[str]:
    """The packages that a module imports; an empty name is its own."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            found.add("" if node.level else str(node.module).partition(".")[0])
    return found


BROKEN = {
    "ValveFromHistory": ("VALVE-5", "if active:", "if True:"),
    "ValveWithHeaps": ("VALVE-18", "while self._fastest[0][1] not in self._unfinished", "while False"),
    "ValveByTables": ("VALVE-9", '"back-level" if level else "back-behind"', '"back-level"'),
    "CoordinatorFromLog": ("ALIGN-3", "if started.group == told.group", "if started.group"),
    "CoordinatorWithSortedReports": (
        "ALIGN-8",
        "self._reports[who] = watermark",
        "self._reports[who] = watermark = max(watermark, self._reports.get(who, MIN))",
    ),
    "CoordinatorWithTournaments": (
        "ALIGN-11",
        "self._of(source).running = 0",
        "self._coordinators[source] = SourceCoordinator((own := self._of(source)).group, own.drift, own.subtasks)",
    ),
    "WindowFromRecords": ("WIN-2", "record.timestamp <= self._end", "record.timestamp < self._end"),
    "WindowWithTimers": ("WIN-8", "pane.values.clear()", "pass"),
    "LowWatermarkInSql": ("LOW-7", "reply > last_result", "reply >= last_result"),
    "SplitsInPiles": (
        "SPLIT-9",
        "return active[0], False",
        "return next((one for one in active if one >= self._output), MIN), False",
    ),
    "ClockOfLines": ("CLOCK-2", "_stop(-1 << BIT_OF[reason])", "_stop(-count << BIT_OF[reason])"),
    "IdlenessByBudgets": ("IDLE-3", "state._replace(phase=QUIET), ()", "state._replace(phase=WAITING), ()"),
    "GeneratorAsPipeline": ("GEN-2", "return max(largest, timestamp)", "return timestamp"),
    "SourceByReconciling": (
        "SOURCE-13",
        "self._world.odometer if writer.stopped is None else writer.stopped",
        "self._world.odometer",
    ),
    "BacklogByBallot": ("BACKLOG-7", "self._caught_up |= defined", "self._caught_up = defined"),
    "WindowOfSlices": ("WIN-3", "self._now < w[1] - 1 <= timestamp", "self._now < w[1] <= timestamp"),
}
"""A rule, and what has to be replaced by what in an engine so that it breaks it."""


def broken(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Adapter]:
    """The rule that the engine breaks, and an adapter that has that engine."""
    rule, right, wrong = BROKEN[name]
    module = import_module(f"right_engines.{BUILT_IN[name]}")
    assert module.__file__ is not None
    source = Path(module.__file__).read_text(encoding="utf-8")
    assert source.count(right) == 1
    copy = ModuleType(f"broken_{BUILT_IN[name]}")
    monkeypatch.setitem(sys.modules, copy.__name__, copy)
    exec(compile(source.replace(right, wrong), copy.__name__, "exec"), copy.__dict__)
    for attribute, value in vars(adapters).items():
        if getattr(value, "__module__", "") == module.__name__:
            monkeypatch.setattr(adapters, attribute, getattr(copy, value.__name__))
    return rule, adapter_of(name)


@few_engines
def test_with_a_few_words_changed_it_is_caught_and_the_rule_named(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule, adapter = broken(name, monkeypatch)
    report = examined(adapter, histories=100)
    assert report.failing > 0
    assert rule in accused_in(report, observes=adapter.describe().observes)
    assert min(len(failure.scenario.history) for failure in report.failures) <= 8


@pytest.mark.parametrize("name", others_slower(BUILT_IN, QUICKLY_JUDGED))
def test_the_rule_that_it_then_breaks_does_not_pass(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rule, adapter = broken(name, monkeypatch)
    rules = judged(adapter, tmp_path, components=[component_of(adapter)])
    assert rules[rule].verdict in ("fail", "suspect", "not-tested")
    assert {"fail", "suspect"} & {one.verdict for one in rules.values()}


class OtherReceiversFirst(Adapter):
    """The reference, whose outputs of one span come out receiver by receiver, the last receiver's first."""

    def __init__(self, observes: Observation) -> None:
        super().__init__({})
        self.observes = observes
        self.reference = ReferenceAdapter({})

    def describe(self) -> Implementation:
        return replace(self.reference.describe(), observes=self.observes)

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        for scenario in scenarios:
            (transcript,) = self.reference.run([scenario])
            spanned = joined(list(transcript.outputs), spans(scenario, self.observes))
            yield replace(transcript, outputs=tuple(map(self.in_order, spanned)))

    def in_order(self, outputs: Outputs) -> Outputs:
        """Within a receiver the order stays as it is."""
        receivers = list(dict.fromkeys(output.to for output in outputs))
        return tuple(sorted(outputs, key=lambda output: -receivers.index(output.to)))


class BackToFront(OtherReceiversFirst):
    """What one receiver gets comes in another order too."""

    def in_order(self, outputs: Outputs) -> Outputs:
        return outputs[::-1]


def alarms(adapter: Adapter, component: str) -> set[str]:
    """Where an engine of that component fails: in the comparison, in properties."""
    examiner = examiner_of(adapter, effort=NO_EFFORT)
    report = ItemReport("comparison", component)
    scenarios = examiner.applicable(drawn(component, 150))
    examiner.compare(report, scenarios)
    found = {"comparison"} if report.failing else set()
    for property in COMPONENTS[component].properties:
        if adapter.describe().observes == "step" or not property.needs_steps:
            examiner.check(report, property, scenarios)
    return found | {name for name, counted in report.properties.items() if counted.violated}


@pytest.mark.parametrize("observes", ["step", "group"])
@pytest.mark.parametrize("component", DRAWN)
def test_the_order_between_receivers_does_not_count(component: str, observes: Observation) -> None:
    assert alarms(OtherReceiversFirst(observes), component) == set()


@pytest.mark.parametrize("component", ["valve", "source", "window"])
def test_the_order_within_a_receiver_counts(component: str) -> None:
    assert "comparison" in alarms(BackToFront("step"), component)
