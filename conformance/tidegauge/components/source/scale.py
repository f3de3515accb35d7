"""Scale of the source component: subtasks with many splits, bounds and timeouts at their limits, and splits
with similar names."""

from ...wire.steps.source import (
    ActiveStep,
    AnnouncementStep,
    AssignStep,
    BackpressureStep,
    EndOfInputStep,
    FinishStep,
    IdleStep,
    RecordStep,
    ReportStep,
    SourceSetup,
    TickStep,
)
from ...wire.timestamps import MAX, MIN, from_wire, to_wire
from ...wire.vocabulary import Step
from ..scale import DAY_MS, LARGEST, YEARS_MS, Scale, Widened, ends_an_input
from ..shared.alike_names import ALIKE
from ..shared.random_source import RandomSource
from ..shared.widening import by_name, layout, members_of, steps_by
from .drawing import SPLITS


def _splits(random: RandomSource, setup: SourceSetup, history: tuple[Step, ...], wanted: int) -> Widened:
    laid_out = layout(random, steps_by(history, "split", SPLITS), wanted)
    return setup, by_name(history, "split", members_of(SPLITS, laid_out))


def _undone(step: Step) -> Step | None:
    match step:
        case AssignStep(split=split):
            return FinishStep(split)
        case IdleStep(split=split):
            return ActiveStep(split)
        case BackpressureStep(on=on):
            return BackpressureStep(not on)
    return None


def _closing(setup: SourceSetup, history: tuple[Step, ...]) -> tuple[Step, ...]:
    """All splits are there and beyond a bound that is announced; then they are within another."""
    records = [from_wire(step.timestamp) for step in history if isinstance(step, RecordStep)]
    known = [moment for moment in records if moment not in (MIN, MAX)]
    if not known or any(isinstance(step, EndOfInputStep) for step in history):
        return ()
    assigned: set[str] = set()
    for step in history:
        if isinstance(step, AssignStep):
            assigned.add(step.split)
        elif isinstance(step, FinishStep):
            assigned.discard(step.split)
    later = max(known) + setup.max_out_of_orderness + 1
    return (
        BackpressureStep(False),
        AnnouncementStep("MAX"),
        *(RecordStep(split, to_wire(later + place)) for place, split in enumerate(sorted(assigned))),
        TickStep(),
        AnnouncementStep(to_wire(later - setup.max_out_of_orderness - 2)),
        TickStep(),
        AnnouncementStep("MAX"),
        ReportStep(),
    )


SCALE = Scale(
    closing=_closing,
    widen={"splits": _splits},
    parts={"splits": "split"},
    durations={
        "milliseconds": (0, YEARS_MS),
        "max_out_of_orderness": (0, LARGEST),
        "idle_timeout": (1, YEARS_MS),
    },
    undone=_undone,
    setups={
        "a-bound-at-2-31": SourceSetup(max_out_of_orderness=2**31),
        "an-idle-timeout-at-2-31": SourceSetup(generator="punctuated", idle_timeout=2**31),
        "a-day-out-of-order": SourceSetup(max_out_of_orderness=DAY_MS),
        "the-largest-out-of-orderness": SourceSetup(max_out_of_orderness=LARGEST),
        "years-until-idle": SourceSetup(generator="punctuated", idle_timeout=YEARS_MS),
        "a-day-until-idle": SourceSetup(generator="punctuated", idle_timeout=DAY_MS),
        "an-idle-timeout-of-1-ms": SourceSetup(generator="punctuated", idle_timeout=1),
        "a-late-start": SourceSetup(generator="punctuated", idle_timeout=5, start=2**53 - 2**40),
    },
    names=(("split",),),
    alike=ALIKE,
    ends=lambda step: isinstance(step, EndOfInputStep) or ends_an_input(step),
)
