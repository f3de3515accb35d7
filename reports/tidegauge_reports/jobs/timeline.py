"""The picture of a job: the event time of each subtask over processing time, the band that alignment
allows, who is blocked, and how many records the windows keep."""

from collections.abc import Sequence
from importlib.resources import files

from markupsafe import Markup

from tidegauge.wire.results import JobPicture
from tidegauge.words.numbers import counted

from ..svg import box, element, label
from ..text import short
from ..time_words import time_words
from .kept_panel import draw_kept, most_kept
from .layout import lay_out
from .legend import draw_job_legend
from .plot import draw_plot
from .reading import Job, Key, Lead, blocked_words, far_keys, largest_lead, read_job
from .strips import draw_strips

_LONGEST_NAME = 60


def job_timeline_svg(
    picture: JobPicture,
    beside: Sequence[JobPicture] = (),
    outside: Sequence[str] = (),
    style: bool = True,
) -> str:
    """The picture as one SVG element; empty if there is nothing to draw. With `style` it needs nothing else;
    without, the page holds `job_timeline_style()`.

    It gets the scales, and each subtask the look, that suit `beside` as well, so that the pictures can be
    compared; one without alignment shows the band of one with. The sources `outside` are in other groups
    than the one that the band is of.
    """
    jobs = [read_job(picture), *(read_job(other) for other in beside)]
    job, far = jobs[0], far_keys(jobs)
    if not job.lines:
        return ""
    lead = largest_lead(job, outside, far)
    layout = lay_out(job, jobs, tuple(outside))
    band = next((one.band for one in jobs if one.aligned and one.band), [])
    drift = max(one.drift for one in jobs)
    bound = next((one.kept_bound for one in jobs if one.aligned and one.kept_bound is not None), None)
    plot = draw_plot(layout, band, drift, lead) + draw_kept(layout, bound)
    strips, bottom = draw_strips(layout)
    legend, bottom = draw_job_legend(layout, bool(band), drift, lead is not None, bottom + 6)
    name = short(picture.job, _LONGEST_NAME)
    words = _words(job, jobs[1:], lead, far)
    return str(element(
        "svg",
        element("title", f"Job {name}, {_alignment(job)}"),
        element("desc", f"Event time of each subtask over processing time. {words}"),
        element("style", Markup(job_timeline_style())) if style else "",
        box(0, 0, layout.width, bottom, "paper"),
        label(_alignment(job), 8, 18, "head", "start"),
        plot,
        strips,
        legend,
        xmlns="http://www.w3.org/2000/svg",
        class_="job-timeline",
        role="img",
        width=layout.width,
        height=bottom,
        viewBox=f"0 0 {layout.width:g} {bottom:g}",
    ))  # fmt: skip


def job_summary(picture: JobPicture, beside: Sequence[JobPicture] = (), outside: Sequence[str] = ()) -> str:
    """What the picture shows, in words."""
    job, *others = [read_job(picture), *(read_job(other) for other in beside)]
    far = far_keys([job, *others])
    return _words(job, others, largest_lead(job, outside, far), far)


def _alignment(job: Job) -> str:
    return f"with alignment, drift {time_words(job.drift)}" if job.aligned else "without alignment"


def _words(job: Job, others: Sequence[Job], lead: Lead | None, far: set[Key]) -> str:
    said: dict[str, list[Key]] = {}
    for line in job.lines:
        said.setdefault(blocked_words(line), []).append(line.key)
    if set(said) == {"never blocked"}:
        sentences = ["No subtask is blocked."]
    else:
        sentences = [f"{_subject(job, keys)} {words}." for words, keys in said.items()]
    if lead is not None:
        apart = f"Unfinished subtasks are at most {time_words(lead.most)} of event time apart"
        sentences.append(f"{apart} (allowed: {_allowed(job)})." if job.allowed is not None else f"{apart}.")
    reached: dict[str, list[Key]] = {}
    for line in job.lines if far else []:
        reached.setdefault(time_words(line.points[-1][1] - line.start), []).append(line.key)
    sentences += [
        f"{' and '.join(job.names(keys))} read{'s' if len(keys) == 1 else ''} {length} of event time."
        for length, keys in reached.items()
    ]
    sentences += _windows_words(job, others)
    if job.left_out:
        sentences.append(f"{counted(job.left_out, 'more subtask')} not drawn.")
    return " ".join(sentence[:1].upper() + sentence[1:] for sentence in sentences)


def _windows_words(job: Job, others: Sequence[Job]) -> list[str]:
    """What is said of the windows: how much they keep, compared with the other run, and what was too late."""
    sentences = []
    if job.kept:
        most = most_kept(job.kept)[1]
        sentence = f"The windows keep at most {counted(int(most), 'record')}"
        if job.aligned and job.kept_bound is not None:
            sentence += f" ({int(job.kept_bound):,} allowed)"
        control = next((other for other in others if other.kept and other.aligned != job.aligned), None)
        if control is not None:
            compared = int(most_kept(control.kept)[1])
            number = "as many" if compared == most else f"{compared:,}"
            sentence += f", {number} {'with' if control.aligned else 'without'} alignment"
        sentences.append(f"{sentence}.")
    if job.late_records:
        comes = (
            "comes too late for its windows" if job.late_records == 1 else "come too late for their windows"
        )
        sentences.append(f"{counted(job.late_records, 'record')} {comes}.")
    return sentences


def _subject(job: Job, keys: list[Key]) -> str:
    return f"{' and '.join(job.names(keys))} {'is' if len(keys) == 1 else 'are'}"


def _allowed(job: Job) -> str:
    drift = f"{time_words(job.drift)} drift"
    return f"{drift} and {time_words(job.overshoot)} overshoot" if job.overshoot else drift


def job_timeline_style() -> str:
    """The style sheet of all pictures of jobs; it contains no character that XML would escape."""
    return files(__package__).joinpath("timeline.css").read_text(encoding="utf-8")
