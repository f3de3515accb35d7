"""Search for traces on which a processor fails a check, and shrink these traces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from random import Random

from ..batch_results import columns_not_compared
from ..checks import CHECKS
from ..checks.check import Check, Wrong
from ..playing.player import Player
from ..playing.trace import Arrival, Trace
from ..processor_under_test import ProcessorUnderTest
from .drawing import Drawing
from .reached_lines import lines_not_reached
from .shrinking import shrunk

TRACES = 300
_EXPLAINS_THE_REST = ("accepts", "state", "repeat")
_TRACES_FOR_LINES = 100
_NEED_THE_END = ("end", "batch")


@dataclass(frozen=True)
class Counterexample:
    """A check that a processor fails, with the smallest failing trace that was found."""

    check: Check
    trace: Trace
    wrong: Wrong


@dataclass
class Searched:
    """The result of a search.

    Attributes:
        traces: the number of traces that were played.
        rows: the number of rows in these traces.
        outputs: the number of rows that the processor returned.
        unreached: the file of the processor, and the lines of its methods that no trace reached.
        not_compared: output columns that the batch function leaves out.
        broken: a counterexample for each check that failed.
        held: the checks that held on all traces.
        skipped: the names of the checks that were skipped, with the reason.
    """

    traces: int = 0
    rows: int = 0
    outputs: int = 0
    unreached: tuple[str, list[int]] = field(default_factory=lambda: ("", []))
    not_compared: list[str] = field(default_factory=list)
    broken: list[Counterexample] = field(default_factory=list)
    held: list[Check] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def is_vacuous(self) -> bool:
        """Whether no random trace led to a row, so that no check of results could fail."""
        return self.traces > 1 and not self.outputs and not self.broken

    @property
    def has_few_results(self) -> bool:
        """Whether few of the rows of random traces led to a row, less than one in twenty."""
        return self.traces > 1 and not self.broken and self.outputs * 20 < self.rows


def searched(
    player: Player,
    *,
    traces: int = TRACES,
    seed: int = 0,
    only: Collection[str] = (),
    on_progress: Callable[[str, int, int], None] = lambda phase, done, of: None,
) -> Searched:
    """Play random traces through a processor and run the checks on each trace.

    Args:
        player: plays traces through the processor.
        traces: the number of traces.
        seed: the seed of the random numbers.
        only: the names of the checks to run; empty for all.
        on_progress: called with the phase, the number of finished units and the total number of units.
    """
    subject, drawing = player.subject, Drawing(player)
    result = Searched()
    active = _active(subject, only, result)
    failing: dict[str, tuple[Trace, Wrong]] = {}
    first: list[Trace] = []
    for number in range(traces):
        on_progress("traces", number, traces)
        trace = drawing.trace(Random(f"{seed}-{number}"))
        for check in active:
            if check.name in failing and check.name not in _EXPLAINS_THE_REST:
                continue
            wrong = check.fails(player, player.ended(trace))
            if wrong is not None:
                failing.setdefault(check.name, (trace, wrong))
                if check.name in _EXPLAINS_THE_REST:
                    break
        result.traces = number + 1
        result.rows += sum(isinstance(event, Arrival) for event in trace)
        result.outputs += len(player.as_spark(player.ended(trace)).outputs)
        if number < _TRACES_FOR_LINES:
            first.append(player.ended(trace))
    result.unreached = lines_not_reached(player, first)
    if subject.batch is not None and any(check.name == "batch" for check in active):
        result.not_compared = columns_not_compared(player, first[0])
    for number, (name, (trace, first_wrong)) in enumerate(failing.items()):
        on_progress("counterexamples", number, len(failing))
        check = next(check for check in active if check.name == name)
        small = shrunk(trace, lambda one: _fails(player, check, one), drawing, subject)  # noqa: B023
        if name in _NEED_THE_END or check.fails(player, small) is None:
            small = player.ended(small)
        wrong = check.fails(player, small)
        if wrong is None:  # it fails at times, as with a processor that reads the wall clock
            small = player.ended(trace)
            wrong = replace(first_wrong, text=f"{first_wrong.text} (the same rows pass at other times)")
        result.broken.append(Counterexample(check, small, wrong))
    result.held = [check for check in active if check.name not in failing]
    order = [check.name for check in CHECKS]
    result.broken.sort(key=lambda broken: order.index(broken.check.name))
    return result


def checked(player: Player, trace: Trace, only: Collection[str] = ()) -> Searched:
    """Run the checks on one trace, without shrinking it."""
    result = Searched(traces=1, rows=sum(isinstance(event, Arrival) for event in trace))
    for check in _active(player.subject, only, result):
        wrong = check.fails(player, player.ended(trace))
        if wrong is None:
            result.held.append(check)
        else:
            result.broken.append(Counterexample(check, player.ended(trace), wrong))
    return result


def in_queries(
    player: Player, result: Searched, check: Check, *, traces: int, seed: int = 0
) -> Iterator[str]:
    """Run a check that plays traces in real queries, and add its outcome to `result`.

    The traces are the counterexamples of a search and some random traces. Yields a progress message before
    each trace.
    """
    reason = check.applies(player.subject)
    if reason:
        result.skipped[check.name] = reason
        return
    drawing = Drawing(player)
    played = [counterexample.trace for counterexample in result.broken]
    played += [player.ended(drawing.trace(Random(f"{seed}-{number}"))) for number in range(traces)]
    for number, trace in enumerate(played, start=1):
        yield f"query {number} of {len(played)}"
        wrong = check.fails(player, trace)
        if wrong is not None:
            result.broken.append(Counterexample(check, trace, wrong))
            return
    result.held.append(check)


def _active(subject: ProcessorUnderTest, only: Collection[str], result: Searched) -> list[Check]:
    """Return the checks to run, and record in `result` the reason for which each other check is skipped."""
    active = []
    for check in CHECKS:
        reason = check.applies(subject)
        if check.name in subject.without:
            reason = "left out: without"
        if only and check.name not in only:
            reason = "not selected: --only"
        if reason:
            result.skipped[check.name] = reason
        else:
            active.append(check)
    return active


def _fails(player: Player, check: Check, trace: Trace) -> bool:
    """Return whether a check fails, and none of the earlier checks that would explain the failure does."""
    whole = player.ended(trace)
    for other in CHECKS:
        if other.name == check.name:
            return check.fails(player, whole) is not None
        if other.name in _EXPLAINS_THE_REST and other.fails(player, whole) is not None:
            return False
    return False
