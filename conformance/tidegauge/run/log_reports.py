"""Views of what `check-log` writes, by the entry points under which they are registered.

Under `tidegauge.log_reports` stands each view as a function `(results, folder) -> path`, where `results` is
the path of `log-results.json`. All of them are written.
"""

from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from .registered_reports import Written, write_each

RESULTS: Final = "log-results.json"
"""The file that `check-log` writes."""

PAGE: Final = "log-results.html"
"""The view for people."""

GROUP: Final = "tidegauge.log_reports"


def write_log_reports(results: Path, folder: Path) -> Written:
    """Write all views of a `log-results.json` into a folder."""
    return write_each(sorted(entry_points(group=GROUP)), results, folder)
