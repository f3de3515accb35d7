"""Render the result of a search for a terminal: the checks, and counterexamples in the user's columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .checks import CHECKS
from .explaining.explanation import explanation
from .playing.played import Played
from .playing.player import Player
from .playing.trace import Output, Passage, Trace
from .processor_under_test import ProcessorUnderTest
from .searching.search import Counterexample, Searched
from .words import key_text, lines_text, row_text, time_text, timers_text


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


def lines_of_gaps(result: Searched) -> Iterator[str]:
    """Yield what the checks could not see: results, lines of the processor, columns of the batch function."""
    if result.is_vacuous:
        yield (
            "No row came out of any trace, so that nothing is checked: give examples of rows, one of each "
            "kind, that lead to results. Or it never returns any row."
        )
    elif result.has_few_results:
        yield (
            f"Only {result.outputs} rows came out for {result.rows} rows, so that what needs several results "
            "is hardly checked: give examples of rows that lead to results, or play rows of your own with "
            "--replay."
        )
    file, lines = result.unreached
    if lines:
        yield f"Not reached by any trace: {file}, {lines_text(lines)}. Examples of rows can lead there."
    if result.not_compared:
        yield f"The batch function leaves out {', '.join(result.not_compared)}, which is not compared."


def lines_of_counterexample(player: Player, counterexample: Counterexample) -> Iterator[str]:
    """Yield the lines of a counterexample, event by event, with the rows that the processor returns."""
    yield counterexample.wrong.text
    if because := explanation(player, counterexample):
        yield because
    yield from lines_of_trace(player, counterexample.trace, counterexample.wrong.outputs)


def lines_of_trace(player: Player, trace: Trace, outputs: Iterable[Output]) -> Iterator[str]:
    """Yield a line for each event of a trace.

    The changes of timers and the output rows follow the events that precede the next passage of time. Rows
    that Spark drops are marked.
    """
    remaining, subject, played = list(outputs), player.subject, player.as_spark(trace)
    clock = "the clock is at" if subject.mode == "ProcessingTime" else "the watermark rises to"
    segment = 0
    for event in trace:
        if isinstance(event, Passage):
            yield from _timers(subject, played, segment, in_passage=False)
            yield from _outputs(remaining, segment, in_passage=False)
            segment += 1
            shared = ", in the micro-batch of the rows after it" if event.with_rows else ""
            yield f"   {clock} {time_text(subject, event.to)}{shared}"
            yield from _timers(subject, played, segment, in_passage=True)
            yield from _outputs(remaining, segment, in_passage=True)
        else:
            columns = dict(event.row)
            if subject.time:
                columns[subject.time] = time_text(subject, columns[subject.time])
            dropped = ", which Spark drops as late" if id(event) in played.dropped else ""
            yield f"   row {row_text(columns)}{dropped}"
    yield from _timers(subject, played, segment, in_passage=False)
    yield from _outputs(remaining, segment, in_passage=False)


def _timers(subject: ProcessorUnderTest, played: Played, segment: int, in_passage: bool) -> Iterator[str]:
    changes = [one for one in played.timer_changes if one.segment == segment and one.in_passage == in_passage]
    for key in dict.fromkeys(change.key for change in changes):
        of_key = [change for change in changes if change.key == key]
        yield f"     timer of {key_text(subject, key)}: {timers_text(subject, of_key)}"


def _outputs(outputs: list[Output], segment: int, in_passage: bool) -> Iterator[str]:
    for output in outputs:
        if output.segment == segment and output.in_passage == in_passage:
            yield f"     -> {row_text(output.row)}{' by a timer' if output.by_timer else ''}"
