"""Scenarios with hundreds of similar steps: a step that is repeated and then undone, or a few steps that are
repeated in rounds, each round at a later event time."""

from functools import partial
from typing import Any

from ..components.component import Component
from ..components.shared.upstream import Upstream
from ..wire.vocabulary import Setup, Step
from .confusion import alone, played
from .draft import Draft, Made
from .edges import all_moved, moments_of
from .histories import continued, effective_history, has_effect

TIMES = 520
"""Number of repetitions of a step; exceeds counters of 8 and 9 bits."""

ROUNDS = 270
"""Number of rounds; exceeds counters of 8 bits."""

_ROUND = (5, 8)
"""The smallest and the largest number of steps in a round."""

_CANDIDATES = 10
"""Number of rounds that are drawn; the best one is used."""

_SEARCHED = 60
"""Number of steps that are drawn to find a step of the wanted type."""

_AFTER = 10
"""Number of steps after the repetitions."""

_WITH_OUTPUTS = 4
"""In this number of attempts, from the first, the repeated step must produce an output when it is
repeated."""

_RELAXED = 10
"""From this attempt on, any repeated step is accepted."""

_WITH_ENDS = 100
"""Longer scenarios never end an input, since little can happen after its end."""


def types_of_steps(component: Component) -> tuple[type[Step], ...]:
    """Return the types of the steps that scenarios of a component can contain."""
    return component.drawn_steps


def repeated(draft: Draft) -> Made | None:
    """Return a scenario that repeats one step; the type of the step changes with each index.

    If another step can undo the repeated one, the scenario undoes each repetition. Then it continues with
    other steps. The result is None if no suitable step is found.
    """
    component, scale = draft.component, draft.component.scale
    wanted = types_of_steps(component)[draft.index % len(types_of_steps(component))]
    setup = _setup_with(draft, wanted)
    engine = component.reference(setup, draft.policies)
    before = _until(draft, engine, wanted)
    if before is None:
        return None
    step = before[-1]
    taken_back = scale.undone(step)
    # The other steps are drawn after one repetition: the state after many is the same, or nearly so.
    for each in (step, *(() if taken_back is None else (taken_back,))):
        has_effect(component, engine, each)
    after = continued(component, draft.random, engine, _AFTER)
    after += scale.closing(setup, (*before, step, *after))
    if taken_back is None and not _matters(draft, setup, before, after):
        return None
    back = () if taken_back is None else (taken_back,) * TIMES
    return setup, (*before, *(step,) * TIMES, *back, *after)


def _setup_with(draft: Draft, *wanted: type[Step]) -> Setup:
    """Draw a setup that allows steps of these types."""
    component = draft.component
    while True:
        setup = component.draw_setup(draft.random)
        if {*wanted} <= {*component.steps_of(type(setup))}:
            return setup


def _until(draft: Draft, engine: Any, wanted: type[Step]) -> list[Step] | None:
    """Draw steps up to the first one of the wanted type; None if there is none among `_SEARCHED` draws."""
    shape, steps = draft.component.shape, list[Step]()
    # Records that have to follow a watermark need to know of the watermarks of earlier draws.
    leads = shape is not None and "record-ahead" in shape.contract
    upstream = Upstream(shape.contract) if shape is not None and leads else None
    for _ in range(_SEARCHED):
        steps += continued(draft.component, draft.random, engine, 1, upstream=upstream)
        if type(steps[-1]) is wanted:
            return steps
    return None


def _matters(draft: Draft, setup: Setup, before: list[Step], after: tuple[Step, ...]) -> bool:
    """Return whether the repetitions of the last step in `before` can be observed.

    In the first attempts, the step must produce an output when it is repeated. Later, the steps in `after`
    must produce other outputs without it. After `_RELAXED` attempts any step is accepted.
    """
    if draft.attempt >= _RELAXED:
        return True
    play = partial(played, draft.component, draft.policies, setup)
    outputs = play([*map(alone, (*before, before[-1], *after))]) or []
    if draft.attempt < _WITH_OUTPUTS:
        return isinstance(outputs[len(before)], list) and bool(outputs[len(before)])
    others = play([*map(alone, (*before[:-1], *after))]) or []
    return outputs[-len(after) :] != others[-len(after) :]


def over_and_over(draft: Draft) -> Made | None:
    """Return a scenario of many rounds; None if they do not fit into event time. Of several drawn rounds, the
    scenario uses the one in which the most types of steps affect the outputs."""
    kinds = [*draft.component.kinds]
    wanted = draft.component.kinds[kinds[draft.index % len(kinds)]] if kinds else ()
    drawn = [_round(draft, wanted) for _ in range(_CANDIDATES)]
    setup, steps = max(drawn, key=lambda made: len(_types_that_matter(draft, *made)))
    rounds = _rounds(draft.component, steps, ROUNDS)
    return None if rounds is None else (setup, (*rounds, *draft.component.scale.closing(setup, rounds)))


def _round(draft: Draft, wanted: tuple[type[Step], ...]) -> Made:
    component, random, scale = draft.component, draft.random, draft.component.scale

    def unwanted(step: Step) -> bool:
        return scale.ends(step) or scale.lasting(step)

    setup, length = _setup_with(draft, *wanted), random.between(*_ROUND)
    return setup, effective_history(component, random, setup, length, draft.policies, unwanted)


def _rounds(component: Component, steps: tuple[Step, ...], number: int) -> tuple[Step, ...] | None:
    """Return the steps of this number of rounds; None if the rounds do not fit into event time."""
    moments = [moment for step in steps for moment in moments_of(step)]
    by = max(moments) - min(moments) + 1 if moments else 0
    rounds: list[Step] = []
    for place in range(number):
        moved = all_moved(steps, place * by, component.scale.moved)
        if moved is None:
            return None
        rounds += moved
    return tuple(rounds)


def _types_that_matter(draft: Draft, setup: Setup, steps: tuple[Step, ...]) -> set[type[Step]]:
    """Return the types of steps that affect the outputs. A type affects them if the outputs of three rounds
    change when one step of the type in the second round is ignored."""
    three = [*map(alone, _rounds(draft.component, steps, 3) or ())]
    play = partial(played, draft.component, draft.policies, setup)
    expected, matter = play(three), set[type[Step]]()
    for place in range(len(steps), min(2 * len(steps), len(three))):
        kind = type(three[place][0])
        if kind not in matter and expected != play([*three[:place], (), *three[place + 1 :]]):
            matter.add(kind)
    return matter


def long(draft: Draft, length: int) -> Made:
    """Return a random scenario of this number of steps."""
    component = draft.component
    setup = component.draw_setup(draft.random)
    ends = component.scale.ends if length > _WITH_ENDS else None
    return setup, effective_history(component, draft.random, setup, length, draft.policies, ends)


def far(draft: Draft) -> Made:
    """Return a scenario whose first steps advance time so far that sums of times come close to 2^63."""
    component, random, scale = draft.component, draft.random, draft.component.scale
    drawn = component.draw_setup(random)
    setup = drawn if draft.index % 2 or scale.far_setup is None else scale.far_setup
    engine = component.reference(setup, draft.policies)
    for step in scale.far:
        has_effect(component, engine, step)
    return setup, (*scale.far, *continued(component, random, engine, 2 * _AFTER, scale.too_far))
