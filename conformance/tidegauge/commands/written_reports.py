"""Lines about the views that were written of an event log."""

from ..run.registered_reports import Written
from .console import ERR, OUT
from .terminal_text import inline


def show_written(written: Written) -> None:
    """Print the path of each view, and a line for each view that failed."""
    for path in written.paths:
        OUT.print(f"report: {inline(str(path))}", soft_wrap=True)
    for problem in written.problems:
        ERR.print(f"tidegauge: {inline(problem)}", soft_wrap=True)
