"""What is drawn of a history: what happened on each lane, and what came out."""

from dataclasses import dataclass, field
from typing import Literal

MarkKind = Literal[
    "watermark", "ignored", "end", "begins", "ends", "record", "late", "unread", "note", "refused"
]
"""`ignored` is a watermark that is not greater, or not heard; `end` the end of an input; `begins` and `ends`
of a span; `unread` a record that is not read; `refused` anything that changes nothing; `note` all else."""

SpanKind = Literal["idle", "no data", "empty", "blocked", "claims", "down", "absent"]
"""What lasts on a lane: it is idle, has no data, no partitions, is blocked, says that it has backlog, does
not run, is not there."""

StripKind = Literal["idle", "blocked", "backlog"]
"""What lasts after an output: it is idle, the subtask is blocked, there is backlog."""

STRIPS: tuple[StripKind, ...] = ("idle", "blocked", "backlog")


@dataclass(frozen=True)
class Mark:
    """Something that happens on a lane at the step `column` (from 0), at a height if it has a `timestamp`."""

    column: int
    kind: MarkKind
    timestamp: int | None
    label: str


@dataclass
class Lane:
    """A channel, split, input, subtask, task or the like, with its name in lines.

    `levels` is its line: a timestamp before the first step and after each one, None where it has none;
    `during` says for each kind of span at the same moments whether it lasts. A lane that does not exist has
    marks only. `told` are timestamps that an output told it, and `paused` the spans in which outputs hold it
    back, each as expected and as got.
    """

    names: tuple[str, ...]
    exists: bool
    marks: list[Mark] = field(default_factory=list)
    levels: list[int | None] = field(default_factory=list)
    during: dict[SpanKind, list[bool]] = field(default_factory=dict)
    told: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    paused: dict[str, list[bool]] = field(default_factory=dict)

    @property
    def has_heights(self) -> bool:
        """Whether anything on it has a timestamp."""
        return (
            any(level is not None for level in self.levels)
            or any(mark.timestamp is not None for mark in self.marks)
            or any(self.told.values())
        )


@dataclass
class Answer:
    """What came out, as expected or as got.

    For each step: the `labels` of all outputs (None: not observed at this step), the timestamps of those that
    have a height (`points`), the windows that fired (`windows`: start and end). `levels` are lines, by name,
    and `during` what lasts: both begin before the first step. `silent_from` is the step from which no answer
    came.
    """

    labels: list[tuple[str, ...] | None] = field(default_factory=list)
    points: list[list[int]] = field(default_factory=list)
    windows: list[list[tuple[int, int]]] = field(default_factory=list)
    levels: dict[str, list[int | None]] = field(default_factory=dict)
    during: dict[StripKind, list[bool]] = field(default_factory=dict)
    silent_from: int | None = None


@dataclass(frozen=True)
class TimePassed:
    """Time that passes at a step: `words` of how much, and the time it `makes` then (empty: none)."""

    words: str
    makes: str


@dataclass(frozen=True, kw_only=True)
class History:
    """All that is drawn: `steps` columns, of which the first is the step `first` (from 0).

    `setup` says in words what was built, `line` what a step in a lane's line is. `moments` are steps that
    concern the whole component; `clock` names the time that passes (empty: none does). `together` are the
    first and last steps of what was observed at once; `differs` the column of the first difference, None if
    it is not drawn. `compared`: an engine has answered; otherwise there are expected outputs alone. `notes`
    say what is left out.
    """

    steps: int
    first: int
    setup: str
    line: str
    lanes: list[Lane]
    moments: dict[int, str]
    clock: tuple[str, ...]
    passed: dict[int, TimePassed]
    expected: Answer
    got: Answer
    together: list[tuple[int, int]]
    differs: int | None
    compared: bool
    notes: list[str]
