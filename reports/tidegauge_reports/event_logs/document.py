"""The part of `log-results.json` that the page shows. Fields of later versions are ignored."""

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from tidegauge.run.log_reports import RESULTS
from tidegauge.wire.input_file import read_input
from tidegauge.wire.scenario import BadInput


class Example(Struct, frozen=True):
    """A row that shows a finding, breaks a property or is in trouble.

    `because`: the number of the row that it contradicts.
    """

    processing_time: int
    subtask: int
    sequence: int
    says: str
    because: int | None = None


class Count(Struct, frozen=True):
    """How many rows break a property, and how far (ms of event time) and long (ms of processing time)."""

    about: int = 0
    broken: int = 0
    far: int = 0
    long: int = 0
    first: tuple[Example, ...] = ()


class NearbyRow(Struct, frozen=True):
    """A row near one that breaks a property."""

    sequence: int
    processing_time: int
    kind: str
    event_time: int | None = None
    split: str = ""
    channel: int | None = None
    count: int = 1


class Finding(Struct, frozen=True):
    """A finding about a job. `begin`: the processing time of its first occurrence (ms). `worst`: that of its
    worst moment, None if it is unknown."""

    name: str
    severity: str
    job: str
    source: str
    begin: int
    sentence: str
    remedy: str
    share: float | None = None
    evidence: tuple[Example, ...] = ()
    worst: int | None = None


class PropertyVerdict(Struct, frozen=True):
    """The verdict on a property for an operator."""

    job: str
    source: str
    property: str
    rules: tuple[str, ...]
    verdict: str
    count: Count
    sentence: str = ""
    around: tuple[NearbyRow, ...] = ()


class RuleVerdict(Struct, frozen=True):
    """The verdict on a rule."""

    rule: str
    verdict: Literal["pass", "fail", "suspect", "not-tested"]
    rows: int
    properties: tuple[str, ...]
    reason: str = ""
    one_of: tuple[str, ...] = ()


class WatermarkCourse(Struct, frozen=True):
    """The smallest and the greatest watermark that an operator output, by steps of processing time."""

    width: int = 1
    steps: dict[int, tuple[int, int]] = {}


class Operator(Struct, frozen=True):
    """An operator of the log: counts of its rows, their troubles, and its watermark."""

    job: str
    source: str
    rows: int = 0
    subtasks: int = 0
    begin: int | None = None
    end: int | None = None
    kinds: dict[str, int] = {}
    troubles: dict[str, Count] = {}
    watermark_course: WatermarkCourse = WatermarkCourse()


class LogDocument(Struct, frozen=True):
    """The results of a log."""

    log: str
    rows: int
    files: int
    overall: Literal["pass", "fail", "incomplete"]
    skipped: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    rules: tuple[RuleVerdict, ...] = ()
    properties: tuple[PropertyVerdict, ...] = ()
    operators: tuple[Operator, ...] = ()
    findings: tuple[Finding, ...] = ()


def read_document(path: Path) -> LogDocument:
    """Read a `log-results.json`. Raises `BadInput` if it cannot be read, or is another document."""
    try:
        return msgspec.json.decode(read_input(path), type=LogDocument)
    except OSError as error:
        raise BadInput(
            f"{path}: {error.strerror}; give the {RESULTS} of `tidegauge check-log --out`"
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{path} is not a whole {RESULTS}: {error}; run `tidegauge check-log --out` again"
        ) from None
