"""Watermarks that do not advance, inputs that hold them back, and inputs that were declared idle too soon."""

from collections.abc import Iterator, Sequence
from typing import Final

from tidegauge.wire.timestamps import MAX, MIN
from tidegauge.words.log_times import span_text, time_text

from ..findings import OperatorFindings
from .finding import Finding, part_name, sources_of, span_of, subtask_name, twice_in_seconds
from .inputs import Part, Silence
from .pauses import Stall

LEAST_MOMENTS: Final = 20
"""The minimum number of processing times with rows in a stall. In Spark these are batches."""

_PAUSES: Final = 10
"""The minimum duration of a stall, as a multiple of the median pause."""

_OVERLAP: Final = 0.9
"""The minimum share of a stall in which the input that holds the watermark has no rows."""


def stalls(operators: Sequence[OperatorFindings]) -> Iterator[Finding]:
    """Yield the stalls of one job, each at the operator where it begins.

    A watermark that has leapt ahead of the clock cannot advance: such a job has no stall beside the leap.
    A stall that an input causes is `idle-input-holds`. Stalls of other operators in the same period follow
    from that stall, and are not reported.
    """
    if any(each.signs.leaps.broken for each in operators):
        return
    stalled = [(each, stall) for each in operators if (stall := _stall(each, operators)) is not None]
    if not any(_has_watermarks(each) for each in operators):
        # Every operator of such a job stalls. The one that suffers is the one with state.
        stalled = [each for each in stalled if each[1].state is not None][:1] or stalled[:1]
    held = [
        (operator, stall, holder)
        for operator, stall in stalled
        if (holder := _holder(operator, stall)) is not None
    ]
    roots = [each for each in held if not each[0].has_channels] or held
    if roots:
        for operator, stall, holder in roots:
            yield _idle_input(operator, stall, *holder)
    explained = [stall for _, stall, _ in roots]
    for operator, stall in stalled:
        if not any(_overlap(stall.begin, stall.end, cause) >= 0.5 * stall.duration for cause in explained):
            yield _stalled(operator, stall, operators)


def _overlap(begin: int, end: int, other: Stall | Silence) -> int:
    return max(0, min(end, other.end) - max(begin, other.begin))


def _stall(operator: OperatorFindings, every: Sequence[OperatorFindings]) -> Stall | None:
    """Return the stall of an operator, None if it is too short, or if no source had records in it."""
    stall, pauses = operator.signs.stall, operator.signs.pauses
    if stall is None or stall.moments < LEAST_MOMENTS or operator.begin is None or operator.end is None:
        return None
    span = operator.end - operator.begin
    usual = pauses.quantile(0.5) if pauses.total else 0
    if stall.watermark == MAX or stall.duration * 4 < span or stall.duration < _PAUSES * usual:
        return None
    has_lags = any(part.lags.values for part in operator.signs.parts.values())
    if stall.watermark is None and has_lags and not operator.has_channels:
        return None  # the source logs watermarks of splits only
    if not _has_watermarks(operator) and any(_has_watermarks(each) for each in every):
        return None  # the job has watermarks, and the log has none of this operator
    courses = [
        subtask.records
        for source in every
        if source.role in ("source", "splits")
        for subtask in source.signs.subtasks.values()
        if subtask.records.values
    ]
    if courses and not any(course.has_between(stall.begin, stall.end) for course in courses):
        return None  # operators report their state even without input
    return stall


def _has_watermarks(operator: OperatorFindings) -> bool:
    """Return whether the log has a watermark that the operator or one of its inputs output."""
    stall = operator.signs.stall
    return (
        (stall is not None and stall.watermark is not None)  # before the window of a monitor
        or any(subtask.watermark is not None for subtask in operator.signs.subtasks.values())
        or any(part.watermark is not None for part in operator.signs.parts.values())
    )


def _holder(operator: OperatorFindings, stall: Stall) -> tuple[str, Part, Silence] | None:
    """Return the silent input that holds back the watermark through a stall, None if there is none."""
    own = {
        name: part
        for name, part in operator.signs.parts.items()
        if name.partition(" ")[0] == str(stall.subtask)
    }
    end = operator.signs.subtasks[stall.subtask].end
    silent = [
        (name, part, silence)
        for name, part in own.items()
        for silence in _silences(part, end)
        if _overlap(stall.begin, stall.end, silence) >= _OVERLAP * stall.duration
    ]
    middle = (stall.begin + stall.end) // 2
    at_work = [part.watermark for part in own.values() if part.at > middle and part.watermark is not None]
    holders = [each for each in silent if at_work and min(at_work) > _reached(each[2])]
    return min(holders, key=lambda each: (_reached(each[2]), each[2].begin, each[0]), default=None)


def _reached(silence: Silence) -> int:
    return MIN if silence.watermark is None else silence.watermark


def _silences(part: Part, end: int) -> Iterator[Silence]:
    if part.silence is not None:
        yield part.silence
    if part.holds:
        yield Silence(part.at, end, part.watermark)


def _state(stall: Stall) -> str:
    if stall.state is not None and stall.state[1] > stall.state[0]:
        return f", and its state has grown from {stall.state[0]:,} to {stall.state[1]:,} rows"
    return ""


