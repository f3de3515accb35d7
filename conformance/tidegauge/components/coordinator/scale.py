"""Sources with many subtasks, many sources in a group, drifts at their limits, difficult names."""

from msgspec.structs import replace

from ...wire.steps.coordinator import (
    AnnounceStep,
    CoordinatorSetup,
    FailedStep,
    ReadyStep,
    ResetStep,
    StartedSource,
)
from ...wire.vocabulary import Step
from ..scale import DAY_MS, LARGEST, Scale, Widened
from ..shared.random_source import RandomSource
from ..shared.widening import by_name, by_number, layout, members_of, steps_by

_GROUP = "group-1"
_MOST_SOURCES = 100


def _subtasks(
    random: RandomSource, setup: CoordinatorSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    """Widen one source to many subtasks; the other sources do not change."""
    if not setup.sources:
        return None
    chosen = random.pick(setup.sources)
    own = [step for step in history if getattr(step, "source", "") == chosen.source]
    laid_out = layout(random, steps_by(own, "subtask", range(chosen.subtasks)), wanted)
    sources = tuple(
        replace(source, subtasks=wanted) if source is chosen else source for source in setup.sources
    )
    steps = by_number(history, "subtask", laid_out, chosen.subtasks, source=chosen.source)
    return CoordinatorSetup(sources), steps


def _sources(
    random: RandomSource, setup: CoordinatorSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    """Replace each source by many sources with the same steps. The result is None beyond 100 sources: no job
    has a thousand."""
    if not setup.sources or wanted > _MOST_SOURCES:
        return None
    names = [source.source for source in setup.sources]
    laid_out = layout(random, steps_by(history, "source", names), wanted)
    members = members_of(names, laid_out)
    many = tuple(
        replace(setup.sources[part], source=f"{names[0]}-{place}") for place, part in enumerate(laid_out)
    )
    return CoordinatorSetup(many), by_name(history, "source", members)


def _undone(step: Step) -> Step | None:
    match step:
        case FailedStep(source=source, subtask=subtask) | ResetStep(source=source, subtask=subtask):
            return ReadyStep(source, subtask)
    return None


def _closing(setup: CoordinatorSetup, _: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return an announcement of the bound to every source."""
    return tuple(AnnounceStep(source.source) for source in setup.sources)


def _drifts(*drifts: int) -> CoordinatorSetup:
    return CoordinatorSetup(
        tuple(
            StartedSource(identity, "Files", _GROUP, drift, 2)
            for identity, drift in zip(("orders", "payments"), drifts, strict=True)
        )
    )


SCALE = Scale(
    closing=_closing,
    widen={"subtasks": _subtasks, "sources": _sources},
    parts={"subtasks": "subtask", "sources": "source"},
    durations={"max_allowed_watermark_drift": (0, LARGEST)},
    undone=_undone,
    setups={
        "a-drift-of-0": _drifts(0, 0),
        "a-drift-of-1-ms": _drifts(1, 0),
        "a-drift-of-a-day": _drifts(DAY_MS, 1),
        "a-drift-at-2-31": _drifts(2**31, 2**32),
        "the-largest-drift": _drifts(LARGEST, DAY_MS),
    },
    names=(("source",), ("watermark_group",)),
)
