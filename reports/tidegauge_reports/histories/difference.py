"""The band over the first difference, with both answers below it."""

from itertools import takewhile
from typing import Any

from markupsafe import Markup

from tidegauge.wire.results import Counterexample

from ..svg import box, centered, element, text_width
from ..text import short
from ..wording import NO_ANSWER, NOTHING, grouped_words
from .geometry import ROW, Geometry, head_height
from .history import History

_LONGEST_ANSWER = 44
_THEN = ", then "
_BOLD = 1.12

Outputs = list[dict[str, Any]] | None


def marked(counterexample: Counterexample, history: History) -> str:
    """What the band marks; empty if there is none."""
    if history.differs is None:
        return ""
    record = counterexample.steps[history.first + _span(history)[1]]
    return "first difference" if record.expected != record.got else "violated property"


def draw_difference(
    counterexample: Counterexample, history: History, geometry: Geometry, bottom: float, width: float
) -> tuple[Markup, float]:
    """The band, from the top to `bottom`, with both answers below it; and the lower edge of these."""
    if history.differs is None:
        return Markup(""), bottom
    first, last = _span(history)
    record = counterexample.steps[history.first + last]
    left, right = geometry.lefts[first], geometry.lefts[last + 1]
    expected, got = answers_in_words(record.expected, record.got)
    answers = [
        (_title(history.first + first + 1, history.first + last + 1), "name"),
        (f"expected {expected}", "expected-text"),
        (f"got {got}", "got-text"),
    ]
    if record.expected == record.got:
        answers = [("here a property is violated; the outputs are as expected", "name")]
    half = max(text_width(text) for text, _ in answers) * _BOLD / 2 + 6
    x = max(half, min((left + right) / 2, width - half))
    texts = [
        centered(text, x, bottom + 11 + row * ROW, f"{style} strong")
        for row, (text, style) in enumerate(answers)
    ]
    top = head_height(history)
    band = box(left, top, right - left, bottom - top, "difference")
    return element("g", band, *texts, class_="first-difference"), bottom + len(answers) * ROW + 6


def answers_in_words(expected: Outputs, got: Outputs) -> tuple[str, str]:
    """Both answers, each in one line; if they are long, what they have in common at the start is left out."""
    said = [
        [NO_ANSWER] if answer is None else grouped_words(answer) or [NOTHING] for answer in (expected, got)
    ]
    if max(len(_THEN.join(words)) for words in said) > _LONGEST_ANSWER:
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*said, strict=False)))
        if same:
            said = [["…", *(words[same:] or ["nothing more"])] for words in said]
    one, other = (short(_THEN.join(words), _LONGEST_ANSWER) for words in said)
    return one, other


def _title(first: int, last: int) -> str:
    return "first difference" if first == last else f"first difference, in steps {first} to {last}"


def _span(history: History) -> tuple[int, int]:
    """The first and last column of what was observed together when it differed."""
    column = history.differs or 0
    return next((span for span in history.together if span[0] <= column <= span[1]), (column, column))
