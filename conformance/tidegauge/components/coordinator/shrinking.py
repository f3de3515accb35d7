"""Smaller groups: fewer sources, fewer subtasks, smaller numbers."""

from msgspec.structs import replace

from ...wire.steps.coordinator import CoordinatorSetup, StartedSource
from ...wire.vocabulary import Step
from ..shared.simplification import plainer_numbers, with_fewer, without_number

Candidate = tuple[CoordinatorSetup, tuple[Step, ...]]


def simplify(setup: CoordinatorSetup, history: tuple[Step, ...]) -> list[Candidate]:
    """Candidates that do the same with less."""
    candidates: list[Candidate] = []
    for source in setup.sources:
        elsewhere = tuple(step for step in history if getattr(step, "source", "") != source.source)
        candidates.append((_with(setup, source), elsewhere))
        if source.subtasks > 1:
            fewer = replace(source, subtasks=source.subtasks - 1)
            candidates += (
                (
                    _with(setup, source, fewer),
                    without_number(history, "subtask", subtask, source=source.source),
                )
                for subtask in range(source.subtasks)
            )
        candidates += (
            (_with(setup, source, replace(source, max_allowed_watermark_drift=drift)), history)
            for drift in {0, 1, 10}
            if drift < source.max_allowed_watermark_drift
        )
    return candidates + plainer_numbers(setup, history)


def fewer(setup: CoordinatorSetup, history: tuple[Step, ...]) -> list[Candidate]:
    """The first of many sources, and sources with the first of many subtasks."""
    candidates = [
        (CoordinatorSetup(setup.sources[:kept]), history)
        for kept in (1, 2, 4, 8, 16, 32, 64)
        if kept < len(setup.sources)
    ]
    most = max((source.subtasks for source in setup.sources), default=0)
    for kept, steps in with_fewer(most, history, "subtask"):
        narrow = (replace(source, subtasks=min(kept, source.subtasks)) for source in setup.sources)
        candidates.append((CoordinatorSetup(tuple(narrow)), steps))
    return candidates


def _with(setup: CoordinatorSetup, old: StartedSource, *new: StartedSource) -> CoordinatorSetup:
    """The setup with `new` instead of `old`."""
    place = setup.sources.index(old)
    return CoordinatorSetup((*setup.sources[:place], *new, *setup.sources[place + 1 :]))
