"""The errors of an engine as the page shows them: above everything else, each traceback once."""

from dataclasses import dataclass

from tidegauge.wire.results import EngineError
from tidegauge.words.evidence import error_detail, error_words


@dataclass(frozen=True)
class ErrorView:
    """An error of the engine: what it did instead of answering and how often, what else it said, and the
    traceback, which is empty where an error above has the same."""

    error: EngineError
    words: str
    detail: str
    traceback: str


def error_views(errors: list[EngineError]) -> list[ErrorView]:
    """The errors, in the order of the document."""
    seen: set[str] = set()
    views = []
    for error in errors:
        repeated = error.traceback in seen
        seen.add(error.traceback)
        views.append(
            ErrorView(error, error_words(error), error_detail(error), "" if repeated else error.traceback)
        )
    return views
