"""The page of an event log: one HTML file that needs nothing else and has no script."""

from pathlib import Path

from jinja2 import Environment

from tidegauge import __version__
from tidegauge.run.log_reports import PAGE
from tidegauge.words.log_times import span_text, time_text
from tidegauge.words.verdicts import SIGNS

from ..pages.environment import page_environment, style_sheet
from ..text_file import write_text_file
from .document import LogDocument, read_document
from .page import build_page, rule_of


def write(results: Path, folder: Path) -> Path:
    """Write the page of a `log-results.json` into a folder, and return its path. Raises `BadInput`."""
    return write_text_file(folder / PAGE, render(read_document(results)))


def render(document: LogDocument) -> str:
    """Return the page. The same results give the same page."""
    template = _environment().get_template("log.html.j2")
    return template.render(page=build_page(document), log=document, style=style_sheet(__package__))


def _environment() -> Environment:
    environment = page_environment(__package__)
    environment.filters.update(time=time_text, span=span_text)
    environment.globals.update(rule_of=rule_of, signs=SIGNS, version=__version__)
    return environment
