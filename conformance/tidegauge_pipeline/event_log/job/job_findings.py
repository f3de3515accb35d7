"""Findings about a job, derived from the signs of its operators. Each finding has a remedy.

Findings are independent of the rules: an engine may keep every rule while a job loses rows.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct

from ..counts import Example
from ..examples import span_text, time_text
from ..findings import OperatorFindings
from ..names import FINDINGS

Severity = Literal["warning", "error"]

LEAST_LATE_SHARE: Final = 0.001
"""The smallest share of late rows that is a finding. With any practical delay a few rows are late."""

LEAST_MOMENTS: Final = 20
"""The minimum number of processing times with rows in a stall. In Spark these are batches."""

_PAUSES: Final = 10
"""The minimum duration of a stall, as a multiple of the median pause."""

_FROM_SOURCES: Final = ("watermark-leap", "implausible-event-time")
"""Findings that propagate from sources to downstream operators: if a source has one, only the source's is
shown."""

_SHARES: Final = (0.99, 0.999, 1.0)

_UNITS: Final = {
    "seconds": "they look like seconds since 1970, read as milliseconds: multiply them by 1000",
    "microseconds": "they look like microseconds since 1970: divide them by 1000",
    "nanoseconds": "they look like nanoseconds since 1970: divide them by 1,000,000",
    "zero": "they are 1970-01-01 00:00:00: a missing value was read as 0; make it null, or filter such rows",
    "hours-ahead": "they are some hours ahead of the clock: local times were read as UTC, or a clock is off",
    "future": "they are more than a day ahead of the clock: filter such rows before the watermark is taken",
}


class Finding(Struct, frozen=True, kw_only=True):
    """A finding about a job.

    `source`: the operator. `begin`: the processing time of the first occurrence (ms). `share`: the share of
    the rows, None if it is unknown. `evidence`: the first rows that show the finding.
    """

    name: str
    severity: Severity
    job: str
    source: str
    begin: int
    sentence: str
    remedy: str
    share: float | None = None
    evidence: tuple[Example, ...] = ()


def findings_of(operators: Sequence[OperatorFindings]) -> tuple[Finding, ...]:
    """Return the findings about all jobs of a log, the most severe first."""
    found = [finding for operator in operators for finding in _of_operator(operator, operators)]
    sources = {(each.job, each.source) for each in operators if each.role in ("source", "splits")}
    begun = {(each.name, each.job) for each in found if (each.job, each.source) in sources}
    # The future event times behind a leap are reported with the leap.
    begun |= {("implausible-event-time", job) for name, job in begun if name == "watermark-leap"}
    at_root = [
        each
        for each in found
        if each.name not in _FROM_SOURCES
        or (each.job, each.source) in sources
        or (each.name, each.job) not in begun
    ]
    names = list(FINDINGS)
    return tuple(sorted(at_root, key=lambda each: (each.severity != "error", names.index(each.name))))


def _of_operator(operator: OperatorFindings, every: Sequence[OperatorFindings]) -> Iterator[Finding]:
    yield from _implausible(operator)
    yield from _leap(operator)
    yield from _late(operator, every)
    yield from _stalled(operator, every)


def _late(operator: OperatorFindings, every: Sequence[OperatorFindings]) -> Iterator[Finding]:
    signs = operator.signs
    if not signs.late:
        return
    records = sum(each.signs.records for each in every if each.job == operator.job and not each.has_channels)
    share = signs.late / records if records >= signs.late else None
    if share is not None and share < LEAST_LATE_SHARE:
        return
    first = signs.late_rows.first[0]
    of_rows = "" if share is None else f", {share:.2%} of {records:,}"
    remedy = "the log does not say how late they are: log the event time of late rows"
    if signs.lateness.total:
        late = 1.0 if share is None else share
        delays = (signs.lateness.quantile(max(0.0, 1 - (1 - wanted) / late)) + 1 for wanted in _SHARES)
        of = "of the late rows" if share is None else "of the rows"
        texts = [
            f"{span_text(delay)} for {wanted:.4g} %"
            for delay, wanted in zip(delays, (99, 99.9, 100), strict=True)
        ]
        remedy = f"increase the delay of the watermark by {', '.join(texts)} {of}"
    yield Finding(
        name="late-rows",
        severity="error",
        job=operator.job,
        source=operator.source,
        begin=first.processing_time,
        sentence=f"{signs.late:,} rows came too late{of_rows}, by up to {span_text(signs.lateness.most)}",
        remedy=remedy,
        share=share,
        evidence=tuple(signs.late_rows.first),
    )


def _stalled(operator: OperatorFindings, every: Sequence[OperatorFindings]) -> Iterator[Finding]:
    stall, pauses = operator.signs.stall, operator.signs.pauses
    if stall is None or stall.moments < LEAST_MOMENTS or operator.begin is None or operator.end is None:
        return
    span = operator.end - operator.begin
    usual = pauses.quantile(0.5) if pauses.total else 0
    if stall.duration * 4 < span or stall.duration < _PAUSES * usual:
        return
    at = "without a watermark" if stall.watermark is None else f"at {time_text(stall.watermark)}"
    grown = ""
    if stall.state is not None and stall.state[1] > stall.state[0]:
        grown = f", and its state has grown from {stall.state[0]:,} to {stall.state[1]:,} rows"
    yield Finding(
        name="stalled-watermark",
        severity="error",
        job=operator.job,
        source=operator.source,
        begin=stall.begin,
        sentence=f"subtask {stall.subtask} stood {at} for {span_text(stall.duration)}, while rows came at "
        f"{stall.moments:,} times{grown}",
        remedy=_who_holds(operator, every),
    )


def _who_holds(operator: OperatorFindings, every: Sequence[OperatorFindings]) -> str:
    """Return the remedy for a stall: it names the input with the smallest watermark at the log's end."""
    of_job = [operator, *(each for each in every if each.job == operator.job)]
    parts = next((each for each in of_job if any(part.holds for part in each.signs.parts.values())), None)
    if parts is None:
        return (
            "find the input whose watermark is the smallest: give it an idle timeout if it has no rows, or "
            "read it faster"
        )
    holding = {name: part for name, part in parts.signs.parts.items() if part.holds}
    name = min(holding, key=lambda each: (holding[each].watermark is not None, holding[each].watermark))
    subtask, _, of_subtask = name.partition(" ")
    part = holding[name]
    reached = "has no watermark" if part.watermark is None else f"is at {time_text(part.watermark)}"
    silent = (parts.end or part.at) - part.at
    return (
        f"{of_subtask} of subtask {subtask} of {parts.source or parts.job} {reached}, and had its last row "
        f"{span_text(silent)} before the end of the log: give it an idle timeout if it has no rows, or read "
        "it faster"
    )


