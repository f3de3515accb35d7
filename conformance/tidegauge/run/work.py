"""What a worker process of a run is asked, and what it answers beside events of the journal: data only."""

from __future__ import annotations

from msgspec import Struct

from ..engine.apart import Answer, Question
from .journal import Started
from .plan import PlannedItem
from .request import Request


class RunOpening(Struct, frozen=True, kw_only=True):
    """What a worker process is told first.

    Args:
        request: what is run, on which engine.
        item_seconds: the time limit of an item (s).
        calls_ahead: whether calls of an engine that takes many scenarios at once may begin before their
            items. In a process that replaces another each item is on its own, so that no more than one is
            lost at a time.
        without: the ids of the items that are finished already.
    """

    request: Request
    item_seconds: float
    calls_ahead: bool
    without: frozenset[str] = frozenset()


class Work(Struct, frozen=True, tag=True):
    """Something to do."""


class Begin(Work, frozen=True):
    """Load the engine and plan the run; the answer is `Begun`."""


class RunItem(Work, frozen=True):
    """Run an item; the answer is the event `Finished`, without its duration."""

    item: PlannedItem


class Ask(Work, frozen=True):
    """Put questions to the engine; the answer is `Answered`."""

    questions: tuple[Question, ...]


AnyWork = Begin | RunItem | Ask


class Begun(Struct, frozen=True):
    """The engine is loaded and the run is planned: the first event of the journal, and the items."""

    started: Started
    planned: list[PlannedItem]


class Answered(Struct, frozen=True):
    """What the engine answered; nothing to a question in which it crashed or took too long."""

    answers: list[Answer]
