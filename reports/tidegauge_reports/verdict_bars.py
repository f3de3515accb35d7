"""Verdict bars in the pictures of matrices and trends: a segment for each kind of verdict with its number."""

from collections.abc import Iterable, Mapping
from importlib.resources import files
from itertools import accumulate

from markupsafe import Markup

from tidegauge.wire.results import KNOWN_DEVIATIONS
from tidegauge.words.verdicts import NOT_IN_RUN, SIGNS

from .svg import element, label, line, text_width

MARGIN = 14.0
HEIGHT = 15.0
BY_POLICY, ABSENT = "by-policy", "absent"
_LEAST_SEGMENT = 12.0
_SEGMENTS: dict[str, tuple[str, str]] = {
    "pass": ("", SIGNS["pass"][1]),
    BY_POLICY: ("*", "pass in the reading of the profile"),
    "fail": ("F", SIGNS["fail"][1]),
    "suspect": ("S", SIGNS["suspect"][1]),
    "error": ("E", SIGNS["error"][1]),
    KNOWN_DEVIATIONS: ("†", SIGNS[KNOWN_DEVIATIONS][1]),
    "not-tested": ("?", SIGNS["not-tested"][1]),
    "not-applicable": (" –", SIGNS["not-applicable"][1]),
    ABSENT: (" ·", NOT_IN_RUN[1]),
}
"""The segments of a bar in their order, each with the mark after its number and its meaning."""


def in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of the kinds that occur, in the order of the segments."""
    return {kind: counts[kind] for kind in _SEGMENTS if counts.get(kind)}


def bar(counts: Mapping[str, int], left: float, top: float, width: float) -> Markup:
    """Draw a segment for each kind that occurs: its width is its share, but at least that of its number."""
    counts = in_order(counts)
    needed = {kind: max(_LEAST_SEGMENT, text_width(_number(kind, count))) for kind, count in counts.items()}
    spare = max(width - sum(needed.values()), 0.0)
    whole = sum(counts.values())
    widths = [needed[kind] + spare * count / whole for kind, count in counts.items()]
    return Markup("").join(
        _segment(kind, _number(kind, count), left + end - own, top, own)
        for (kind, count), own, end in zip(counts.items(), widths, accumulate(widths), strict=True)
    )


def _number(kind: str, count: int) -> str:
    """Return the number of rules with the mark of their kind: a verdict never shows by colour alone."""
    return f"{count}{_SEGMENTS[kind][0]}"


def _segment(kind: str, text: str, x: float, y: float, width: float) -> Markup:
    box = element("rect", x=x + 0.5, y=y + 0.5, width=width - 1, height=HEIGHT - 1, rx=2, class_=kind)
    return box + label(text, x + width / 2, y + HEIGHT - 4, f"mark of-{kind}")


def framed_picture(
    *, title: str, description: str, drawn: Iterable[Markup], kinds: Iterable[str], width: float, top: float
) -> str:
    """Return a picture with bars as one SVG element, on a paper of its own with a legend.

    Args:
        title: what the picture shows.
        description: the same in full, for readers who do not see it.
        drawn: the elements above the legend.
        kinds: the kinds of verdicts that the legend explains.
        width: the width of the paper.
        top: the upper edge of the legend.
    """
    meanings, lower_edge = _legend(kinds, MARGIN, width - MARGIN, top)
    bottom = lower_edge + MARGIN
    style = files(__package__).joinpath("verdict_bars.css").read_text(encoding="utf-8")
    return str(element(
        "svg",
        element("title", title),
        element("desc", description),
        element("style", Markup(style)),
        element("rect", x=0.5, y=0.5, width=width - 1, height=bottom - 1, rx=8, class_="paper"),
        *drawn,
        meanings,
        xmlns="http://www.w3.org/2000/svg",
        class_="verdict-bars",
        role="img",
        width=width,
        height=bottom,
        viewBox=f"0 0 {width:g} {bottom:g}",
    )) + "\n"  # fmt: skip


def _legend(kinds: Iterable[str], left: float, right: float, top: float) -> tuple[Markup, float]:
    """Draw the legend of some kinds between two edges, and return the drawing and its lower edge."""
    shown = set(kinds)
    x, y = left, top
    drawn = [line(left, top - 10, right, top - 10, "grid")]
    for kind, (mark, words) in _SEGMENTS.items():
        if kind not in shown:
            continue
        needed = 21 + text_width(words) + 10
        if x > left and x + needed > right:
            x, y = left, y + 20
        drawn.append(_segment(kind, mark, x, y, 15))
        drawn.append(label(words, x + 21, y + 11, "faint", "start"))
        x += needed
    return Markup("").join(drawn), y + HEIGHT
