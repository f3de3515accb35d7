"""The smallest history that still fails: one shrinker of data, for every engine.

Each round makes all candidates (runs of steps left out, simpler setups and numbers) and tries them in one
batch, so that an engine behind a slow call is called a few times only. Candidates stay legal scenarios.
"""

import time
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from ...components.registry import COMPONENTS
from ...wire.base_scenario import Origin
from ...wire.scenario import Scenario, component_of, encode_scenario, problems
from ...wire.vocabulary import Step

_SHORT = 100
"""Steps of a history of which everything is tried; of a longer one parts are left out."""

_STEPS_A_ROUND = 60_000

StillFails = Callable[[Sequence[Scenario]], list[int | None]]
"""For each scenario the index of the last step needed to see the failure, or None if it does not fail."""


def shrink(scenario: Scenario, still_fails: StillFails, seconds: float) -> Scenario:
    """Reduce `scenario`, which fails, as far as it goes or until `seconds` are over."""
    deadline = time.monotonic() + seconds
    best = _cut(scenario, still_fails([scenario])[0], still_fails)
    while time.monotonic() < deadline:
        candidates = [c for c in _unique(_candidates(best)) if _size(c) < _size(best) and not problems(c)]
        failing = [
            (candidate, last_step)
            for candidate, last_step in zip(candidates, still_fails(candidates), strict=True)
            if last_step is not None
        ]
        if not failing:
            break
        smallest, last_step = min(failing, key=lambda entry: _size(_up_to(*entry)))
        best = _cut(smallest, last_step, still_fails)
    return best


def _cut(scenario: Scenario, last_step: int | None, still_fails: StillFails) -> Scenario:
    """The scenario up to `last_step`, if it still fails without the rest."""
    if last_step is None or last_step == len(scenario.history) - 1:
        return scenario
    cut = _up_to(scenario, last_step)
    return cut if still_fails([cut])[0] is not None else scenario


def _up_to(scenario: Scenario, last_step: int) -> Scenario:
    return _with(scenario, scenario.history[: last_step + 1])


def _candidates(scenario: Scenario) -> Iterator[Scenario]:
    """The candidates of a round; of a long history as many as may be tried in it, the shortest first."""
    if len(scenario.history) <= _SHORT:
        yield from _all_candidates(scenario)
        return
    left = _STEPS_A_ROUND
    for candidate in _coarse_candidates(scenario):
        left -= len(candidate.history)
        if left < 0:
            return
        yield candidate


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
    for first in range(len(history)):
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
