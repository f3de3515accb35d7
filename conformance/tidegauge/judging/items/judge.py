"""A transcript against the reference: the first divergence, and what was shown until then."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain

from msgspec import Struct

from tidegauge_spec import load_registry

from ...wire.scenario import Scenario, component_of
from ...wire.transcript import (
    NO_TRANSCRIPT,
    Failure,
    Observation,
    Outputs,
    Transcript,
    joined,
    same_outputs,
    spans,
)
from ...wire.vocabulary import Restore, Snapshot, Step
from ..reference.oracle import Expectation


class Judgement(Struct, frozen=True, gc=False):
    """The comparison of one transcript.

    `diverges_at` is the first observed span that differs (None: none does), `last_step` the last step of that
    span. `unanswered` says why no answer came to a span before which none differs: such a scenario is no
    comparison, and `last_step` is where the answer is missing. `cited` are the decisions of the reference up
    to and including that span, `deciding` the rules that decide in it, `unreached` those that decide only
    after it, where no answer came. `shown` maps each rule to the number of steps in which it decided, counted
    only up to the last step after which an expected output really came: that an input is ignored shows only
    when a later output agrees.
    """

    diverges_at: int | None
    last_step: int
    cited: frozenset[str]
    shown: dict[str, int]
    expected: Outputs
    got: Outputs | Failure
    unanswered: Failure | None = None
    deciding: frozenset[str] = frozenset()
    unreached: frozenset[str] = frozenset()

    @property
    def agrees(self) -> bool:
        """Whether the engine answered, and as the reference does."""
        return self.diverges_at is None and self.unanswered is None


def judge(
    scenario: Scenario, transcript: Transcript | None, expectation: Expectation, observes: Observation
) -> Judgement:
    """Compare a transcript (None: the adapter gave none) with what the reference says."""
    lengths = spans(scenario, observes)
    expected = expectation.outputs if observes == "step" else joined(expectation.outputs, lengths)
    got: tuple[Outputs, ...] = () if transcript is None else transcript.outputs
    failure = NO_TRANSCRIPT if transcript is None else transcript.failure
    agreed = _agreeing(expected, got)
    last_heard = next((index for index in reversed(range(agreed)) if expected[index]), -1)
    shown = _counted(expectation.cited[: sum(lengths[: last_heard + 1])])
    if agreed == len(expected) and agreed == len(got) and failure is None:
        return Judgement(None, -1, _all(expectation.cited), shown, (), ())
    # Of more spans than the scenario has nobody knows which is which.
    too_many = len(got) > len(expected)
    if agreed < min(len(expected), len(got)) and not too_many:
        steps = sum(lengths[: agreed + 1])
        cited = _suspected(scenario, expectation.cited, steps)
        return Judgement(agreed, steps - 1, cited, shown, expected[agreed], got[agreed])
    if agreed == len(expected) or too_many:
        text = f"{len(got)} observed spans where the scenario has {len(expected)}"
        missing = failure or Failure("protocol", text)
    else:
        missing = failure or Failure("missing", "the transcript ends before this step")
    first, steps = sum(lengths[:agreed]), sum(lengths[: agreed + 1])
    cited = _suspected(scenario, expectation.cited, steps)
    deciding = rules_named(_deciding(scenario, expectation, first, steps))
    unreached = rules_named(_all(expectation.cited[steps:])) - deciding
    wanted = expected[agreed] if agreed < len(expected) else ()
    return Judgement(
        diverges_at=None,
        last_step=steps - 1,
        cited=cited,
        shown=shown,
        expected=wanted,
        got=missing,
        unanswered=missing,
        deciding=deciding,
        unreached=unreached,
    )


def _agreeing(expected: Sequence[Outputs], got: Sequence[Outputs]) -> int:
    """The number of spans at the start that agree."""
    if tuple(expected) == tuple(got):
        return len(expected)
    for index, (wanted, given) in enumerate(zip(expected, got, strict=False)):
        if wanted != given and not same_outputs(wanted, given):
            return index
    return min(len(expected), len(got))


def _all(cited: Sequence[tuple[str, ...]]) -> frozenset[str]:
    return frozenset(chain.from_iterable(cited))


def _suspected(scenario: Scenario, cited: Sequence[tuple[str, ...]], steps: int) -> frozenset[str]:
    """The decisions made in so many steps. Where an engine diverges before any is made: all rules of the
    component, or at a snapshot those about snapshots."""
    if decisions := _all(cited[:steps]):
        return decisions
    return _about_snapshots(scenario, scenario.history[:steps]) or _rules_of(scenario)


def _deciding(scenario: Scenario, expectation: Expectation, first: int, steps: int) -> frozenset[str]:
    """The decisions made in the steps from `first` on, or if there are none, what they show: a snapshot the
    rules about snapshots, any other step the decisions before it."""
    if decisions := _all(expectation.cited[first:steps]):
        return decisions
    about_snapshots = _about_snapshots(scenario, scenario.history[first:steps])
    return about_snapshots or _suspected(scenario, expectation.cited, steps)


def _about_snapshots(scenario: Scenario, steps: Sequence[Step]) -> frozenset[str]:
    if not any(isinstance(step, Snapshot | Restore) for step in steps):
        return frozenset()
    rules = load_registry().of_component(component_of(scenario))
    return frozenset(rule.id for rule in rules if rule.needs == ("snapshot",))


def _rules_of(scenario: Scenario) -> frozenset[str]:
    return frozenset(rule.id for rule in load_registry().of_component(component_of(scenario)))


def rules_named(decisions: Iterable[str]) -> frozenset[str]:
    """Return the rules of decisions: `VALVE-2` and `VALVE-2!` are of VALVE-2."""
    return frozenset(decision.removesuffix("!") for decision in decisions)


def _counted(cited: Sequence[tuple[str, ...]]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for step in cited:
        for rule in _rules_in(step):
            numbers[rule] = numbers.get(rule, 0) + 1
    return numbers


@lru_cache(maxsize=4096)
def _rules_in(step: tuple[str, ...]) -> frozenset[str]:
    """The rules of a step's decisions; most steps of a run decide as many others did."""
    return rules_named(step)
