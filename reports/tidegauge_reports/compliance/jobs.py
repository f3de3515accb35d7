"""The jobs as the page shows them: each with its pictures, and the rules that break in it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from markupsafe import Markup

from tidegauge.wire.results import Counterexample, JobPicture, RuleResult, kind_of

from ..jobs.timeline import job_summary, job_timeline_svg
from ..jobs.words import job_words, place

MOST_JOBS = 40
"""So many jobs are drawn."""


@dataclass(frozen=True)
class PictureView:
    """One run of a job: its drawing, what it shows in words, and what to call it."""

    name: str
    drawing: Markup
    summary: str


@dataclass(frozen=True)
class JobView:
    """A job with its anchor and its pictures, the aligned before its control. `broken` are the failing rules
    whose counterexample is this job."""

    title: str
    sentence: str
    anchor: str
    pictures: list[PictureView]
    broken: list[RuleResult] = field(default_factory=list)


def job_views(
    pictures: list[JobPicture], rules: list[RuleResult], anchor: Callable[[str], str]
) -> dict[str, JobView]:
    """The jobs by name; `anchor` makes a place on the page from a text."""
    by_name: dict[str, list[JobPicture]] = {}
    for picture in pictures:
        by_name.setdefault(picture.job, []).append(picture)
    views = {}
    for name, found in sorted(by_name.items(), key=lambda item: place(item[0]))[:MOST_JOBS]:
        found = sorted({picture.aligned: picture for picture in reversed(found)}.values(), key=_control_last)
        words = job_words(name)
        drawn = [_view(picture, found, words.outside) for picture in found]
        drawn = [view for view in drawn if view.drawing]
        if not drawn:
            continue
        broken = [rule for rule in rules if job_of(rule.counterexample) == name and kind_of(rule) == "fail"]
        views[name] = JobView(words.title, words.sentence, anchor(f"job-{name}"), drawn, broken)
    return views


def _control_last(picture: JobPicture) -> bool:
    return not picture.aligned


def job_of(counterexample: Counterexample | None) -> str | None:
    """The name of the job that a counterexample is, if it is one."""
    if counterexample is None or counterexample.scenario.get("component") != "job":
        return None
    setup = counterexample.scenario.get("setup")
    name = setup.get("name") if isinstance(setup, dict) else None
    return name if isinstance(name, str) else None


def _view(picture: JobPicture, found: list[JobPicture], outside: tuple[str, ...]) -> PictureView:
    others = [other for other in found if other is not picture]
    return PictureView(
        "With alignment" if picture.aligned else "Without alignment",
        Markup(job_timeline_svg(picture, others, outside, style=False)),
        job_summary(picture, others, outside),
    )
