"""Scenarios with restarts: at any step, from earlier snapshots, and in each state of a state cover."""

from ..wire.vocabulary import Restore, Snapshot, Step
from .cover import state_cover
from .draft import Draft, Made
from .histories import continued, has_effect

_LONGEST = 12
"""The largest number of steps between two restarts."""

_TAKEN_BACK = 5
"""The largest number of steps that a restart undoes."""

_AFTER = 6
"""The largest number of steps after a restart in a state of a cover."""

_PRIME = 7919
"""The stride through the states of a cover. The number of states is never a multiple of this prime, so that
every state is visited."""


def restarted(draft: Draft) -> Made:
    """Return a small scenario with two to four restarts. Some of them restore an earlier snapshot again."""
    setup, steps = draft.small()
    random, history = draft.random, [*steps]
    for _ in range(random.between(2, 4)):
        place = random.between(0, len(history))
        saved = [] if Snapshot() in history[:place] and random.chance(60) else [Snapshot()]
        history[place:place] = [*saved, Restore()]
    return setup, tuple(history)


def taken_back(draft: Draft) -> Made:
    """Return a scenario that restores one to three snapshots. The steps after a restart are drawn for the
    restored state, so that most of them have an effect there."""
    component, random = draft.component, draft.random
    setup = component.draw_setup(random)
    engine = component.reference(setup, draft.policies)
    history: list[Step] = []
    for _ in range(random.between(1, 3)):
        history += continued(component, random, engine, random.between(1, _LONGEST))
        saved = engine.snapshot()
        lost = continued(component, random, engine, random.between(0, _TAKEN_BACK))
        history += [Snapshot(), *lost, Restore()]
        engine = component.reference(setup, draft.policies)
        engine.restore(saved)
    history += continued(component, random, engine, random.between(3, _LONGEST))
    return setup, (*history, *component.scale.closing(setup, tuple(history)))


def in_each_state(draft: Draft) -> Made | None:
    """Return a scenario that restarts in a state of a state cover, each state in turn.

    The scenario takes a snapshot in that state, executes one more step, and restores the snapshot. The steps
    after the restart are drawn for the restored state. The result is None if the component has no state
    cover.
    """
    component, random = draft.component, draft.random
    covers = component.covers["smoke"]
    if not covers:
        return None
    cover = state_cover(component, covers[draft.index % len(covers)].name, draft.policies)
    setup = cover.scope.setup
    state = cover.prefixes[draft.index // len(covers) * _PRIME % len(cover.prefixes)]
    lost = random.pick(cover.scope.alphabet)
    engine = component.reference(setup, draft.policies)
    for step in state:
        has_effect(component, engine, step)
    after = continued(component, random, engine, random.between(2, _AFTER))
    history = (*state, Snapshot(), lost, Restore(), *after)
    return setup, (*history, *component.scale.closing(setup, history))
