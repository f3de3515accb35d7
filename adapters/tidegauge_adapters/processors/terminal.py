"""Render the result of a search for a terminal: the checks, and counterexamples in the user's columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .checks import CHECKS
from .explanation import explanation
from .player import Player
from .processor_under_test import ProcessorUnderTest
from .search import Counterexample, Searched
from .trace import Output, Passage, Trace
from .words import row_text, time_text


def lines_of_checks(result: Searched) -> Iterator[tuple[str, str]]:
    """Yield the outcome of each check, and a line about the check."""
    broken = {counterexample.check.name for counterexample in result.broken}
    more = [check for check in (*result.held, *(one.check for one in result.broken)) if check not in CHECKS]
    for check in (*CHECKS, *more):
        if check.name in broken:
            yield "broken", f"{check.name:9} {check.demands}"
        elif check.name in result.skipped:
            yield "skipped", f"{check.name:9} {check.demands} ({result.skipped[check.name]})"
        else:
            yield "held", f"{check.name:9} {check.demands}; it excludes {check.excludes}"


def lines_of_counterexample(player: Player, counterexample: Counterexample) -> Iterator[str]:
    """Yield the lines of a counterexample, event by event, with the rows that the processor returns."""
    yield counterexample.wrong.text
    if because := explanation(player, counterexample):
        yield because
    yield from lines_of_trace(player.subject, counterexample.trace, counterexample.wrong.outputs)


def lines_of_trace(subject: ProcessorUnderTest, trace: Trace, outputs: Iterable[Output]) -> Iterator[str]:
    """Yield a line for each event of a trace.

    The output rows follow the events that precede the next passage of time.
    """
    remaining = list(outputs)
    clock = "the clock is at" if subject.mode == "ProcessingTime" else "the watermark rises to"
    segment = 0
    for event in trace:
        if isinstance(event, Passage):
            yield from _outputs(remaining, segment, in_passage=False)
            segment += 1
            yield f"   {clock} {time_text(subject, event.to)}"
            yield from _outputs(remaining, segment, in_passage=True)
        else:
            columns = dict(event.row)
            if subject.time:
                columns[subject.time] = time_text(subject, columns[subject.time])
            yield f"   row {row_text(columns)}"
    yield from _outputs(remaining, segment, in_passage=False)


def _outputs(outputs: list[Output], segment: int, in_passage: bool) -> Iterator[str]:
    for output in outputs:
        if output.segment == segment and output.in_passage == in_passage:
            yield f"     -> {row_text(output.row)}{' by a timer' if output.by_timer else ''}"
