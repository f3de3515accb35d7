"""The source coordinators, bound to the reference and to their generators."""

from types import ModuleType
from typing import Any

from tidegauge_reference import Policies, coordinator

from ...wire.steps.coordinator import (
    AnnounceStep,
    CoordinatorScenario,
    CoordinatorSetup,
    FailedStep,
    FinishStep,
    ReadyStep,
    ReportStep,
    ResetStep,
    RestartStep,
    StartedSource,
    StartStep,
)
from ...wire.timestamps import from_wire
from ...wire.vocabulary import Step
from ..component import Component, CoverScope, WithoutOutputs
from ..narrowing import Narrowing
from .drawing import draw_setup, draw_step
from .endurance import ENDURANCE
from .mutants import COORDINATOR_MUTANTS
from .properties import PROPERTIES
from .scale import SCALE
from .shrinking import fewer, simplify


def _start(coordinators: Any, source: StartedSource | StartStep) -> Any:
    drift, subtasks = source.max_allowed_watermark_drift, source.subtasks
    return coordinators.start(source.source, source.name, source.watermark_group, drift, subtasks)


def _build(module: ModuleType, setup: CoordinatorSetup, policies: Policies) -> Any:
    coordinators = module.Coordinators(policies)
    for source in setup.sources:
        _start(coordinators, source)
        for subtask in range(source.subtasks):
            coordinators.ready(source.source, subtask)
    return coordinators


def _alphabet(setup: CoordinatorSetup) -> tuple[Step, ...]:
    steps: list[Step] = [StartStep("later", "Kafka source", "group-1", 10, 1)]
    for source in setup.sources:
        for subtask in range(min(2, source.subtasks)):
            steps += (ReportStep(source.source, subtask, timestamp) for timestamp in (1, 2, "MIN", "MAX"))
            steps += (step(source.source, subtask) for step in (FinishStep, ReadyStep, FailedStep, ResetStep))
        steps += (RestartStep(source.source), AnnounceStep(source.source))
    return tuple(steps)


def _source(identity: str, drift: int, subtasks: int = 1, group: str = "group-1") -> StartedSource:
    return StartedSource(identity, "Kafka source", group, drift, subtasks)


def _reports(source: str, subtask: int, *timestamps: int | str) -> tuple[Step, ...]:
    return tuple(ReportStep(source, subtask, timestamp) for timestamp in timestamps)


_ONE_SOURCE = CoverScope(
    "1-source-2-subtasks",
    CoordinatorSetup((_source("orders", 10, subtasks=2),)),
    (
        *_reports("orders", 0, 1, 2, "MAX"),
        *_reports("orders", 1, 1, 2),
        FinishStep("orders", 0),
        FailedStep("orders", 0),
        ReadyStep("orders", 0),
        RestartStep("orders"),
        AnnounceStep("orders"),
    ),
)
_TWO_SOURCES = CoverScope(
    "2-sources-of-1-name",
    CoordinatorSetup((_source("orders", 10), _source("payments", 0))),
    (
        *_reports("orders", 0, 1, 2, "MIN", "MAX"),
        *_reports("payments", 0, 1, 2),
        ResetStep("orders", 0),
        ReadyStep("orders", 0),
        RestartStep("payments"),
        ReadyStep("payments", 0),
        AnnounceStep("orders"),
        AnnounceStep("payments"),
    ),
)
_TWO_GROUPS = CoverScope(
    "3-sources-in-2-groups",
    CoordinatorSetup((_source("orders", 10), _source("payments", 0), _source("clicks", 1, group="group-2"))),
    (
        *_reports("orders", 0, 1, 2),
        *_reports("payments", 0, 1, 2),
        *_reports("clicks", 0, 1, 2),
        FinishStep("payments", 0),
        *(AnnounceStep(source) for source in ("orders", "payments", "clicks")),
    ),
)

COORDINATOR = Component(
    name="coordinator",
    title="a source coordinator",
    setup=CoordinatorSetup,
    scenario=CoordinatorScenario,
    calls={
        StartStep: WithoutOutputs(_start),
        ReportStep: WithoutOutputs(
            lambda coordinators, step: coordinators.report(
                step.source, step.subtask, from_wire(step.watermark)
            )
        ),
        FinishStep: WithoutOutputs(lambda coordinators, step: coordinators.finish(step.source, step.subtask)),
        ReadyStep: WithoutOutputs(lambda coordinators, step: coordinators.ready(step.source, step.subtask)),
        FailedStep: WithoutOutputs(lambda coordinators, step: coordinators.failed(step.source, step.subtask)),
        ResetStep: WithoutOutputs(lambda coordinators, step: coordinators.reset(step.source, step.subtask)),
        RestartStep: WithoutOutputs(lambda coordinators, step: coordinators.restart(step.source)),
        AnnounceStep: lambda coordinators, step: coordinators.announce(step.source),
    },
    module=coordinator,
    build=_build,
    drawn=True,
    draw_setup=draw_setup,
    draw_step=draw_step,
    alphabet=_alphabet,
    covers={
        "smoke": (_ONE_SOURCE,),
        "default": (_ONE_SOURCE, _TWO_SOURCES),
        "thorough": (_ONE_SOURCE, _TWO_SOURCES, _TWO_GROUPS),
    },
    simplify=simplify,
    fewer=fewer,
    properties=PROPERTIES,
    scale=SCALE,
    endurance=ENDURANCE,
    mutants=COORDINATOR_MUTANTS,
    narrowing=Narrowing(milliseconds=("max_allowed_watermark_drift",), names=("name",)),
)
