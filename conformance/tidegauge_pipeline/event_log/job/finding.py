"""A finding about a job, and what findings have in common."""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from ..counts import Example
from ..findings import OperatorFindings

Severity = Literal["warning", "error"]

LEAST_STRETCHES = 8
"""The minimum number of stretches of processing time from which a trend is derived."""


class Finding(Struct, frozen=True, kw_only=True):
    """A finding about a job.

    `source`: the operator. `begin`: the processing time of the first occurrence (ms). `worst`: the processing
    time of the worst moment (ms), None if it is unknown. `part`: the subtask, channel or split, empty for the
    operator as a whole. `share`: the share of the rows, None if it is unknown. `evidence`: the first rows
    that show the finding.
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
    worst: int | None = None
    part: str = ""


def of_job(operators: Iterable[OperatorFindings], job: str) -> list[OperatorFindings]:
    """Return the operators of a job."""
    return [operator for operator in operators if operator.job == job]


def sources_of(operators: Sequence[OperatorFindings]) -> list[OperatorFindings]:
    """Return the sources among the operators of a job; if none is logged, the operators with records."""
    sources = [each for each in operators if each.role in ("source", "splits")]
    return sources or [each for each in operators if each.signs.records]


def span_of(operators: Iterable[OperatorFindings]) -> tuple[int, int]:
    """Return the first and the last processing time (ms) of some operators."""
    operators = list(operators)
    begins = [each.begin for each in operators if each.begin is not None]
    ends = [each.end for each in operators if each.end is not None]
    return (min(begins), max(ends)) if begins and ends else (0, 0)


def subtask_name(operator: OperatorFindings, number: int) -> str:
    """Return the name of a subtask in a sentence."""
    return f"subtask {number} of {operator.source or operator.job}"


def part_name(operator: OperatorFindings, name: str) -> str:
    """Return the name of an input in a sentence; `name` is its key in `Signs.parts`."""
    number, _, of_subtask = name.partition(" ")
    part = operator.signs.parts.get(name)
    upstream = f" ({part.upstream})" if part is not None and part.upstream else ""
    return f"{of_subtask}{upstream} of subtask {number} of {operator.source or operator.job}"


def twice_in_seconds(duration: int) -> int:
    """Return twice a duration, rounded up to whole seconds, and at least one second (ms).

    Remedies propose timeouts and drifts with this room for disorder.
    """
    return max(1000, -(-2 * duration // 1000) * 1000)
