"""The compliance report: one HTML file that needs nothing else, and says what a run found."""

import shlex
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup, escape

from tidegauge.wire.results import ACCUSED, Results, kind_of
from tidegauge.words import diagnosis, evidence, isolation, run, suspects, verdicts
from tidegauge.words.verdicts import SIGNS

from ..histories.timeline import timeline_style, timeline_svg
from ..jobs.timeline import job_timeline_style
from ..pages.environment import packaged, page_environment, style_sheet
from ..text import LONGEST_COMMAND, shown, too_long, whole, with_command
from ..text_file import write_text_file
from ..wording import NO_ANSWER, outputs_words, step_words
from .chapters import RuleView
from .failures import FirstCounterexample
from .forms import Form, Shown, Writer, write_rules
from .links import linked
from .page import Page, build_page
from .surroundings import NOTHING_AROUND, Surroundings
from .suspects import SuspectsView

FILE_NAME = "report.html"
_LONGEST_TRACEBACK = 8_000


def write(results: Results, folder: Path) -> Path:
    """Write the report of `results` into `folder`, which is made if need be; the path of the file."""
    return write_text_file(folder / FILE_NAME, render(results))


def render(results: Results, around: Surroundings = NOTHING_AROUND) -> str:
    """The page. The same results give the same page. What the pages around it say is linked, not repeated."""
    script = packaged(__package__, "script.js")
    page = build_page(results)
    environment = _environment()
    environment.globals.update(around=around)
    head, summary = (
        Markup(environment.get_template(name).render(page=page, results=results))
        for name in ("banner.j2", "summary.j2")
    )
    rules = write_rules(page, _rule_writer(environment, page), around.sizes, len(head) + len(summary))
    body = environment.get_template("body.j2").render(
        page=page, results=results, banner=head, summary=summary, rules=rules
    )
    pictures = timeline_style() + job_timeline_style() if "<svg" in body else ""
    return environment.get_template("report.html.j2").render(
        page=page,
        results=results,
        body=Markup(body),
        style=style_sheet(__package__) + Markup(pictures),
        script=Markup(script),
        script_digest=b64encode(sha256(script.encode()).digest()).decode(),
    )  # fmt: skip


def _rule_writer(environment: Environment, page: Page) -> Writer:
    templates = {
        kind: environment.get_template(name)
        for kind, name in {
            RuleView: "rule.j2",
            SuspectsView: "suspects.j2",
            FirstCounterexample: "first.j2",
        }.items()
    }

    def write_rule(shown: Shown, form: Form, opened: bool) -> Markup:
        example = shown.example
        timeline = timeline_svg(example, style=False) if form.picture and example is not None else ""
        written = templates[type(shown)].render(
            page=page,
            results=page.results,
            shown=shown,
            form=form,
            opened=opened,
            timeline=Markup(timeline),
        )  # fmt: skip
        return Markup(written)

    return write_rule


def _environment() -> Environment:
    environment = page_environment(__package__)
    environment.filters.update(
        step=step_words,
        outputs=outputs_words,
        arguments=shlex.join,
        command=_command,
        message=_message,
        traceback=_traceback,
        kind=kind_of,
        linked=linked,
    )  # fmt: skip
    environment.globals.update(
        signs=SIGNS,
        no_answer=NO_ANSWER,
        accused=ACCUSED,
        evidence=evidence,
        diagnosis=diagnosis,
        isolation=isolation,
        suspects=suspects,
        verdicts=verdicts,
        of_run=run,
    )
    return environment


def _command(command: str) -> Markup:
    """A command in a box to copy it from, or what is said in its place."""
    found = whole(command)
    if found is None:
        return Markup('<p class="open-note">{}</p>').format(too_long(command))
    return Markup('<pre class="command"><code>{}</code></pre>').format(found)


def _traceback(text: str) -> Markup:
    """What the engine printed, longer than other texts may be."""
    return escape(shown(text, _LONGEST_TRACEBACK))


def _message(text: str, command: str) -> Markup:
    """A message that ends with a command."""
    return escape(shown(with_command(text, command), 2 * LONGEST_COMMAND))
