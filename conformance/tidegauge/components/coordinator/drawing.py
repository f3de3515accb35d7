"""Random sources in groups, and steps that matter to their coordinators."""

from typing import Any

from ...wire.steps.coordinator import (
    AnnounceStep,
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
from ...wire.timestamps import MAX, MIN, to_wire
from ...wire.vocabulary import Step
from ..shared.moments import EPOCHS
from ..shared.random_source import RandomSource

_IDENTITIES = ("orders", "payments", "clicks")
_NAMES = ("Kafka source", "Kafka source", "Files")
_GROUPS = ("group-1",) * 12 + ("group-2",) * 4 + (None,)
_DRIFTS = (0, 0, 1, 5, 10, 30_000, 2**53 - 1)
_SUBTASKS = (1, 1, 2, 2, 3)


def draw_setup(random: RandomSource) -> CoordinatorSetup:
    """Two sources mostly, in one group mostly, often of the same name."""
    identities = _IDENTITIES[: random.pick((0, 1, 1, 2, 2, 2, 2, 2, 3, 3))]
    return CoordinatorSetup(tuple(StartedSource(*_described(random, identity)) for identity in identities))


def _described(random: RandomSource, identity: str) -> tuple[str, str, str | None, int, int]:
    group, drift = random.pick(_GROUPS), random.pick(_DRIFTS)
    return identity, random.pick(_NAMES), group, drift, random.pick(_SUBTASKS)


def draw_step(random: RandomSource, coordinators: Any) -> Step:
    """A step for the coordinators as they stand: `coordinators` are the reference's."""
    missing = [identity for identity in _IDENTITIES if identity not in coordinators.sources]
    if len(missing) == len(_IDENTITIES) or random.chance(3):
        return _start(random, missing)
    source = random.pick(list(coordinators.sources))
    own = coordinators.sources[source]
    subtask = random.below(own.subtasks)
    if random.chance(2):
        source, subtask = random.pick((("nobody", 0), (source, -1), (source, own.subtasks)))
    idling = [other for other in range(own.subtasks) if other not in own.running]
    if idling and random.chance(15):
        return _after_a_failure(random, source, own, idling)
    if idling and random.chance(20):
        return ReadyStep(source, random.pick(idling))
    kind = random.below(100)
    if kind < 35:
        return AnnounceStep(source)
    if kind < 40:
        return FinishStep(source, subtask)
    if kind < 45:
        return FailedStep(source, subtask)
    if kind < 48:
        return ResetStep(source, subtask)
    if kind < 50:
        return RestartStep(source)
    return ReportStep(source, subtask, to_wire(_watermark(random, coordinators, own, subtask)))


def _after_a_failure(random: RandomSource, source: str, own: Any, idling: list[int]) -> Step:
    """Return the failure of another subtask. If no subtask is running, return the restart of the source or a
    subtask that is ready again."""
    if own.running:
        return FailedStep(source, random.pick(sorted(own.running)))
    return RestartStep(source) if random.chance(50) else ReadyStep(source, random.pick(idling))


def _start(random: RandomSource, missing: list[str]) -> StartStep:
    """A source that is missing, or one that is there already; now and then with numbers that cannot be."""
    identity, name, group, drift, subtasks = _described(random, random.pick(missing or list(_IDENTITIES)))
    if random.chance(10):
        drift, subtasks = random.pick(((-1, subtasks), (drift, 0), (drift, -1)))
    return StartStep(identity, name, group, drift, subtasks)


def _watermark(random: RandomSource, coordinators: Any, own: Any, subtask: int) -> int:
    """Around what the subtask or somebody else reported last; now and then idle, or nothing yet."""
    if random.chance(12):
        return MIN if random.chance(15) else MAX
    known = own.reports.get(subtask, MAX)
    if known in (MIN, MAX) or random.chance(40):
        reports = [w for c in coordinators.sources.values() for w in c.reports.values()]
        known = random.pick([w for w in reports if w not in (MIN, MAX)] or EPOCHS)
    return int(known) + random.between(-4, 8)
