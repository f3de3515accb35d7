"""The compliance report: one HTML file that needs nothing else, and says what a run found."""

import shlex
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tidegauge.results import Results

from .page import SIGNS, build_page
from .text import counted, duration, finalized, pairs, prose, short
from .wording import NO_ANSWER, outputs_words, step_words

FILE_NAME = "report.html"


def write(results: Results, folder: Path) -> Path:
    """Write the report of `results` into `folder`, which is made if need be; the path of the file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    path.write_text(render(results), encoding="utf-8", newline="\n")
    return path


def render(results: Results) -> str:
    """The page. The same results give the same page."""
    style, script = _packaged("style.css"), _packaged("script.js")
    return _environment().get_template("report.html.j2").render(
        page=build_page(results),
        results=results,
        style=Markup(style),
        script=Markup(script),
        script_digest=b64encode(sha256(script.encode()).digest()).decode(),
    )  # fmt: skip


def _environment() -> Environment:
    """Templates in which every expression is cleaned, cut and escaped before it reaches the page."""
    environment = Environment(
        loader=PackageLoader("tidegauge_reports"),
        autoescape=True,
        finalize=finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        step=step_words,
        outputs=outputs_words,
        duration=duration,
        pairs=pairs,
        prose=prose,
        short=short,
        command=shlex.join,
    )
    environment.globals.update(signs=SIGNS, counted=counted, no_answer=NO_ANSWER)
    return environment


def _packaged(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