def _leap(operator: OperatorFindings) -> Iterator[Finding]:
    leaps = operator.signs.leaps
    if not leaps.broken:
        return
    yield Finding(
        name="watermark-leap",
        severity="error",
        job=operator.job,
        source=operator.source,
        begin=leaps.first[0].processing_time,
        sentence=f"{leaps.broken:,} of {operator.signs.marks:,} watermarks are up to {span_text(leaps.far)} "
        "ahead of the clock",
        remedy="leave out rows that are far ahead of the clock before the watermark is taken from them",
        evidence=tuple(leaps.first),
    )


def _implausible(operator: OperatorFindings) -> Iterator[Finding]:
    for name, count in operator.signs.odd.items():
        share = count.broken / operator.signs.timed
        if name == "hours-ahead" and share < 0.5:
            continue  # a few clocks run ahead; a wrong time zone shifts all rows
        if name == "future" and operator.signs.leaps.broken:
            continue  # reported as watermark-leap
        yield Finding(
            name="implausible-event-time",
            severity="error",
            job=operator.job,
            source=operator.source,
            begin=count.first[0].processing_time,
            sentence=f"{count.broken:,} of {operator.signs.timed:,} event times are implausible",
            remedy=_UNITS[name],
            share=share,
            evidence=tuple(count.first),
        )
