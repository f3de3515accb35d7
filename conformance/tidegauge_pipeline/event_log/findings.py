"""The findings per operator of an event log, which can be summed over the parts of the log."""

from collections.abc import Iterable

import msgspec
from msgspec import Struct, field

from .counts import Count
from .job.signs import Signs
from .job.watermark_course import WatermarkCourse
from .properties import Role


class OperatorFindings(Struct):
    """The findings about one operator: a source of a job, or an operator downstream of the sources.

    `kinds`: the number of rows of each kind. `properties` and `troubles`: counts by name. `signs`: statistics
    that describe the job rather than rules. `watermark_course`: its watermark over
    processing time. Times are processing times in ms.
    """

    job: str
    source: str
    rows: int = 0
    subtasks: int = 0
    begin: int | None = None
    end: int | None = None
    has_channels: bool = False
    has_splits: bool = False
    kinds: dict[str, int] = {}
    properties: dict[str, Count] = {}
    troubles: dict[str, Count] = {}
    signs: Signs = field(default_factory=Signs)
    watermark_course: WatermarkCourse = field(default_factory=WatermarkCourse)

    @property
    def role(self) -> Role:
        """What its subtasks do."""
        if self.has_channels:
            return "valve"
        if self.has_splits:
            return "splits"
        return "window" if self.kinds.keys() & {"fire", "late", "state-size"} else "source"

    def add(self, other: "OperatorFindings") -> None:
        """Count what another part of the log showed of the same operator."""
        self.rows += other.rows
        self.subtasks += other.subtasks
        self.begin = _known(min, self.begin, other.begin)
        self.end = _known(max, self.end, other.end)
        self.has_channels |= other.has_channels
        self.has_splits |= other.has_splits
        self.signs.add(other.signs)
        self.watermark_course.add(other.watermark_course)
        for kind, number in other.kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + number
        for mine, others in ((self.properties, other.properties), (self.troubles, other.troubles)):
            for name, count in others.items():
                mine.setdefault(name, Count()).add(count)


def _known(choice: object, one: int | None, other: int | None) -> int | None:
    known = [number for number in (one, other) if number is not None]
    return choice(known) if known and callable(choice) else None


def together(parts: Iterable[OperatorFindings]) -> list[OperatorFindings]:
    """The findings of each operator once, in the order of job and source."""
    found: dict[tuple[str, str], OperatorFindings] = {}
    for part in parts:
        found.setdefault((part.job, part.source), OperatorFindings(part.job, part.source)).add(part)
    return [found[key] for key in sorted(found)]


ENCODER = msgspec.json.Encoder()
DECODER = msgspec.json.Decoder(OperatorFindings)