def _idle_input(operator: OperatorFindings, stall: Stall, name: str, part: Part, silence: Silence) -> Finding:
    usual = part.pause(0.99) or max(
        (other.pause(0.99) or 0 for other in operator.signs.parts.values()), default=0
    )
    duration = silence.end - silence.begin
    timeout = twice_in_seconds(usual)
    at = ", as it has none" if silence.watermark is None else f" at {time_text(silence.watermark)}"
    rows = f"the usual pauses are at most {span_text(usual)}" if usual else "the log shows no earlier row"
    return Finding(
        name="idle-input-holds",
        severity="error",
        job=operator.job,
        source=operator.source,
        begin=silence.begin,
        worst=silence.end,
        part=name,
        sentence=f"{part_name(operator, name)} had no rows for {span_text(duration)} and held the watermark"
        f"{at}, while rows came at {stall.moments:,} times{_state(stall)}",
        remedy=f"give the input an idle timeout of {span_text(timeout)} ({rows})",
    )


def _stalled(operator: OperatorFindings, stall: Stall, every: Sequence[OperatorFindings]) -> Finding:
    at = "without a watermark" if stall.watermark is None else f"at {time_text(stall.watermark)}"
    return Finding(
        name="stalled-watermark",
        severity="error",
        job=operator.job,
        source=operator.source,
        begin=stall.begin,
        worst=stall.end,
        part=str(stall.subtask),
        sentence=f"subtask {stall.subtask} stood {at} for {span_text(stall.duration)}, while rows came at "
        f"{stall.moments:,} times{_state(stall)}",
        remedy=_who_holds(operator, every),
    )


def _who_holds(operator: OperatorFindings, every: Sequence[OperatorFindings]) -> str:
    """Return the remedy for a stall: it names the input with the smallest watermark at the log's end."""
    if not any(_has_watermarks(each) for each in every):
        return (
            "the job has no watermark at all: set one on each source (`withWatermark` in Spark, a "
            "`WatermarkStrategy` in Flink), before the operator with state"
        )
    parts = next(
        (each for each in [operator, *every] if any(part.holds for part in each.signs.parts.values())), None
    )
    if parts is None:
        source = _slowest_source(operator, every)
        if source is not None:
            return source
        return (
            "find the input whose watermark is the smallest: give it an idle timeout if it has no rows, or "
            "read it faster"
        )
    holding = {name: part for name, part in parts.signs.parts.items() if part.holds}
    name = min(holding, key=lambda each: (holding[each].watermark is not None, holding[each].watermark or 0))
    part = holding[name]
    return _held_by(part_name(parts, name), part.watermark, (parts.end or part.at) - part.at)


def _slowest_source(operator: OperatorFindings, every: Sequence[OperatorFindings]) -> str | None:
    """Return the remedy that names the source with the smallest watermark, None if the log has no other
    source."""
    sources = [
        (subtask.watermark, each, number)
        for each in sources_of(every)
        for number, subtask in each.signs.subtasks.items()
        if each is not operator and subtask.watermark is not None and not subtask.is_finished
    ]
    if not sources:
        return None
    watermark, source, number = min(sources, key=lambda each: (each[0], each[1].source, each[2]))
    silent = span_of(every)[1] - source.signs.subtasks[number].end
    return _held_by(subtask_name(source, number), watermark, silent)


def _held_by(name: str, watermark: int | None, silent: int) -> str:
    """Return the remedy that names the input which holds the watermark. `silent`: since its last row (ms)."""
    reached = "has no watermark" if watermark is None else f"is at {time_text(watermark)}"
    return (
        f"{name} {reached}, and had its last row {span_text(silent)} before the end of the log: give it an "
        "idle timeout if it has no rows, or read it faster"
    )


def idle_too_soon(operators: Sequence[OperatorFindings]) -> Iterator[Finding]:
    """Yield inputs that were declared idle, and returned behind the watermark that was output in between.

    A record behind the output watermark is late. An input watermark behind the output need not mean late
    records, since records are ahead of their watermark by the delay. Inputs for which the log has only
    watermarks are therefore reported only if the job has late rows.
    """
    is_late = any(each.signs.late for each in operators)
    for operator in operators:
        returns = operator.signs.returns
        has_records = operator.role == "splits" and operator.signs.records
        if not returns.broken or not (is_late or has_records):
            continue
        parts = operator.signs.parts
        name = max(parts, key=lambda each: parts[each].away)
        timeout = -(-returns.long // 1000) * 1000 + 1000
        yield Finding(
            name="idle-too-soon",
            severity="error",
            job=operator.job,
            source=operator.source,
            begin=returns.first[0].processing_time,
            part=name,
            share=returns.broken / returns.about,
            sentence=f"{returns.broken:,} of {returns.about:,} returns of idle inputs are up to "
            f"{span_text(returns.far)} behind the watermark; the longest pause was that of "
            f"{part_name(operator, name)}",
            remedy=f"set the idle timeout above {span_text(returns.long)}, the longest pause before such a "
            f"return: {span_text(timeout)}",
            evidence=tuple(returns.first),
        )
