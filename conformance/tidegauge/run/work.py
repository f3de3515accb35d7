"""The messages of a worker process of a run: its work, and its answers except for journal events. Data
only."""

from __future__ import annotations

from msgspec import Struct

from ..engine.apart import Answer, Question
from ..wire.scenario import Scenario
from .journal import Started
from .plan import PlannedItem
from .request import Request


class RunOpening(Struct, frozen=True, kw_only=True):
    """The first message to a worker process.

    Args:
        request: what is run, on which engine.
        item_seconds: the time limit of an item (s).
        calls_ahead: whether calls of an engine that takes many scenarios at once may begin before their
            items. In a process that replaces another one, each item has its own calls, so that at most one
            item is lost at a time.
        without: the ids of the items that are already finished.
    """

    request: Request
    item_seconds: float
    calls_ahead: bool
    without: frozenset[str] = frozenset()


class Work(Struct, frozen=True, tag=True):
    """A piece of work."""


class Begin(Work, frozen=True):
    """Load the engine and plan the run; the answer is `Begun`."""


class RunItem(Work, frozen=True):
    """Run an item; the answer is the event `Finished`, without its duration."""

    item: PlannedItem


class Ask(Work, frozen=True):
    """Ask the engine questions; the answer is `Answered`."""

    questions: tuple[Question, ...]


class Explain(Work, frozen=True):
    """Ask the adapter for hints on counterexamples; the answer is `Explained`."""

    scenarios: tuple[Scenario, ...]


AnyWork = Begin | RunItem | Ask | Explain


class Begun(Struct, frozen=True):
    """The first event of the journal, and the items to run. The engine is loaded and the run is planned."""

    started: Started
    planned: list[PlannedItem]


class Answered(Struct, frozen=True):
    """The answers of the engine. A question in which the engine crashed or exceeded a time limit has none."""

    answers: list[Answer]


class Explained(Struct, frozen=True):
    """The hints on each scenario, in their order."""

    hints: list[list[str]]
