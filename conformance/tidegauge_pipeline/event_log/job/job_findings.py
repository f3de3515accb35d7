"""Findings about a job, derived from the signs of its operators. Each finding has a remedy.

Findings are independent of the rules: an engine may keep every rule while a job loses rows.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from tidegauge.words.log_times import span_text
from tidegauge.words.numbers import are, counted, listed

from ..findings import OperatorFindings
from ..names import FINDINGS
from .backlog import backlog
from .finding import Finding, of_job
from .kept_state import growing_state, unfired_windows
from .sources_apart import alignment_blocks, skewed_sources
from .stalls import idle_too_soon, stalls

__all__ = ["Finding", "findings_of"]

LEAST_LATE_SHARE: Final = 0.001
"""The smallest share of late rows that is a finding. With any practical delay a few rows are late."""

_FROM_SOURCES: Final = ("watermark-regresses", "watermark-leap", "implausible-event-time", "backlog")
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


def findings_of(operators: Sequence[OperatorFindings], drift: int | None = None) -> tuple[Finding, ...]:
    """Return the findings about all jobs of a log, the most severe first.

    drift: how far the sources of a job may be apart (ms); None takes it from the announcements in the log.
    """
    jobs = sorted({operator.job for operator in operators})
    found = [finding for job in jobs for finding in _of_job(of_job(operators, job), drift)]
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


def _of_job(operators: Sequence[OperatorFindings], drift: int | None) -> Iterator[Finding]:
    late = [finding for operator in operators for finding in _late(operator, operators)]
    odd = [finding for operator in operators for finding in _implausible(operator, makes_late=bool(late))]
    leaps = [finding for operator in operators for finding in _leap(operator)]
    idle = list(idle_too_soon(operators))
    yield from (*odd, *leaps, *idle)
    for operator in operators:
        yield from _regression(operator)
    if causes := dict.fromkeys(finding.name for finding in (*odd, *leaps, *idle)):
        # After a leap of years no delay is long enough, and the right one is seen only without the leap.
        remedy = f"mend {listed(list(causes), 3)} first: it makes rows late. Then check the log of a new run"
        late = [replace(finding, remedy=remedy) for finding in late]
    yield from late
    blocked = list(alignment_blocks(operators, drift))
    # A source that alignment blocks for good has no watermark either: that is one trouble.
    stalled = [] if blocked else list(stalls(operators))
    behind = list(backlog(operators)) if not (blocked or stalled) else []
    yield from (*blocked, *stalled, *behind)
    # Event times in a wrong unit or time zone set sources apart, and state grows. Alignment is no remedy.
    if not odd:
        yield from skewed_sources(operators, drift)
    yield from growing_state(operators, explained=bool(blocked or stalled or odd))
    yield from unfired_windows(operators)


def _late(operator: OperatorFindings, every: Sequence[OperatorFindings]) -> Iterator[Finding]:
    signs = operator.signs
    if not signs.late:
        return
    records = sum(each.signs.records for each in every if not each.has_channels)
    share = signs.late / records if records >= signs.late else None
    if share is not None and share < LEAST_LATE_SHARE:
        return
    first = signs.late_rows.first[0]
    of_rows = "" if share is None else f", {share:.2%} of {records:,}"
    far, remedy = "", "the log does not say how late they are: log the event time of late rows"
    if signs.lateness.total:
        far = f", by up to {span_text(signs.lateness.most)}"
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
        sentence=f"{signs.late:,} rows came too late{of_rows}{far}",
        remedy=remedy,
        share=share,
        evidence=tuple(signs.late_rows.first),
    )


def _regression(operator: OperatorFindings) -> Iterator[Finding]:
    regressions = operator.signs.regressions
    if not regressions.broken:
        return
    first = regressions.first[0]
    yield Finding(
        name="watermark-regresses",
        severity="error",
        job=operator.job,
        source=operator.source,
        begin=first.processing_time,
        part=str(first.subtask),
        share=regressions.broken / max(operator.signs.marks, regressions.broken),
        sentence=f"{counted(regressions.broken, 'watermark')} of {operator.signs.marks:,} "
        f"{are(regressions.broken)} up to "
        f"{span_text(regressions.far)} lower than the one before, the first in subtask {first.subtask}",
        remedy=f"output the largest watermark so far: windows of {span_text(regressions.far)} that have "
        "fired get rows again. If the subtask began again, write the row `restarted`",
        evidence=tuple(regressions.first),
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


def _implausible(operator: OperatorFindings, makes_late: bool) -> Iterator[Finding]:
    """Yield the implausible event times of an operator. `makes_late`: the job has late rows."""
    for name, count in operator.signs.odd.items():
        share = count.broken / operator.signs.timed
        remedy = _UNITS[name]
        if name == "hours-ahead" and share < 0.5:
            if not makes_late:
                continue  # a few clocks run ahead; a wrong time zone shifts all rows
            # One device six hours ahead moved the watermark of its partition, and 71 % of the rows were late.
            remedy = (
                f"they are up to {span_text(count.far)} ahead of the clock, which makes the rows of the "
                "present late: filter such rows before the watermark is taken"
            )
        if name == "future" and operator.signs.leaps.broken:
            continue  # reported as watermark-leap
        yield Finding(
            name="implausible-event-time",
            severity="error",
            job=operator.job,
            source=operator.source,
            begin=count.first[0].processing_time,
            sentence=f"{count.broken:,} of {operator.signs.timed:,} event times are implausible",
            remedy=remedy,
            share=share,
            evidence=tuple(count.first),
        )
