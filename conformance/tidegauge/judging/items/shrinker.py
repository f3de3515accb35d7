"""The smallest history that still fails: one shrinker of data, for every engine.

Each round makes all candidates (runs of steps left out, simpler setups and numbers) and tries them in one
batch, so that an engine behind a slow call is called a few times only. Candidates stay legal scenarios.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ...components.registry import COMPONENTS
from ...wire.base_scenario import Origin
from ...wire.scenario import Scenario, component_of, encode_scenario, problems
from ...wire.vocabulary import Step

_SHORT = 20
"""Largest number of steps of a scenario for which all candidates are tried from the start. For a longer
scenario, only coarse candidates are tried while they still fail: 40 steps have 80 coarse candidates, and
1,000 in all."""

_SHORT_ENOUGH_FOR_PAIRS = 30
"""Largest number of steps of a scenario for which any two steps are left out together: 30 steps have 435 such
candidates, 100 steps have 4,950."""

_STEPS_A_ROUND = 20_000
"""Largest number of steps of all candidates in one round."""


class Effort(NamedTuple):
    """The limit of work for shrinking one scenario. It does not depend on the load of the machine.

    Attributes:
        rounds: the largest number of rounds; a round makes two calls of the engine.
        steps: the largest number of steps of all candidates together.
    """

    rounds: int
    steps: int


EFFORT = Effort(rounds=100, steps=100_000)
"""The limit for an engine in this process; it takes some seconds."""

EFFORT_OF_CALLS = Effort(rounds=4, steps=100_000)
"""The limit for an engine with calls that take seconds."""

NO_EFFORT = Effort(0, 0)
"""The limit that disables shrinking."""

StillFails = Callable[[Sequence[Scenario]], list[int | None]]
"""For each scenario the index of the last step needed to see the failure, or None if it does not fail."""


def shrink(scenario: Scenario, still_fails: StillFails, effort: Effort = EFFORT) -> Scenario:
    """Return the smallest failing scenario that can be made of the failing `scenario` within the limit of
    work."""
    best = _cut(scenario, still_fails([scenario])[0], still_fails)
    left, everything = effort.steps, False
    for _ in range(effort.rounds):
        everything = everything or len(best.history) <= _SHORT
        candidates = list(_smaller(best, _all_candidates if everything else _coarse_candidates, left))
        left -= sum(len(candidate.history) for candidate in candidates)
        failing = _failing(candidates, still_fails)
        if not failing and everything:
            break
        everything = not failing
        if failing:
            failing += _failing(list(_unique(_without_several(best, failing))), still_fails)
            smallest, last_step = min(failing, key=lambda entry: _size(_up_to(*entry)))
            best = _cut(smallest, last_step, still_fails)
    return best


def _smaller(
    scenario: Scenario, make: Callable[[Scenario], Iterator[Scenario]], steps: int
) -> Iterator[Scenario]:
    """Yield the candidates of a round: legal scenarios that are smaller than `scenario`."""
    size = _size(scenario)
    candidates = _unique(make(scenario))
    smaller = (each for each in candidates if _size(each) < size and not problems(each))
    return _up_to_steps(smaller, min(steps, _STEPS_A_ROUND))


def _failing(candidates: Sequence[Scenario], still_fails: StillFails) -> list[tuple[Scenario, int]]:
    """Return the failing candidates, each with the last step needed to see the failure."""
    last_steps = still_fails(candidates) if candidates else []
    pairs = zip(candidates, last_steps, strict=True)
    return [(candidate, last_step) for candidate, last_step in pairs if last_step is not None]


def _without_several(scenario: Scenario, failing: Sequence[tuple[Scenario, int]]) -> Iterator[Scenario]:
    """Yield the scenario without several steps at once.

    The candidates are the steps without which, left out one at a time, the scenario still fails. All of them
    are left out together, then each half, each quarter and each eighth of them.
    """
    needless = [
        next(place for place, step in enumerate(scenario.history) if candidate.history[place:][:1] != (step,))
        for candidate, _ in failing
        if candidate.setup == scenario.setup and len(candidate.history) == len(scenario.history) - 1
    ]
    length = len(needless)
    while length > 1 and length >= len(needless) // 8:
        for start in range(0, len(needless), length):
            left_out = set(needless[start : start + length])
            steps = tuple(step for place, step in enumerate(scenario.history) if place not in left_out)
            candidate = _with(scenario, steps)
            if not problems(candidate):
                yield candidate
        length //= 2


def _up_to_steps(candidates: Iterator[Scenario], steps: int) -> Iterator[Scenario]:
    """Yield candidates until they have more than `steps` steps together."""
    for candidate in candidates:
        steps -= len(candidate.history)
        if steps < 0:
            return
        yield candidate


def _cut(scenario: Scenario, last_step: int | None, still_fails: StillFails) -> Scenario:
    """The scenario up to `last_step`, if it still fails without the rest."""
    if last_step is None or last_step == len(scenario.history) - 1:
        return scenario
    cut = _up_to(scenario, last_step)
    return cut if still_fails([cut])[0] is not None else scenario


def _up_to(scenario: Scenario, last_step: int) -> Scenario:
    return _with(scenario, scenario.history[: last_step + 1])


def _coarse_candidates(scenario: Scenario) -> Iterator[Scenario]:
    """Setups with less, and the history without one of two halves, four quarters and so on."""
    history = scenario.history
    simpler = COMPONENTS[component_of(scenario)].fewer(scenario.setup, history)
    yield from (replace(_with(scenario, steps), setup=setup) for setup, steps in simpler)
    length = len(history) // 2
    while length:
        for start in range(0, len(history), length):
            yield _with(scenario, history[:start] + history[start + length :])
        length //= 2


def _all_candidates(scenario: Scenario) -> Iterator[Scenario]:
    history = scenario.history
    for length in sorted({len(history) // 2, len(history) // 4, 3, 2, 1} - {0}, reverse=True):
        for start in range(len(history) - length + 1):
            yield _with(scenario, history[:start] + history[start + length :])
    for first in range(len(history) if len(history) <= _SHORT_ENOUGH_FOR_PAIRS else 0):
        for second in range(first + 2, len(history)):
            yield _with(scenario, history[:first] + history[first + 1 : second] + history[second + 1 :])
    for setup, simpler in COMPONENTS[component_of(scenario)].fewer(scenario.setup, history):
        yield replace(_with(scenario, simpler), setup=setup)
    for setup, simpler in COMPONENTS[component_of(scenario)].simplify(scenario.setup, history):
        yield replace(_with(scenario, simpler), setup=setup)


def _with(scenario: Scenario, history: tuple[Step, ...]) -> Scenario:
    """The scenario with another history; a border stays where the last step is observed by itself."""
    groups = (len(history) - 1, 1) if scenario.groups and len(history) > 1 else ()
    found_as = scenario.origin.of if scenario.origin.kind == "shrunk" else scenario.id
    origin = Origin("shrunk", of=found_as)
    return replace(scenario, history=history, groups=groups, origin=origin)


def _unique(candidates: Iterator[Scenario]) -> Iterator[Scenario]:
    """Different candidates, renamed apart."""
    seen = set()
    for candidate in candidates:
        key = (candidate.setup, candidate.history)
        if candidate.history and key not in seen:
            seen.add(key)
            yield replace(candidate, id=f"{candidate.origin.of}:shrunk:{len(seen)}")


def _size(scenario: Scenario) -> tuple[int, int, bytes]:
    setup_and_history = encode_scenario(replace(scenario, id="", origin=Origin("own")))
    return len(scenario.history), len(setup_and_history), setup_and_history
