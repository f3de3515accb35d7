"""Random histories guided by the reference: nearly every step changes its state or makes it output."""

from functools import partial

from tidegauge_reference import Policies

from ..component import Component
from ..scenario import Origin, Scenario
from ..vocabulary import Restore, Snapshot, Step
from .random_source import RandomSource

_KEPT_WITHOUT_EFFECT = 12
"""Percentage of steps without effect that are kept: that nothing happens must be tried as well."""


def has_effect(component: Component, engine: object, step: Step) -> bool:
    """Do a step on a reference engine; whether it output, was refused, or changed the state."""
    before = engine.state()  # type: ignore[attr-defined]
    try:
        outputs = component.calls[type(step)](engine, step)
    except (ValueError, RuntimeError):
        return True
    return bool(outputs) or engine.state() != before  # type: ignore[attr-defined]


def draw_history(component: Component, seed: int, index: int, policies: Policies) -> Scenario:
    """The scenario that (seed, index) stands for under `policies`."""
    random = RandomSource(seed, index)
    setup = component.draw_setup(random)
    engine = component.reference(setup, policies)
    length = random.between(5, 24)
    history: list[Step] = []
    while len(history) < length:
        step = component.draw_step(random, engine)
        if has_effect(component, engine, step) or random.chance(_KEPT_WITHOUT_EFFECT):
            history.append(step)
    needs: tuple[str, ...] = ()
    if random.chance(10):
        history = _interrupted(random, history)
        needs = ("snapshot",)
    border = random.between(1, len(history) - 1)
    scenario = partial(component.scenario, needs=needs, groups=(border, len(history) - border))
    return scenario(
        id=f"{component.name}:seed:{seed}:{index}",
        setup=setup,
        history=tuple(history),
        origin=Origin("seed", seed=seed, index=index),
    )


def _interrupted(random: RandomSource, history: list[Step]) -> list[Step]:
    """The history with a snapshot somewhere, and a restore at the same place or later."""
    saved = random.between(0, len(history))
    restored = saved if random.chance(50) else random.between(saved, len(history))
    return [*history[:saved], Snapshot(), *history[saved:restored], Restore(), *history[restored:]]
