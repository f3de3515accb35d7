"""Whether instances of an engine share state, asked in fresh processes, in which nothing ran before."""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec.structs import replace

from ..components.within import component_within
from ..drawing.histories import draw_history
from ..engine.apart import Question
from ..judging.items.isolation import first_difference
from ..judging.items.item_report import SeenInterference
from ..judging.reference.profiles import recorded_profile
from ..wire.results import Counterexample, PropertyResult, Results
from ..wire.scenario import Scenario
from ..wire.transcript import Transcript
from .fresh_process import Answers
from .replayed_counterexamples import decoded

_ALONE = 3
"""So often an instance alone, in a process of its own, must repeat itself before another one is blamed."""

_TOGETHER = 2
_AGAIN = 6
"""So many times more a pair must show the same before an engine is accused: one that now and then forgets a
watermark shares nothing, and seems to in one of a few hundred pairs."""

_CANDIDATES = 3
"""So many counterexamples of a component and so many of its drawn histories, the shortest of each, are tried
beside themselves."""

_DRAWN = 60

_WAYS: tuple[Literal["alternately"], Literal["one-after-the-other"]] = ("alternately", "one-after-the-other")

Pair = tuple[Scenario, Scenario]


def seeming_pairs(found: PropertyResult) -> list[Pair]:
    """The scenarios that show, or seem to show, that instances share state."""
    if found.interference is None:
        return []
    first, second = map(decoded, found.interference.scenarios)
    return [(first, second)]


def short_pairs(component: str, examples: Iterable[Counterexample], results: Results) -> list[Pair]:
    """Short scenarios of a component beside themselves: counterexamples, and histories that are drawn."""
    drawn_from = component_within(component, results.implementation.shapes)
    policies = recorded_profile(results.profile, results.own_profile).policies
    drawn = [draw_history(drawn_from, results.seed, index, policies) for index in range(_DRAWN)]
    possible = [one for one in drawn if set(one.needs) <= set(results.implementation.capabilities)]
    own = [decoded(one.scenario) for one in examples if one.scenario["component"] == component]
    return [beside_itself(one) for one in [*_shortest(own), *_shortest(possible)]]


def beside_itself(scenario: Scenario) -> Pair:
    """A scenario and the same once more, for a second instance."""
    return scenario, replace(scenario, id=f"{scenario.id}~beside")


def questions_about(pair: Pair) -> list[Question]:
    """Each scenario alone, and both together in two ways, several times."""
    return [
        *(
            Question(f"{one.id} alone {again}", "one-after-the-other", (one,))
            for one in pair
            for again in range(_ALONE)
        ),
        *(Question(f"{_both(pair)} {how} {again}", how, pair) for how in _WAYS for again in range(_TOGETHER)),
    ]


def smallest_interference(pairs: Iterable[Pair], answers: Answers) -> SeenInterference | None:
    """The shortest of these pairs in which an instance does not do what it does alone; None if there is
    none."""
    seen = [one for one in (seen_in(pair, answers) for pair in pairs) if one is not None]
    return min(seen, key=lambda one: sum(len(scenario.history) for scenario in one.scenarios), default=None)


def questions_again(seen: SeenInterference) -> list[Question]:
    """What an interference was seen in, to be asked again: each scenario alone, and both together."""
    how = _WAYS[0] if seen.alternately else _WAYS[1]
    return [
        question
        for again in range(_AGAIN)
        for question in (
            Question(_again("first", again), "one-after-the-other", seen.scenarios[:1]),
            Question(_again("second", again), "one-after-the-other", seen.scenarios[1:]),
            Question(_again("both", again), how, seen.scenarios),
        )
    ]


def is_lasting(seen: SeenInterference, answers: Answers) -> bool:
    """Whether these answers to `questions_again` are what was seen, each time."""
    wanted = {"first": list(seen.alone[:1]), "second": list(seen.alone[1:]), "both": list(seen.together)}
    return all(
        answers.get(_again(which, again)) == transcripts
        for which, transcripts in wanted.items()
        for again in range(_AGAIN)
    )


def were_asked(pairs: Iterable[Pair], answers: Answers) -> bool:
    """Whether an engine answered anything about these pairs."""
    return any(question.name in answers for pair in pairs for question in questions_about(pair))


def _shortest(scenarios: Iterable[Scenario]) -> list[Scenario]:
    return sorted(scenarios, key=lambda one: len(one.history))[:_CANDIDATES]


def _again(which: str, again: int) -> str:
    return f"{which} again {again}"


def _both(pair: Pair) -> str:
    return f"{pair[0].id} {pair[1].id}"


def seen_in(pair: Pair, answers: Answers) -> SeenInterference | None:
    """What two instances show in fresh processes; None if each does as it does alone, or if not even that
    repeats."""
    first, second = (
        _steadily([answers.get(f"{one.id} alone {again}") for again in range(_ALONE)]) for one in pair
    )
    if first is None or second is None:
        return None
    for how in _WAYS:
        together = _steadily([answers.get(f"{_both(pair)} {how} {again}") for again in range(_TOGETHER)])
        if together is None:
            continue
        seen = SeenInterference(
            pair, (first[0], second[0]), (together[0], together[1]), alternately=how == "alternately"
        )
        if first_difference(seen) is not None:
            return seen
    return None


def _steadily(answers: Sequence[Sequence[Transcript | None] | None]) -> list[Transcript] | None:
    """The transcripts that were given each time; None if they were not the same, or not given."""
    first = answers[0]
    if not first or any(one != first for one in answers):
        return None
    whole = [one for one in first if one is not None]
    return whole if len(whole) == len(first) else None
