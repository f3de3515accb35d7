"""The picture of a counterexample: inputs above, expected and real outputs below, time in steps."""

from importlib.resources import files

from markupsafe import Markup

from tidegauge.results import Counterexample

from ..svg import box, element, label, line, text_width
from ..text import short
from ..wording import NO_ANSWER, outputs_words, step_words
from .channel_lane import draw_lane, draw_name, lane_height, lane_name
from .geometry import ROW, Geometry, measure
from .history import History, read_history
from .legend import draw_legend
from .output_lane import NAMES, draw_names, draw_outputs, output_height

_NARROWEST = 400.0
_LONGEST_ANSWER = 52
_LONGEST_SENTENCE = 300
_BOLD = 1.12


def timeline_svg(counterexample: Counterexample) -> str:
    """The timeline as one SVG element that needs nothing else; empty if there is no drawing for the
    component (or for a history as long as this one). The table of steps always says the same in words."""
    history = read_history(counterexample)
    if history is None:
        return ""
    names = [name for lane in history.channels for name in lane_name(lane)]
    geometry = measure(history, [*names, *NAMES])
    width = max(_NARROWEST, geometry.right + 4)
    lanes, bottom = _lanes(history, geometry)
    band, bottom = _difference(counterexample, history, geometry, bottom, width)
    legend, bottom = draw_legend(history, _marked(counterexample, history) if band else "", bottom + 4, width)
    return str(element(
        "svg",
        element("title", f"Timeline of the history {short(_identity(counterexample), 200)}"),
        element("desc", _description(counterexample)),
        element("style", Markup(_style())),
        box(0, 0, width, bottom, "paper"),
        band,
        lanes,
        legend,
        xmlns="http://www.w3.org/2000/svg",
        class_="timeline",
        role="img",
        width=width,
        height=bottom,
        viewBox=f"0 0 {width:g} {bottom:g}",
    ))  # fmt: skip


def _style() -> str:
    """The style sheet of the drawing; it contains no character that XML would escape."""
    return files(__package__).joinpath("timeline.css").read_text(encoding="utf-8")


def _lanes(history: History, geometry: Geometry) -> tuple[Markup, float]:
    """Everything above the legend, and its lower edge."""
    drawn = [label(str(column + 1), geometry.center(column), 15, "faint") for column in range(history.steps)]
    names = [box(0, 0, geometry.gutter - 4, 40, "paper"), label("step", 8, 15, "faint", "start")]
    y = 22.0 + (ROW + 2 if history.whole_valve else 0)
    for lane in history.channels:
        drawn.append(draw_lane(lane, y, geometry))
        names.append(draw_name(lane, y, geometry))
        y += lane_height(lane, geometry)
    drawn.append(draw_outputs(history, y, geometry))
    names.append(draw_names(history, y, geometry))
    y += output_height(history, geometry)
    drawn.append(line(0, y, geometry.right, y, "border"))
    names.append(line(0, y, geometry.gutter - 4, y, "border"))
    for column, name in history.whole_valve.items():
        x = geometry.center(column)
        drawn += [line(x, 36, x, y, "moment"), label(name, x, 31)]
    return Markup("").join(drawn) + element("g", *names, class_="names"), y


def _difference(
    counterexample: Counterexample, history: History, geometry: Geometry, bottom: float, width: float
) -> tuple[Markup, float]:
    """The band over the first difference with both answers below it, and its lower edge."""
    column = counterexample.diverges_at
    if not 0 <= column < history.steps:
        return Markup(""), bottom
    first, last = _span(counterexample, history)
    record = counterexample.steps[last]
    answers = [
        (
            "first difference" if first == last else f"first difference, in steps {first + 1} to {last + 1}",
            "name",
        ),
        (f"expected {_answer(record.expected)}", "expected-text"),
        (f"got {_answer(record.got)}", "got-text"),
    ]
    if record.expected == record.got:
        answers = [("here a property is violated; the outputs are as expected", "name")]
    lower = bottom + len(answers) * ROW + 6
    center = (geometry.lefts[first] + geometry.lefts[last + 1]) / 2
    half = max(text_width(text) for text, _ in answers) * _BOLD / 2 + 6
    x = max(half, min(center, width - half))
    texts = [
        label(text, x, bottom + 11 + row * ROW, f"{style} strong")
        for row, (text, style) in enumerate(answers)
    ]
    band = box(
        geometry.lefts[first], 2, geometry.lefts[last + 1] - geometry.lefts[first], bottom - 2, "difference"
    )
    return element("g", band, *texts, class_="first-difference"), lower


def _marked(counterexample: Counterexample, history: History) -> str:
    record = counterexample.steps[_span(counterexample, history)[1]]
    return "first difference" if record.expected != record.got else "violated property"


def _span(counterexample: Counterexample, history: History) -> tuple[int, int]:
    """The first and last step of what was observed together when it differed."""
    column = counterexample.diverges_at
    return next((span for span in history.spans if span[0] <= column <= span[1]), (column, column))


def _answer(outputs: list[dict[str, object]] | None) -> str:
    return NO_ANSWER if outputs is None else short(outputs_words(outputs), _LONGEST_ANSWER)


def _identity(counterexample: Counterexample) -> str:
    return str(counterexample.scenario.get("id", "without a name"))


def _description(counterexample: Counterexample) -> str:
    """The drawing in words, for those who cannot see it."""
    sentences = [
        f"Step {number}: {short(step_words(record.step), _LONGEST_SENTENCE)}."
        for number, record in enumerate(counterexample.steps, start=1)
    ]
    column = counterexample.diverges_at
    if 0 <= column < len(counterexample.steps):
        record = counterexample.steps[column]
        sentences.append(
            f"At step {column + 1} expected: {_answer(record.expected)}; got: {_answer(record.got)}."
        )
    return " ".join(sentences)
