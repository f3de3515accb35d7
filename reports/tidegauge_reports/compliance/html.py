"""The compliance report: one HTML file that needs nothing else, and says what a run found."""

import shlex
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from tidegauge.results import Results

from ..pages.environment import packaged, page_environment, style_sheet
from ..signs import SIGNS
from ..wording import NO_ANSWER, outputs_words, step_words
from .page import build_page

FILE_NAME = "report.html"


def write(results: Results, folder: Path) -> Path:
    """Write the report of `results` into `folder`, which is made if need be; the path of the file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    path.write_text(render(results), encoding="utf-8", newline="\n")
    return path


def render(results: Results) -> str:
    """The page. The same results give the same page."""
    script = packaged(__package__, "script.js")
    return _environment().get_template("report.html.j2").render(
        page=build_page(results),
        results=results,
        style=style_sheet(__package__),
        script=Markup(script),
        script_digest=b64encode(sha256(script.encode()).digest()).decode(),
    )  # fmt: skip


def _environment() -> Environment:
    environment = page_environment(__package__)
    environment.filters.update(step=step_words, outputs=outputs_words, command=shlex.join)
    environment.globals.update(signs=SIGNS, no_answer=NO_ANSWER)
    return environment
