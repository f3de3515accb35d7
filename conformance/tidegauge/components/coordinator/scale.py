"""Sources with many subtasks, many sources in a group, drifts at their limits, difficult names."""

from msgspec.structs import replace

from ...wire.steps.coordinator import (
    AnnounceStep,
    CoordinatorSetup,
    StartedSource,
    StartStep,
)
from ...wire.vocabulary import Step
from ..scale import DAY_MS, LARGEST, Scale, Widened
from ..shared.random_source import RandomSource
from ..shared.widening import by_name, by_number, first_of_groups, groups, member

_GROUP = "group-1"
_MOST_SOURCES = 100


def _subtasks(
    random: RandomSource, setup: CoordinatorSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    """Every source gets as many subtasks as its first groups have."""
    if not setup.sources:
        return None
    started = [step.subtasks for step in history if isinstance(step, StartStep)]
    most = max(*started, *(source.subtasks for source in setup.sources), 1)
    sizes = groups(random, most, wanted)
    firsts = first_of_groups(sizes)
    sources = tuple(replace(source, subtasks=firsts[source.subtasks]) for source in setup.sources)
    steps = tuple(
        replace(step, subtasks=firsts[step.subtasks])
        if isinstance(step, StartStep) and step.subtasks > 0
        else step
        for step in history
    )
    return CoordinatorSetup(sources), by_number(steps, "subtask", sizes)


def _sources(
    random: RandomSource, setup: CoordinatorSetup, history: tuple[Step, ...], wanted: int
) -> Widened | None:
    """Each source becomes many that do the same, with names that they share; a job has no thousand."""
    if not setup.sources or wanted > _MOST_SOURCES:
        return None
    names = [source.source for source in setup.sources]
    sizes = dict(zip(names, groups(random, len(names), wanted), strict=True))
    many = tuple(
        replace(source, source=member(source.source, place))
        for source in setup.sources
        for place in range(sizes[source.source])
    )
    return CoordinatorSetup(many), by_name(history, "source", sizes)


def _closing(setup: CoordinatorSetup, _: tuple[Step, ...]) -> tuple[Step, ...]:
    """Every source is told its bound."""
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
    setups={
        "a-drift-of-0": _drifts(0, 0),
        "a-drift-of-1-ms": _drifts(1, 0),
        "a-drift-of-a-day": _drifts(DAY_MS, 1),
        "the-largest-drift": _drifts(LARGEST, DAY_MS),
    },
    names=("source", "name", "watermark_group"),
)
