"""The conclusion of a run, flat and small, for a README: `badge.svg`, and `badge.json`, from which shields.io
and other services draw a badge in a style of theirs."""

from pathlib import Path

import msgspec
from markupsafe import Markup

from tidegauge.wire.results import Results
from tidegauge.words.conclusion import conclude, in_a_few_words

from ..svg import element
from ..text import short
from ..text_file import write_text_file

FILE_NAME = "badge.svg"
ENDPOINT_FILE_NAME = "badge.json"
HEIGHT = 20
_PADDING = 7
_FONT = "Verdana, 'DejaVu Sans', Geneva, sans-serif"
_NAME_GROUND = "#24292f"
GROUNDS = {
    "conforms": "#1a6b35",
    "deviates": "#8a4b00",
    "fails": "#b42318",
    "errors": "#7a2a8c",
    "open": "#7a5200",
}
"""The ground behind the conclusion; white on it has a contrast of 6 at least."""

_WIDTHS = {**dict.fromkeys("fijlrtI.,:;'|!()[]/ ", 4.4), **dict.fromkeys("mwMW%@—", 10.4)}
_USUAL_WIDTH = 7.0
"""Widths (px) of characters in Verdana of 11 px; others are stretched or pressed into them."""


def write(results: Results, folder: Path) -> Path:
    """Write both files into `folder`, which is created if it does not exist, and return the path of the
    picture."""
    write_text_file(folder / ENDPOINT_FILE_NAME, render_endpoint(results))
    return write_text_file(folder / FILE_NAME, render(results))


def render(results: Results) -> str:
    """The badge. The same results give the same text."""
    conclusion = conclude(results)
    name = _name(results)
    said = badge_text(results)
    implementation = results.implementation
    title = f"{name}: {said}. {short(implementation.name, 80)} {short(implementation.version, 40)}, " + (
        f"profile {short(results.profile, 24)}: {conclusion.headline}."
    )
    left, right = _width(name), _width(said)
    return str(element(
        "svg",
        element("title", title),
        _part(name, 0, left, _NAME_GROUND),
        _part(said, left, right, GROUNDS[conclusion.kind]),
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        aria_label=f"{name}: {said}",
        width=left + right,
        height=HEIGHT,
        viewBox=f"0 0 {left + right:g} {HEIGHT}",
        font_family=_FONT,
        font_size=11,
        text_rendering="geometricPrecision",
    )) + "\n"  # fmt: skip


def render_endpoint(results: Results) -> str:
    """Return the badge as JSON, in the endpoint schema of shields.io."""
    badge = {
        "schemaVersion": 1,
        "label": _name(results),
        "message": badge_text(results),
        "color": GROUNDS[conclude(results).kind],
    }
    return msgspec.json.encode(badge).decode() + "\n"


def _name(results: Results) -> str:
    shipped = results.profile if results.own_profile is None else "core"
    return "event time" if shipped == "core" else f"event time, {short(shipped, 24)}"


def badge_text(results: Results) -> str:
    """What a run comes to, in a few words; marked if it was only a part."""
    part = " (part)" if any(results.selection.values()) else ""
    return f"{in_a_few_words(results)}{part}"


def _part(text: str, x: float, width: float, ground: str) -> Markup:
    """A ground as wide as its text, and the text, held to that width in any font."""
    return element("rect", x=x, width=width, height=HEIGHT, fill=ground) + element(
        "text",
        text,
        x=x + _PADDING,
        y=14,
        fill="#fff",
        textLength=width - 2 * _PADDING,
        lengthAdjust="spacingAndGlyphs",
    )


def _width(text: str) -> float:
    return round(sum(_WIDTHS.get(character, _USUAL_WIDTH) for character in text) + 2 * _PADDING)
