"""The picture of a counterexample: what came in above, expected and real outputs below, time in steps."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from tidegauge.wire.results import Counterexample, StepRecord

from ..svg import box, centered, element, label, line
from ..text import short
from ..wording import NO_ANSWER, outputs_words, step_words
from .clock_times import with_clock_times
from .difference import draw_difference, marked
from .geometry import ROW, Geometry, head_height, measure, setup_rows
from .history import History
from .lane import draw_lane, draw_name, lane_height
from .legend import draw_legend
from .output_lane import draw_names, draw_outputs, output_height
from .reading import read_history
from .time_row import draw_time, time_height

_NARROWEST = 400.0
_LONGEST_SENTENCE = 300


def timeline_svg(counterexample: Counterexample, style: bool = True) -> str:
    """The timeline as one SVG element; empty if there is no drawing for the component (a job has a picture of
    its own) or no step. With `style` it needs nothing else; without, the page holds `timeline_style()`. The
    table of steps always says the same in words."""
    history = read_history(counterexample)
    return "" if history is None else _drawn(counterexample, history, style)


def scenario_svg(scenario: Mapping[str, Any], outputs: Sequence[list[dict[str, Any]]]) -> str:
    """The timeline of a scenario with the `outputs` expected of its steps, all in their wire form, without an
    engine; empty as `timeline_svg` is. The page holds `timeline_style()`. Timestamps that are times of a day,
    in ms, are written as such."""
    told = Counterexample(
        scenario=dict(scenario),
        found_as="",
        diverges_at=-1,
        steps=[
            StepRecord(step, expected, None)
            for step, expected in zip(scenario["history"], outputs, strict=True)
        ],
        expected="",
        got="",
        message="",
        replay="",
        file="",
    )
    history = read_history(told, compared=False)
    return "" if history is None else _drawn(told, with_clock_times(history), style=False)


def _drawn(counterexample: Counterexample, history: History, style: bool) -> str:
    geometry = measure(history)
    width = max(_NARROWEST, geometry.right + 4)
    lanes, bottom = _lanes(history, geometry)
    band, bottom = draw_difference(counterexample, history, geometry, bottom, width)
    legend, bottom = draw_legend(history, marked(counterexample, history), bottom + 4)
    return str(element(
        "svg",
        element("title", f"Timeline of the history {short(_identity(counterexample), 200)}"),
        element("desc", _description(counterexample, history)),
        element("style", Markup(timeline_style())) if style else "",
        box(0, 0, width, bottom, "paper"),
        band,
        lanes,
        legend,
        xmlns="http://www.w3.org/2000/svg",
        class_="timeline",
        fill="none",
        text_anchor="middle",
        role="img",
        width=width,
        height=bottom,
        viewBox=f"0 0 {width:g} {bottom:g}",
    ))  # fmt: skip


def timeline_style() -> str:
    """The style sheet of all timelines; it contains no character that XML would escape."""
    return files(__package__).joinpath("timeline.css").read_text(encoding="utf-8")


def _lanes(history: History, geometry: Geometry) -> tuple[Markup, float]:
    """Everything above the legend, and its lower edge."""
    y = head = head_height(history)
    drawn = [
        centered(str(history.first + column + 1), geometry.center(column), y + 13, "faint")
        for column in range(history.steps)
    ]
    y += 20 + (ROW + 2 if history.moments else 0)
    names = [
        box(0, head, geometry.gutter - 4, y - head, "paper"),
        label("step", 8, head + 13, "faint", "start"),
        *(label(text, 8, 14 + row * ROW, "", "start") for row, text in enumerate(setup_rows(history))),
    ]
    row, name = draw_time(history, y, geometry)
    drawn.append(row)
    names.append(name)
    y += time_height(history)
    for lane in history.lanes:
        drawn.append(draw_lane(lane, y, geometry))
        names.append(draw_name(lane, y, geometry))
        y += lane_height(lane, geometry)
    drawn.append(draw_outputs(history, y, geometry))
    names.append(draw_names(history, y, geometry))
    y += output_height(history, geometry)
    drawn.append(line(0, y, geometry.right, y, "border"))
    names.append(line(0, y, geometry.gutter - 4, y, "border"))
    moments = []
    for column, words in history.moments.items():
        x = geometry.center(column)
        moments += [line(x, head + 34, x, y, "moment"), centered(words, x, head + 29)]
    return Markup("").join([*moments, *drawn]) + element("g", *names, class_="names"), y


def _identity(counterexample: Counterexample) -> str:
    return str(counterexample.scenario.get("id", "without a name"))


def _description(counterexample: Counterexample, history: History) -> str:
    """The drawing in words, for those who cannot see it."""
    records = counterexample.steps[history.first : history.first + history.steps]
    sentences = [
        f"Step {number}: {short(step_words(record.step), _LONGEST_SENTENCE)}."
        for number, record in enumerate(records, start=history.first + 1)
    ]
    if not history.compared:
        sentences = [
            f"{sentence.removesuffix('.')}; expected: {_answer(record.expected)}."
            for sentence, record in zip(sentences, records, strict=True)
        ]
    if history.differs is not None:
        record = records[history.differs]
        sentences.append(
            f"At step {counterexample.diverges_at + 1} expected: {_answer(record.expected)}; "
            f"got: {_answer(record.got)}."
        )
    return " ".join(([f"{history.setup}."] if history.setup else []) + sentences)


def _answer(outputs: list[dict[str, Any]] | None) -> str:
    return NO_ANSWER if outputs is None else short(outputs_words(outputs), _LONGEST_SENTENCE)
