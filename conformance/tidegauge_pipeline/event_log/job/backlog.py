"""Jobs that do not catch up: a backlog flag that is never cleared, and a lag that grows."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from tidegauge.words.log_times import span_text

from ..findings import OperatorFindings
from .event_times import CLOCK_BEGINS, DAY
from .finding import LEAST_STRETCHES, Finding, part_name, sources_of, span_of, subtask_name
from .stretches import common

_LEAST_GROWTH: Final = 60_000
"""The minimum growth (ms) of a lag."""

_GROWTH: Final = 0.1
"""The minimum growth of a lag, as a share of the log: the watermark advances 10 % more slowly
than the clock."""

_LONGEST_LAG: Final = 30 * DAY
"""The longest lag (ms) at the begin of a log that is compared with the clock."""

_STEADILY: Final = 0.8
"""The minimum share of the stretches in which the lag is larger than in the one before."""


def backlog(operators: Sequence[OperatorFindings]) -> Iterator[Finding]:
    """Yield the sources of one job whose lag grows; if there are none, the subtasks that never caught up."""
    found = [finding for source in sources_of(operators) for finding in _growing_lag(source)]
    yield from found
    if not found:
        yield from _never_caught_up(operators)


def _growing_lag(source: OperatorFindings) -> Iterator[Finding]:
    begin, end = span_of([source])
    if begin < CLOCK_BEGINS:
        return
    courses = {
        subtask_name(source, number): subtask.lags
        for number, subtask in source.signs.subtasks.items()
        if subtask.lags.values
    } or {name: part.lags for name, part in source.signs.parts.items() if part.lags.values}
    width, stretches = common(courses)
    lags: dict[int, int] = {}
    for course in stretches.values():
        for stretch, lag in course.items():
            lags[stretch] = max(lag, lags.get(stretch, lag))
    places = sorted(lags)[1:-1]  # the first and the last stretch are not whole
    if len(places) < LEAST_STRETCHES or abs(lags[places[0]]) > _LONGEST_LAG:
        return  # a job that reads an archive is not expected to keep up with the clock
    duration = (places[-1] - places[0]) * width
    growth = lags[places[-1]] - lags[places[0]]
    rises = sum(lags[after] > lags[before] for before, after in pairwise(places))
    if growth < max(_LEAST_GROWTH, _GROWTH * duration) or rises < _STEADILY * (len(places) - 1):
        return
    if (places[-1] - places[0]) * width < (end - begin) / 2:
        return
    rate = growth / duration
    slowest = max(stretches, key=lambda name: (stretches[name].get(places[-1], 0), name))
    alone = _slow_split(source)
    faster = f"{1 / (1 - rate):.2f} times the present throughput" if rate < 1 else "more throughput"
    records = source.signs.records * 1000 / max(end - begin, 1)
    if records and rate < 1:
        faster += f": {records / (1 - rate):,.1f} rows/s instead of {records:,.1f}"
    yield Finding(
        name="backlog",
        severity="error",
        job=source.job,
        source=source.source,
        begin=places[0] * width,
        worst=end,
        part=alone or (slowest if len(courses) > 1 else ""),
        sentence=f"the watermark falls behind the clock by {rate:.2f} s per second: the lag grew from "
        f"{span_text(max(lags[places[0]], 0))} to {span_text(lags[places[-1]])} in {span_text(duration)}",
        remedy=f"it needs {faster} to keep up; more to catch up"
        if alone is None
        else f"{part_name(source, alone)} alone falls behind: give it a subtask of its own, spread its keys "
        "over more splits, or look for what delays its producer; more throughput for all does not help",
    )


def _slow_split(source: OperatorFindings) -> str | None:
    """Return the split whose lag grows while that of most others does not, None if there is none."""
    lags = {name: part.lags for name, part in source.signs.parts.items() if part.lags.values}
    _, stretches = common(lags)
    growths = {name: course[max(course)] - course[min(course)] for name, course in stretches.items()}
    slowest = max(growths, key=lambda name: (growths[name], name), default=None)
    keep_up = [name for name, growth in growths.items() if growth < _LEAST_GROWTH]
    return slowest if len(growths) > 1 and len(keep_up) * 2 >= len(growths) else None


def _never_caught_up(operators: Sequence[OperatorFindings]) -> Iterator[Finding]:
    begin, end = span_of(operators)
    for operator in operators:
        behind = [
            (subtask.backlog[1], number)
            for number, subtask in operator.signs.subtasks.items()
            if subtask.backlog is not None and subtask.backlog[0] and not subtask.is_finished
        ]
        if not behind or (end - min(behind)[0]) * 2 < end - begin or end == begin:
            continue
        since, number = min(behind)
        records = operator.signs.records * 1000 / max(end - begin, 1)
        rate = f"; it read {records:,.1f} rows/s" if records else ""
        yield Finding(
            name="backlog",
            severity="warning",
            job=operator.job,
            source=operator.source,
            begin=since,
            worst=end,
            part=str(number),
            share=len(behind) / len(operator.signs.subtasks),
            sentence=f"{len(behind)} of {len(operator.signs.subtasks)} subtasks sent the backlog flag and "
            f"have not caught up since; subtask {number} for {span_text(end - since)}",
            remedy=f"raise the parallelism or the rate limit of the source until `caught-up` follows{rate}",
        )
        return
