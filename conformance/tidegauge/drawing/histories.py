"""Random histories guided by the reference: nearly every step changes its state or makes it output."""

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import chain, islice
from typing import Any, NamedTuple

from tidegauge_reference import Policies, citations

from ..components.component import Component
from ..components.leading_watermarks import leading_watermark
from ..components.outside import outside
from ..components.shared.random_source import RandomSource
from ..components.shared.upstream import Upstream, ends_input
from ..wire.base_scenario import Origin
from ..wire.scenario import Scenario
from ..wire.timestamps import needs_int64
from ..wire.vocabulary import Restore, Snapshot, Step

_KEPT_WITHOUT_EFFECT = 12
"""Percentage of steps without effect that are kept: that nothing happens must be tried as well."""

_SHORTEST = 5
"""The smallest number of steps."""

_MOST_REFUSED = 200
"""After this number of drawn steps that upstream never sends, nothing is left to send."""

_LONGEST = (8, 8, 8, 72)
"""The largest number of steps, from which one is picked. Most scenarios are short, so that many setups are
covered. Every fourth scenario may be long, since states that combine several conditions are reached late."""

_BLOCK = 250
"""So many are drawn together: all numbers of the budgets are multiples of it."""

_BLOCKS_KEPT = 100
"""The histories of two components at the default budget. A run looks at those of a component several times:
they are compared with the reference, each of its properties is checked on the first of them, and a call that
is begun ahead is given those of the next component, too."""


class Answer(NamedTuple):
    """The answer of the reference to a step.

    Attributes:
        returned: the outputs that the method of the step returned; the exception, if the step was refused.
        cited: the decisions, in their order.
    """

    returned: Any
    cited: tuple[str, ...]


class Answered(NamedTuple):
    """A drawn scenario, with the answers of the reference.

    Attributes:
        scenario: the scenario.
        answers: the answer of the reference to each step while the scenario was drawn. None if these may not
            be its answers to the scenario: the reference executed other steps, as with a restored snapshot,
            or a skipped step may have changed more than the visible state.
    """

    scenario: Scenario
    answers: tuple[Answer, ...] | None


def has_effect(component: Component, engine: Any, step: Step) -> bool:
    """Do a step on a reference engine; whether it output, was refused, or changed the state."""
    before = engine.state()
    return bool(_returned(component, engine, step)) or engine.state() != before


def _returned(component: Component, engine: Any, step: Step) -> Any:
    """Execute a step. Return what its method returned, or the exception that refused the step."""
    try:
        return component.calls[type(step)](engine, step)
    except (ValueError, RuntimeError) as refusal:
        return refusal.with_traceback(None)


def effective_history(
    component: Component,
    random: RandomSource,
    setup: Any,
    length: int,
    policies: Policies,
    unwanted: Callable[[Step], bool] | None = None,
) -> tuple[Step, ...]:
    """A history of so many steps on `setup`, none of which is `unwanted`."""
    return continued(component, random, component.reference(setup, policies), length, unwanted)


def continued(
    component: Component,
    random: RandomSource,
    engine: Any,
    length: int,
    unwanted: Callable[[Step], bool] | None = None,
    collected: list[str] | None = None,
    answers: list[Answer] | None = None,
    upstream: Upstream | None = None,
) -> tuple[Step, ...]:
    """Draw steps that continue from the current state of a reference engine, which executes them.

    Args:
        component: the component of the engine.
        random: the source of the choices.
        engine: the reference engine; its state changes.
        length: the number of steps.
        unwanted: returns whether to skip a step, for example because little can happen after it.
        collected: the list that collects the citations of the reference.
        answers: the list that receives the answer of the reference to each of the steps.
        upstream: what upstream has sent so far; None if it has sent nothing.

    Returns:
        The steps; fewer than `length` if upstream has nothing left to send, one more if the last one is a
        record that needs a watermark before it.
    """
    history: list[Step] = []
    state = engine.state()
    if upstream is None:
        upstream = Upstream(component.shape.contract if component.shape is not None else ())
    refused = 0
    pending: list[Step] = []
    while (len(history) < length or pending) and refused < _MOST_REFUSED:
        step = pending.pop() if pending else component.draw_step(random, engine)
        if unwanted is not None and unwanted(step):
            continue
        if upstream.contract and (watermark := leading_watermark(component, upstream, step)) is not None:
            pending += [step, watermark]
            continue
        if upstream.contract and (upstream.breach(step) or _ends_too_early(upstream, step, history)):
            refused += 1
            continue
        refused = 0
        if collected:  # choosing the step reads the engine, which may cite as well
            collected.clear()
        returned, before = _returned(component, engine, step), state
        cited = tuple(collected) if collected else ()
        state = engine.state()
        if returned or state != before or random.chance(_KEPT_WITHOUT_EFFECT):
            history.append(step)
            if answers is not None:
                answers.append(Answer(returned, cited))
            if upstream.contract:
                upstream.send(step)
    return tuple(history)


