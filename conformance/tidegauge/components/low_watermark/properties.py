"""What must be true of every low-watermark service, whatever else it does; no reference is asked."""

from collections.abc import Sequence

from ...wire.scenario import Scenario
from ...wire.steps.low_watermark import (
    JoinStep,
    LeaveStep,
    LowWatermarkSetup,
    NotifyStep,
    PartitionsStep,
    ReplyStep,
    TriggerStep,
)
from ...wire.timestamps import from_wire
from ...wire.transcript import Transcript
from ...wire.vocabulary import Error, LowWatermark, NotifyNewLowWatermark, RetrieveLowWatermark
from ..property import Holds, Property
from ..shared.properties import goes_back, outputs_of, uninterrupted, with_restores


def _results_increase(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    last: dict[str, int] = {}
    arose = None
    for output in outputs_of(transcripts[0]):
        if not isinstance(output, NotifyNewLowWatermark) or goes_back(scenarios[0]):
            continue
        value = from_wire(output.low_watermark)
        if output.to in last:
            arose = True
            if value <= last[output.to]:
                return False
        last[output.to] = value
    return arose


def _asks_its_tasks(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """Who is asked follows from the setup and from who joined and left."""
    setup = scenarios[0].setup
    assert isinstance(setup, LowWatermarkSetup)
    if goes_back(scenarios[0]):
        return None
    started = {vertex.name: vertex.tasks for vertex in setup.vertices}
    there = {f"{vertex.name}/{number}" for vertex in setup.vertices for number in range(vertex.tasks)}
    asked = [vertex.name for vertex in setup.vertices if vertex.source and vertex.cooperating]
    arose = None
    for step, outputs in zip(scenarios[0].history, transcripts[0].outputs, strict=False):
        if isinstance(step, JoinStep) and step.vertex in started:
            there.add(f"{step.vertex}/{started[step.vertex]}")
            started[step.vertex] += 1
        if isinstance(step, LeaveStep):
            there.discard(f"{step.vertex}/{step.task}")
        questions = [output for output in outputs if isinstance(output, RetrieveLowWatermark)]
        if not isinstance(step, TriggerStep):
            if questions:
                return False
            continue
        arose = True
        wanted = {address for address in there if address.rpartition("/")[0] in asked}
        if sorted(question.to for question in questions) != sorted(wanted):
            return False
        if any(question.timestamp != step.timestamp for question in questions):
            return False
    return arose


def _notified_was_replied(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """Since the last trigger, by a task of the same vertex."""
    if goes_back(scenarios[0]):
        return None
    arose = None
    replied: set[tuple[str, int]] = set()
    for step, outputs in zip(scenarios[0].history, transcripts[0].outputs, strict=False):
        if isinstance(step, TriggerStep):
            replied = set()
        if isinstance(step, ReplyStep):
            replied.add((step.vertex, from_wire(step.low_watermark)))
        for output in outputs:
            if isinstance(output, NotifyNewLowWatermark):
                arose = True
                if (output.to.rpartition("/")[0], from_wire(output.low_watermark)) not in replied:
                    return False
    return arose


def _emits_what_it_was_told(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """The last value that the task was notified of, and only while it has no partitions."""
    setup = scenarios[0].setup
    assert isinstance(setup, LowWatermarkSetup)
    if goes_back(scenarios[0]):
        return None
    holding = {f"{v.name}/{number}" for v in setup.vertices for number in range(min(v.tasks, v.partitions))}
    told: dict[str, int | str] = {}
    arose = None
    for step, outputs in zip(scenarios[0].history, transcripts[0].outputs, strict=False):
        if isinstance(step, PartitionsStep) and not any(isinstance(output, Error) for output in outputs):
            (holding.add if step.count else holding.discard)(f"{step.vertex}/{step.task}")
        if isinstance(step, NotifyStep):
            told[f"{step.vertex}/{step.task}"] = step.low_watermark
        for output in outputs:
            if isinstance(output, LowWatermark):
                arose = True
                task = output.to.removeprefix("downstream of ")
                if task in holding or output.timestamp != told.get(task):
                    return False
    return arose


def _never_the_end(_: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    outputs = outputs_of(transcripts[0])
    results = [output.low_watermark for output in outputs if isinstance(output, NotifyNewLowWatermark)]
    emitted = [output.timestamp for output in outputs if isinstance(output, LowWatermark)]
    if not results and not emitted:
        return None
    return "MAX" not in (*results, *emitted)


PROPERTIES = (
    Property(
        name="low-watermark-results-increase",
        sentence="The values that a task is notified of strictly increase.",
        rules=("LOW-10", "LOW-7"),
        holds=_results_increase,
        holds_under={},
    ),
    Property(
        name="low-watermark-asks-its-tasks",
        sentence="A trigger queries every cooperating task of every source vertex, and no other task.",
        rules=("LOW-1",),
        holds=_asks_its_tasks,
        holds_under={},
        needs_steps=True,
    ),
    Property(
        name="low-watermark-notified-was-replied",
        sentence="A task is notified only of a value that its vertex's tasks replied since the last trigger.",
        rules=("LOW-9", "LOW-3", "LOW-5"),
        holds=_notified_was_replied,
        holds_under={},
        needs_steps=True,
    ),
    Property(
        name="low-watermark-emits-what-it-was-told",
        sentence="A task emits only the value it was notified of last, and only without partitions.",
        rules=("LOW-13", "LOW-14"),
        holds=_emits_what_it_was_told,
        holds_under={},
        needs_steps=True,
    ),
    Property(
        name="low-watermark-never-the-end",
        sentence="No result is MAX, and no task without partitions emits MAX.",
        rules=("LOW-8",),
        holds=_never_the_end,
        holds_under={},
    ),
    Property(
        name="low-watermark-snapshot-restore",
        sentence="A snapshot and a restore before every step change nothing.",
        rules=("LOW-16",),
        holds=uninterrupted,
        holds_under={},
        variants=with_restores,
        needs=("snapshot",),
    ),
)
