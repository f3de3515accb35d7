"""Random histories guided by the reference: nearly every step changes its state or makes it output."""

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import chain, islice
from typing import Any, NamedTuple

from tidegauge_reference import Policies, citations

from ..components.component import Component
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
    """What the reference did in a step.

    Attributes:
        returned: the outputs that its method returned; the exception, if the step was refused.
        cited: the decisions, in their order.
    """

    returned: Any
    cited: tuple[str, ...]


class Answered(NamedTuple):
    """A drawn scenario.

    Attributes:
        scenario: the scenario.
        answers: what the reference did in each step while the scenario was drawn; None if the reference did
            other steps than those of the scenario, as where a snapshot is restored.
    """

    scenario: Scenario
    answers: tuple[Answer, ...] | None


def has_effect(component: Component, engine: Any, step: Step) -> bool:
    """Do a step on a reference engine; whether it output, was refused, or changed the state."""
    before = engine.state()
    return bool(_returned(component, engine, step)) or engine.state() != before


def _returned(component: Component, engine: Any, step: Step) -> Any:
    """Do a step; what its method returned, or the exception by which it was refused."""
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
) -> tuple[Step, ...]:
    """Draw steps that continue from the current state of a reference engine, which executes them.

    Args:
        component: the component of the engine.
        random: the source of the choices.
        engine: the reference engine; its state changes.
        length: the number of steps.
        unwanted: returns whether to skip a step, for example because little can happen after it.
        collected: the list in which the citations of the reference are being collected.
        answers: the list to which what the reference does in each of the steps is added.

    Returns:
        The steps; fewer than `length` if upstream has nothing left to send.
    """
    history: list[Step] = []
    state = engine.state()
    upstream = Upstream(component.shape.contract if component.shape is not None else ())
    refused = 0
    while len(history) < length and refused < _MOST_REFUSED:
        step = component.draw_step(random, engine)
        if unwanted is not None and unwanted(step):
            continue
        if upstream.contract and (upstream.breach(step) or _ends_too_early(upstream, step, history)):
            refused += 1
            continue
        refused = 0
        if collected:  # the choice of the step looks at the engine, which may cite, too
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
    """The same scenario, with what the reference answers while it is drawn."""
    random = RandomSource(seed, index)
    setup, length = _setup_and_length(component, random)
    answers: list[Answer] = []
    engine = component.reference(setup, policies)
    with citations() as collected:
        history = continued(component, random, engine, length, collected=collected, answers=answers)
    scenario = _scenario(component, random, seed, index, setup, history)
    # Steps without effect were left out after they had been done: the state does not show that.
    same_steps = len(scenario.history) == len(answers) and component.whole_state(policies)
    return Answered(scenario, tuple(answers) if same_steps else None)


def _setup_and_length(component: Component, random: RandomSource) -> tuple[Any, int]:
    setup = component.draw_setup(random)
    return setup, min(random.between(_SHORTEST, random.pick(_LONGEST)), longest_of(component))


def _scenario(
    component: Component, random: RandomSource, seed: int, index: int, setup: Any, drawn: tuple[Step, ...]
) -> Scenario:
    """The scenario with these steps, now and then with a snapshot and a restore among them."""
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
