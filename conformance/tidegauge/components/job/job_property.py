"""What a property of jobs is: a predicate over the event log of a job that ran, or of two."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .log import JobLog, Key


@dataclass(frozen=True)
class JobRun:
    """A job that ran: its log, and what the engine declares of its reaction (ms)."""

    log: JobLog
    overshoot_ms: int
    reaction_ms: int


Seen = str | None
"""None: the property holds; else what was seen instead, in words."""


@dataclass(frozen=True)
class JobProperty:
    """A property of jobs. `jobs` names those it is checked on; `rules` are all whose breach can show in it,
    the one it speaks for before the others.

    `seen` looks at the job's run, and at that of the job that `compared_with` makes of it (one of the
    `TRANSFORMATIONS`). `alignment`: without alignment the same job must violate it, else it shows nothing.
    `on_control`: it is checked on the job without alignment, instead.
    """

    name: str
    sentence: str
    rules: tuple[str, ...]
    jobs: tuple[str, ...]
    seen: Callable[..., Seen]
    compared_with: str = ""
    alignment: bool = False
    on_control: bool = False


def name_of(key: Key) -> str:
    """A subtask in words."""
    return f"subtask {key[1]} of source {key[0]!r}"


def firings_text(counts: Sequence[int]) -> str:
    """With how many records a window fired, each time, in words."""
    if not counts:
        return "did not fire"
    return f"fired with {', then '.join(map(str, counts))} record{'' if counts == [1] else 's'}"
