"""The low-watermark service, bound to the reference and to its generators."""

from types import ModuleType
from typing import Any

from tidegauge_reference import Policies, low_watermark

from ...wire.steps.low_watermark import (
    JobVertex,
    JoinStep,
    LeaveStep,
    LowWatermarkScenario,
    LowWatermarkSetup,
    NotifyStep,
    PartitionsStep,
    ReplyStep,
    RetrieveStep,
    TriggerStep,
    WatermarkStep,
)
from ...wire.timestamps import from_wire
from ...wire.vocabulary import Step
from ..component import Component, CoverScope, WithoutOutputs
from .drawing import draw_setup, draw_step
from .endurance import ENDURANCE
from .mutants import LOW_WATERMARK_MUTANTS
from .properties import PROPERTIES
from .scale import SCALE
from .shrinking import fewer, simplify


def _build(module: ModuleType, setup: LowWatermarkSetup, policies: Policies) -> Any:
    vertices = [
        module.Vertex(
            tasks=tuple(module.Task(number < vertex.partitions) for number in range(vertex.tasks)),
            there=tuple(range(vertex.tasks)),
            name=vertex.name,
            source=vertex.source,
            cooperating=vertex.cooperating,
            listening=vertex.listening,
        )
        for vertex in setup.vertices
    ]
    return module.LowWatermarkService(vertices, policies)


def _alphabet(setup: LowWatermarkSetup) -> tuple[Step, ...]:
    steps: list[Step] = [TriggerStep(1)]
    for vertex in setup.vertices:
        for task in range(min(2, vertex.tasks)):
            steps += (ReplyStep(vertex.name, task, timestamp) for timestamp in (1, 2, "MAX"))
            steps += (NotifyStep(vertex.name, task, timestamp, 1) for timestamp in (1, 2, "MAX"))
            steps += (PartitionsStep(vertex.name, task, count) for count in (0, 1))
            steps += (WatermarkStep(vertex.name, task, 1), RetrieveStep(vertex.name, task, 1))
        steps += (JoinStep(vertex.name), LeaveStep(vertex.name, vertex.tasks - 1))
    return tuple(steps)


_JOB = LowWatermarkSetup((JobVertex("shop/orders", 2, 1),))
_ROUNDS: tuple[Step, ...] = (
    TriggerStep(1),
    *(ReplyStep("shop/orders", task, timestamp) for task in (0, 1) for timestamp in (1, 2)),
    LeaveStep("shop/orders", 1),
    JoinStep("shop/orders"),
    ReplyStep("shop/orders", 2, 1),
)
_TASK: tuple[Step, ...] = (
    *(NotifyStep("shop/orders", 1, timestamp, 1) for timestamp in (1, 2, "MAX")),
    *(WatermarkStep("shop/orders", 1, timestamp) for timestamp in (1, 2)),
    *(PartitionsStep("shop/orders", 1, count) for count in (0, 1)),
    RetrieveStep("shop/orders", 1, 1),
)
_ROUNDS_OF_TWO_TASKS = CoverScope("rounds-of-2-tasks-2-timestamps", _JOB, _ROUNDS, longest=5)
_ONE_TASK = CoverScope("1-task-2-timestamps", _JOB, _TASK)

LOW_WATERMARK = Component(
    name="low_watermark",
    title="a low-watermark service",
    setup=LowWatermarkSetup,
    scenario=LowWatermarkScenario,
    calls={
        TriggerStep: lambda service, step: service.trigger(from_wire(step.timestamp)),
        JoinStep: WithoutOutputs(lambda service, step: service.join(step.vertex)),
        LeaveStep: lambda service, step: service.leave(step.vertex, step.task),
        WatermarkStep: WithoutOutputs(
            lambda service, step: service.watermark(step.vertex, step.task, from_wire(step.timestamp))
        ),
        PartitionsStep: lambda service, step: service.partitions(step.vertex, step.task, step.count),
        RetrieveStep: lambda service, step: service.retrieve(
            step.vertex, step.task, from_wire(step.timestamp)
        ),
        ReplyStep: lambda service, step: service.reply(step.vertex, step.task, from_wire(step.low_watermark)),
        NotifyStep: lambda service, step: service.notify(
            step.vertex, step.task, from_wire(step.low_watermark), from_wire(step.timestamp)
        ),
    },
    module=low_watermark,
    build=_build,
    drawn=True,
    draw_setup=draw_setup,
    draw_step=draw_step,
    alphabet=_alphabet,
    covers={
        "smoke": (_ONE_TASK,),
        "default": (_ROUNDS_OF_TWO_TASKS, _ONE_TASK),
        "thorough": (_ROUNDS_OF_TWO_TASKS, _ONE_TASK),
    },
    simplify=simplify,
    fewer=fewer,
    properties=PROPERTIES,
    scale=SCALE,
    endurance=ENDURANCE,
    mutants=LOW_WATERMARK_MUTANTS,
)