def _ends_too_early(upstream: Upstream, step: Step, history: Sequence[Step]) -> bool:
    """Whether a step ends an input after which upstream may send nothing, before there is a history."""
    return len(history) < _SHORTEST and "input-after-end" in upstream.contract and ends_input(step)


def longest_of(component: Component) -> int:
    """The largest number of steps of a scenario, without a snapshot and a restore."""
    longest = component.shape.longest_history if component.shape is not None else None
    return sys.maxsize if longest is None else max(2, longest - 2)


def draw_history(component: Component, seed: int, index: int, policies: Policies) -> Scenario:
    """The scenario that (seed, index) stands for under `policies`."""
    random = RandomSource(seed, index)
    setup, length = _setup_and_length(component, random)
    history = effective_history(component, random, setup, length, policies)
    return _scenario(component, random, seed, index, setup, history)


def answered_history(component: Component, seed: int, index: int, policies: Policies) -> Answered:
    """Return the same scenario as `draw_history`, with the answers of the reference while it was drawn."""
    random = RandomSource(seed, index)
    setup, length = _setup_and_length(component, random)
    answers: list[Answer] = []
    engine = component.reference(setup, policies)
    with citations() as collected:
        history = continued(component, random, engine, length, collected=collected, answers=answers)
    scenario = _scenario(component, random, seed, index, setup, history)
    # The reference also executed the skipped steps. They have no effect only if the state shows every effect.
    same_steps = len(scenario.history) == len(answers) and component.whole_state(policies)
    return Answered(scenario, tuple(answers) if same_steps else None)


def _setup_and_length(component: Component, random: RandomSource) -> tuple[Any, int]:
    setup = component.draw_setup(random)
    return setup, min(random.between(_SHORTEST, random.pick(_LONGEST)), longest_of(component))


def _scenario(
    component: Component, random: RandomSource, seed: int, index: int, setup: Any, drawn: tuple[Step, ...]
) -> Scenario:
    """Return the scenario with these steps, sometimes with a snapshot and a restore among them."""
    history = list(drawn)
    needs = ["int64"] if any(map(needs_int64, history)) else []
    if random.chance(10) and "snapshot" in component.extras:
        interrupted = _interrupted(random, history)
        if not outside(component, setup, interrupted):
            history = interrupted
            needs.append("snapshot")
    border = random.between(1, len(history) - 1)
    scenario = partial(component.scenario, needs=tuple(needs), groups=(border, len(history) - border))
    return scenario(
        id=f"{component.name}:seed:{seed}{component.mark}:{index}",
        setup=setup,
        history=tuple(history),
        origin=Origin("seed", seed=seed, index=index),
    )


def drawn_histories(
    component: Component, seed: int, start: int, stop: int, policies: Policies
) -> tuple[Answered, ...]:
    """The scenarios of the indices from `start` to below `stop`."""
    blocks = range(start // _BLOCK, -(-stop // _BLOCK))
    drawn = chain.from_iterable(_block(component, seed, block, policies) for block in blocks)
    return tuple(islice(drawn, start % _BLOCK, start % _BLOCK + stop - start))


@lru_cache(maxsize=_BLOCKS_KEPT)
def _block(component: Component, seed: int, number: int, policies: Policies) -> tuple[Answered, ...]:
    """The scenarios of `_BLOCK` indices."""
    indices = range(number * _BLOCK, (number + 1) * _BLOCK)
    return tuple(answered_history(component, seed, index, policies) for index in indices)


def _interrupted(random: RandomSource, history: list[Step]) -> list[Step]:
    """The history with a snapshot somewhere, and a restore at the same place or later."""
    saved = random.between(0, len(history))
    restored = saved if random.chance(50) else random.between(saved, len(history))
    return [*history[:saved], Snapshot(), *history[saved:restored], Restore(), *history[restored:]]
