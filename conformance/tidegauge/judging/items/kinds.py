"""Groups failing scenarios by the kind of their first difference. Two scenarios that differ at the same type
of step, with the same types of outputs expected and got, are likely to have one cause. Each kind gets its own
minimal counterexample."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from ...wire.scenario import Scenario
from ...wire.transcript import Outputs
from .judge import Judgement

Failing = tuple[Scenario, Judgement]
Item = TypeVar("Item")


class Kind(NamedTuple):
    """A kind of difference.

    Attributes:
        step: the type of the last step in the first span that differs.
        expected: the types of the outputs that only the specification has in that span, each once.
        got: the types of the outputs that only the engine has in that span, each once.
    """

    step: str
    expected: tuple[str, ...]
    got: tuple[str, ...]


def kind_of(step: object, expected: Outputs, got: object) -> Kind:
    """Return the kind of a difference. If the engine gave no answer, `got` is empty."""
    answered = got if isinstance(got, tuple) else ()
    begin = _common_prefix(expected, answered)
    end = _common_prefix(expected[begin:][::-1], answered[begin:][::-1])
    only = (outputs[begin : len(outputs) - end] for outputs in (expected, answered))
    return Kind(type(step).__name__, *map(_types, only))


def _common_prefix(left: Sequence[object], right: Sequence[object]) -> int:
    """Return the length of the common prefix."""
    pairs = zip(left, right, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def kind_of_failure(scenario: Scenario, judgement: Judgement) -> Kind:
    """Return the kind of the first difference in a judged scenario."""
    return kind_of(scenario.history[judgement.last_step], judgement.expected, judgement.got)


def by_kind(failing: Iterable[Failing]) -> dict[Kind, list[Failing]]:
    """Return the failing scenarios of each kind, the earliest difference first, then the shortest
    scenario."""
    kinds: dict[Kind, list[Failing]] = {}
    for scenario, judgement in sorted(failing, key=_earliest):
        kinds.setdefault(kind_of_failure(scenario, judgement), []).append((scenario, judgement))
    return kinds


def some_of_each(kinds: Iterable[Sequence[Item]], at_most: int) -> list[Item]:
    """Return the first item of each kind, then the second of each, and so on, `at_most` in all."""
    taken = [item for rank in zip_longest(*kinds) for item in rank if item is not None]
    return taken[:at_most]


def _earliest(failing: Failing) -> tuple[int, int, str]:
    scenario, judgement = failing
    return judgement.last_step, len(scenario.history), scenario.id


def _types(outputs: Sequence[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(type(output).__name__ for output in outputs))
