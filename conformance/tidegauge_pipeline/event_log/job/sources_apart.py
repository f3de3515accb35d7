"""Sources that are far apart, and sources that alignment blocks for good."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tidegauge.words.log_times import span_text, time_text

from ..findings import OperatorFindings
from .finding import LEAST_STRETCHES, Finding, part_name, sources_of, span_of, subtask_name, twice_in_seconds
from .stretches import Course, common
from .subtasks import Subtask

LEAST_SPREAD: Final = 60_000
"""The minimum spread (ms) between the fastest and the slowest input. A job in real time has less, unless one
of its inputs is delivered late."""

_STEPS: Final = 10
"""The minimum spread, as a multiple of the usual rise of a watermark. Inputs that are read in large batches
are apart by a few of these rises."""

_DRIFTS: Final = 2
"""The minimum spread, as a multiple of the drift of aligned sources."""

_HALF_HOUR: Final = 1_800_000

_ZONE_ERROR: Final = 300_000
"""The maximum deviation (ms) of a spread from a difference of time zones. Batches and delays cause it."""

_SHARE: Final = 0.25
"""The minimum share of the log in which the sources are apart."""


def skewed_sources(operators: Sequence[OperatorFindings], drift: int | None = None) -> Iterator[Finding]:
    """Yield the finding that the inputs of one job are apart for a quarter of the log. `drift`: the drift of
    the alignment (ms); None takes the drift from the announcements in the log."""
    lags = lags_of(operators)
    if len(lags) < 2:
        return
    sources = sources_of(operators)
    steps = [each.signs.steps for each in sources if each.signs.steps.total]
    usual = max((step.quantile(0.5) for step in steps), default=0)
    drift = _drift_of(sources) if drift is None else drift
    allowed = max(LEAST_SPREAD, _STEPS * usual, _DRIFTS * (drift or 0))
    width, stretches = common(lags)
    spreads = {}
    for stretch in {place for course in stretches.values() for place in course}:
        here = {name: course[stretch] for name, course in stretches.items() if stretch in course}
        if len(here) > 1:
            fastest, slowest = min(here, key=here.__getitem__), max(here, key=here.__getitem__)
            spreads[stretch] = (here[slowest] - here[fastest], fastest, slowest)
    apart = [stretch for stretch, (spread, _, _) in spreads.items() if spread > allowed]
    if len(spreads) < LEAST_STRETCHES or len(apart) < _SHARE * len(spreads):
        return
    worst = max(apart, key=lambda stretch: (spreads[stretch][0], -stretch))
    spread, fastest, slowest = spreads[worst]
    rises = max((step.quantile(0.99) for step in steps), default=0)
    wanted = min(twice_in_seconds(rises), allowed // 2)
    most = max((s.most_in_state for each in operators for s in each.signs.subtasks.values()), default=0)
    state = f"; the state has reached {most:,} rows" if most else ""
    aligned = "" if drift is None else f" in one watermark group: the drift of now is {span_text(drift)}"
    remedy = (
        f"align the sources with a drift of {span_text(wanted)}{aligned}, so that the fastest waits for the "
        "slowest before its rows are in state"
    )
    zone = _time_zone([spreads[stretch][0] for stretch in apart]) if len(apart) == len(spreads) else None
    if zone is not None:
        remedy = (
            f"check the time zone of {slowest}: it is {span_text(zone)} behind through the whole log, as if "
            "local times were read as UTC. Only if the distance is real, align the sources"
        )
    yield Finding(
        name="skewed-sources",
        severity="warning",
        job=operators[0].job,
        source=next(each.source for each in operators if _is_of(each, fastest)),
        begin=max(min(apart) * width, span_of(operators)[0]),
        worst=max(worst * width, span_of(operators)[0]),
        part=fastest,
        share=len(apart) / len(spreads),
        sentence=f"{fastest} is up to {span_text(spread)} ahead of {slowest}, the slowest, and more than "
        f"{span_text(allowed)} in {len(apart) / len(spreads):.0%} of the log{state}",
        remedy=remedy,
    )


def _drift_of(sources: Iterable[OperatorFindings]) -> int | None:
    """Return the drift (ms) in the announcements of some sources, None if there are none."""
    return max((each.signs.drift for each in sources if each.signs.drift is not None), default=None)


def _time_zone(spreads: Sequence[int]) -> int | None:
    """Return the difference of time zones (ms) that these spreads are close to, None if there is none.

    Zones differ by whole half hours, and a spread of that origin does not change.
    """
    middle = sorted(spreads)[len(spreads) // 2]
    zone = round(middle / _HALF_HOUR) * _HALF_HOUR
    is_constant = max(spreads) - min(spreads) <= _ZONE_ERROR
    return zone if zone and is_constant and abs(middle - zone) <= _ZONE_ERROR else None


def lags_of(operators: Sequence[OperatorFindings]) -> dict[str, Course]:
    """Return the lags of the inputs of a job, by name.

    The inputs are the splits of each source, or the subtasks of a source without splits. If there are fewer
    than two, they are the channels of the operator that has the most channels.
    """
    lags: dict[str, Course] = {}
    for source in sources_of(operators):
        splits = {
            part_name(source, name): part.lags
            for name, part in source.signs.parts.items()
            if part.lags.values
        }
        lags |= splits or {
            subtask_name(source, number): subtask.lags
            for number, subtask in source.signs.subtasks.items()
            if subtask.lags.values
        }
    if len(lags) > 1:
        return lags
    valves = [each for each in operators if each.has_channels]
    channels = [
        {part_name(valve, name): part.lags for name, part in valve.signs.parts.items() if part.lags.values}
        for valve in valves
    ]
    return max(channels, key=len, default=lags)


def _is_of(operator: OperatorFindings, name: str) -> bool:
    return name.endswith(f" of {operator.source or operator.job}")


def alignment_blocks(operators: Sequence[OperatorFindings], drift: int | None = None) -> Iterator[Finding]:
    """Yield the finding that a source is blocked for half of the log while no other source makes progress.

    If there is none, yield the finding that the drift is smaller than one step of another source's watermark.
    `drift`: as in `skewed_sources`.
    """
    sources = [each for each in operators if not each.has_channels]
    begin, end = span_of(operators)
    subtasks = [(each, number, it) for each in sources for number, it in each.signs.subtasks.items()]
    blocked = []
    for source, number, subtask in subtasks:
        duration, began = max(_open_block(subtask, end), subtask.blocked_for)
        others = [it for each, another, it in subtasks if (each, another) != (source, number)]
        moves = any(
            not it.is_finished and it.lags.has_between(began, began + duration)
            for it in others
            if it.lags.values
        )
        if duration and duration * 2 >= end - begin and not moves:
            blocked.append((duration, source, number, began))
    if not blocked:
        yield from _narrow_drift(sources, drift)
        return
    duration, source, number, began = max(blocked, key=lambda each: (each[0], each[1].source, -each[2]))
    waits = [
        (it.watermark, each, another)
        for each, another, it in subtasks
        if it.watermark is not None and not it.is_finished and not (it.blocked or (False, 0))[0]
    ]
    remedy = "find the source of the watermark group with the smallest watermark"
    own = source.signs.subtasks[number].watermark
    if waits:
        slowest = min(waits, key=lambda each: (each[0], each[1].source, each[2]))
        apart = "" if own is None else f"; it is {span_text(max(own - slowest[0], 0))} behind"
        remedy = f"{subtask_name(slowest[1], slowest[2])} stands at {time_text(slowest[0])}{apart}"
    pauses = max((each.signs.pauses.quantile(0.99) for each in sources if each.signs.pauses.total), default=0)
    timeout = twice_in_seconds(pauses)
    yield Finding(
        name="alignment-blocks",
        severity="error",
        job=source.job,
        source=source.source,
        begin=began,
        worst=began + duration,
        part=str(number),
        share=min(1.0, duration / max(end - begin, 1)),
        sentence=f"alignment blocked {subtask_name(source, number)} for {span_text(duration)}, while no "
        f"other source made progress; {len(blocked)} of {len(subtasks)} subtasks were blocked for so long",
        remedy=f"{remedy}: give it an idle timeout of {span_text(timeout)} if it has no rows, or restart it",
    )


def _narrow_drift(sources: Sequence[OperatorFindings], drift: int | None) -> Iterator[Finding]:
    """Yield the finding that subtasks are blocked for half of the log, by a drift that is smaller than the
    usual step of the watermark of another source. That a fast source waits for a slow one is no trouble."""
    drift = _drift_of(sources) if drift is None else drift
    begin, end = span_of(sources)
    blocked = [
        (duration, source, number)
        for source in sources
        for number, subtask in source.signs.subtasks.items()
        if (duration := _blocked_time(subtask, end)) and duration * 2 >= end - begin
    ]
    if drift is None or not blocked:
        return
    duration, source, number = max(blocked, key=lambda each: (each[0], each[1].source, -each[2]))
    steps = [
        (each.signs.steps.quantile(0.5), each)
        for each in sources
        if each is not source and each.signs.steps.total
    ]
    step, slow = max(steps, key=lambda each: (each[0], each[1].source), default=(0, source))
    if step <= drift:
        return
    wanted = twice_in_seconds(step)
    yield Finding(
        name="alignment-blocks",
        severity="warning",
        job=source.job,
        source=source.source,
        begin=begin,
        worst=end,
        part=str(number),
        share=min(1.0, duration / (end - begin)),
        sentence=f"alignment blocked {subtask_name(source, number)} for {span_text(duration)} of "
        f"{span_text(end - begin)}; the watermark of {slow.source or slow.job} rises by {span_text(step)} at "
        f"once, and the drift is {span_text(drift)}",
        remedy=f"set the drift to {span_text(wanted)} or more, twice such a rise",
    )


def _blocked_time(subtask: Subtask, end: int) -> int:
    """Return for how long (ms) alignment blocked a subtask until the end of the log."""
    return subtask.blocked_sum + _open_block(subtask, end)[0]


def _open_block(subtask: Subtask, end: int) -> tuple[int, int]:
    """Return for how long a subtask has been blocked at the end of the log, and since when (ms)."""
    is_blocked, since = subtask.blocked or (False, 0)
    return (end - since if is_blocked else 0), since
