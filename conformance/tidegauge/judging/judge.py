"""A transcript against the reference: the first divergence, and what was shown until then."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..scenario import Scenario
from ..transcript import Failure, Observation, Outputs, Transcript, joined, spans
from .oracle import Expectation

NO_TRANSCRIPT = Failure("missing", "the adapter returned no transcript for this scenario")


@dataclass(frozen=True, slots=True)
class Judgement:
    """The comparison of one transcript.

    `diverges_at` is the first observed span that differs (None: none does), `last_step` the last step of
    that span. `cited` are the decisions of the reference up to and including it. `shown` maps each rule to
    the number of steps in which it decided, counted only up to the last step after which an expected output
    really came: that an input is ignored shows only when a later output agrees.
    """

    diverges_at: int | None
    last_step: int
    cited: frozenset[str]
    shown: dict[str, int]
    expected: Outputs
    got: Outputs | Failure


def same_outputs(expected: Outputs, got: Outputs) -> bool:
    """Equal for each receiver; order between receivers does not count."""
    if expected == got:
        return True
    receivers = {output.to for output in (*expected, *got)}
    if len(receivers) < 2 or len(expected) != len(got):
        return False
    return all(
        [output for output in expected if output.to == receiver]
        == [output for output in got if output.to == receiver]
        for receiver in receivers
    )


def judge(
    scenario: Scenario, transcript: Transcript | None, expectation: Expectation, observes: Observation
) -> Judgement:
    """Compare a transcript (None: the adapter gave none) with what the reference says."""
    lengths = spans(scenario, observes)
    expected = expectation.outputs if observes == "step" else joined(expectation.outputs, lengths)
    got: tuple[Outputs, ...] = () if transcript is None else transcript.outputs
    failure = NO_TRANSCRIPT if transcript is None else transcript.failure
    agreed = _agreeing(expected, got)
    last_heard = max((index for index in range(agreed) if expected[index]), default=-1)
    shown = _counted(expectation.cited[: sum(lengths[: last_heard + 1])])
    if agreed == len(expected) and agreed == len(got) and failure is None:
        return Judgement(None, -1, _all(expectation.cited), shown, (), ())
    if agreed == len(expected):
        answer: Outputs | Failure = failure or Failure(
            "protocol", f"{len(got)} observed spans where the scenario has {len(expected)}"
        )
        steps = len(scenario.history)
        return Judgement(agreed, steps - 1, _all(expectation.cited), shown, (), answer)
    steps = sum(lengths[: agreed + 1])
    if agreed < len(got):
        answer = got[agreed]
    else:
        answer = failure or Failure("missing", "the transcript ends before this step")
    return Judgement(agreed, steps - 1, _all(expectation.cited[:steps]), shown, expected[agreed], answer)


def _agreeing(expected: Sequence[Outputs], got: Sequence[Outputs]) -> int:
    """The number of spans at the start that agree."""
    for index, (wanted, given) in enumerate(zip(expected, got, strict=False)):
        if wanted != given and not same_outputs(wanted, given):
            return index
    return min(len(expected), len(got))


def _all(cited: Sequence[tuple[str, ...]]) -> frozenset[str]:
    return frozenset(decision for step in cited for decision in step)


def _counted(cited: Sequence[tuple[str, ...]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for step in cited:
        for rule in {decision.removesuffix("!") for decision in step}:
            counts[rule] = counts.get(rule, 0) + 1
    return counts
