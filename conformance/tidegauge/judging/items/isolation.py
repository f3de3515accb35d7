"""Do instances of an engine share state? Two scenarios are stepped alternately, and compared with each alone.

The reference is not asked: an engine that breaks rules may well keep its instances apart.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from ...engine.adapter import Adapter
from ...engine.instances import CannotBeStepped, alone, side_by_side
from ...wire.scenario import Scenario
from ...wire.transcript import NO_TRANSCRIPT, Failure, Outputs, Transcript, same_outputs
from .examination import Examiner
from .item_report import ItemReport, LeftOut, PropertyCount, SeenInterference
from .shrinker import shrink

SUITE = "interleaved"
_REPETITIONS = 2
"""So often an instance alone must repeat itself before another one is said to have changed its outputs."""

SENTENCE = "Two scenarios, stepped alternately on two instances of the engine, give what each gives alone."


def property_name(component: str) -> str:
    """The name under which results have the property of a component."""
    return f"{component.replace('_', '-')}-{SUITE}"


def examine_isolation(examiner: Examiner, report: ItemReport, scenarios: Sequence[Scenario]) -> None:
    """Step scenarios alternately, two at a time, counting into `report`, and keep the smallest pair found in
    which an instance does not do what it does alone."""
    counted = report.properties.setdefault(property_name(report.component), PropertyCount())
    applicable = examiner.applicable(scenarios, LeftOut(), SUITE)
    counted.inexpressible = not applicable
    steady: list[SeenInterference] = []
    unsteady: list[SeenInterference] = []
    try:
        for pair in _pairs(applicable):
            examiner.about_to_run(pair[0].id)
            answers = _alone(examiner.adapter, pair)
            report.scenarios += len(pair)
            report.steps += sum(len(one.history) for one in pair)
            if any(answer.failure is not None for answer in answers):
                continue  # counted as errors where scenarios are compared with the reference
            counted.checked += 1
            if (seen := _interference(examiner.adapter, pair, answers)) is not None:
                (steady if seen.steady else unsteady).append(seen)
        examiner.about_to_run("")
    except CannotBeStepped:
        counted.without_sessions = True
        examiner.about_to_run("")
        return
    counted.unsteady = len(unsteady)
    if unsteady:  # then what looks steady may be chance
        report.interference = min(unsteady, key=_length)
    elif steady:
        counted.violated = len(steady)
        report.interference = _smallest(examiner, min(steady, key=_length))


def first_difference(seen: SeenInterference) -> tuple[int, int] | None:
    """The instance, 0 or 1, and its step (from 0) at which it first does not do what it does alone, in the
    order of the steps; None if both do."""
    steps = in_order([len(one.history) for one in seen.scenarios], seen.alternately)
    return next((place for place in steps if _differ(seen, *place)), None)


def answer_at(transcript: Transcript, step: int) -> Outputs | Failure:
    """The outputs of a step, or why there are none."""
    if step < len(transcript.outputs):
        return transcript.outputs[step]
    return transcript.failure or NO_TRANSCRIPT


def in_order(lengths: Sequence[int], alternately: bool = True) -> list[tuple[int, int]]:
    """The instance and the number of each step of histories of these lengths, in the order in which they are
    done."""
    steps = [(instance, step) for instance, length in enumerate(lengths) for step in range(length)]
    return sorted(steps, key=lambda place: (place[1], place[0])) if alternately else steps


def _differ(seen: SeenInterference, instance: int, step: int) -> bool:
    """Whether a step has other outputs than alone; where no answer came alone, nothing is compared."""
    wanted, got = seen.alone[instance].outputs[step:], seen.together[instance].outputs[step:]
    return bool(wanted) and (not got or not same_outputs(wanted[0], got[0]))


def _pairs(scenarios: Sequence[Scenario]) -> list[tuple[Scenario, Scenario]]:
    """Each scenario beside the next one, and beside itself: what is shared by instances with the same setup,
    and by those with different ones."""
    pairs = []
    for place, scenario in enumerate(scenarios):
        other = scenarios[place - 1] if place % 2 else scenario
        pairs.append((scenario, replace(other, id=f"{other.id}~beside")))
    return pairs


def _alone(adapter: Adapter, pair: tuple[Scenario, Scenario]) -> tuple[Transcript, Transcript]:
    return alone(adapter, pair[0]), alone(adapter, pair[1])


def _interference(
    adapter: Adapter, pair: tuple[Scenario, Scenario], answers: tuple[Transcript, Transcript]
) -> SeenInterference | None:
    """What is seen when both are stepped alternately; None if each does as in `answers`, alone."""
    first, second = side_by_side(adapter, pair)
    seen = SeenInterference(pair, answers, (first, second))
    if first_difference(seen) is None:
        return None
    alone_again = [replace(seen, together=_alone(adapter, pair)) for _ in range(_REPETITIONS)]
    first, second = side_by_side(adapter, pair)
    both_again = replace(seen, alone=seen.together, together=(first, second))
    steady = all(first_difference(one) is None for one in (*alone_again, both_again))
    return replace(seen, steady=steady)


def _smallest(examiner: Examiner, seen: SeenInterference) -> SeenInterference:
    """The same with as few steps as it takes."""
    first, second = seen.scenarios
    first = shrink(first, _still(examiner, lambda one: (one, second)), examiner.effort_on(first))
    second = shrink(second, _still(examiner, lambda one: (first, one)), examiner.effort_on(second))
    return _seen_in(examiner, (first, second)) or seen


def _still(
    examiner: Examiner, pair_with: Callable[[Scenario], tuple[Scenario, Scenario]]
) -> Callable[[Sequence[Scenario]], list[int | None]]:
    def last_steps(candidates: Sequence[Scenario]) -> list[int | None]:
        return [
            len(one.history) - 1 if _seen_in(examiner, pair_with(one)) is not None else None
            for one in candidates
        ]

    return last_steps


def _seen_in(examiner: Examiner, pair: tuple[Scenario, Scenario]) -> SeenInterference | None:
    """What is steadily seen in a pair that the engine can express and answers alone."""
    if any(examiner.is_beyond(one) for one in pair):
        return None
    answers = _alone(examiner.adapter, pair)
    if any(answer.failure is not None for answer in answers):
        return None
    seen = _interference(examiner.adapter, pair, answers)
    return seen if seen is not None and seen.steady else None


def _length(seen: SeenInterference) -> int:
    return sum(len(one.history) for one in seen.scenarios)
