"""Draw a counterexample: its rows and its watermark over event time, and the output of the processor."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from markupsafe import Markup

from tidegauge_reports.svg import element, label, stairs

from .playing.played import TimerChange
from .playing.player import Player
from .playing.trace import Arrival, Passage, Trace
from .searching.search import Counterexample
from .words import clock_text, row_text, time_text

_COLUMN = 150
_LEFT = 150
_TOP = 60
_HEIGHT = 180
_LINE = 16
_LONGEST = 110
_WIDEST = 24

_STYLE = """
text { font: 11px sans-serif; fill: #1d2733 }
.heading { font-weight: bold; font-size: 13px }
.watermark { stroke: #b4451f; stroke-width: 2 }
.row { fill: #1f6fb4 }
.timer { fill: #ffffff; stroke: #1f6fb4; stroke-width: 2 }
.change { font-size: 10px; fill: #5a6775 }
.grid { stroke: #d5dbe1 }
.text { text-anchor: start }
"""


def picture(player: Player, counterexample: Counterexample) -> str:
    """Return an SVG of a counterexample."""
    trace = counterexample.trace
    outputs = counterexample.wrong.outputs
    width = _LEFT + _COLUMN * (len(trace) + 1)
    sentences = textwrap.wrap(counterexample.wrong.text, max(60, width // 7))
    lines = [
        f"{'timer' if output.by_timer else 'row'} -> {row_text(output.row)}"[:_LONGEST] for output in outputs
    ]
    changes = _changes(player, trace)
    below = _TOP + _HEIGHT + 50 + _LINE * max(map(len, changes), default=0)
    height = below + _LINE * (len(sentences) + len(lines) + 3)
    parts = [
        element("style", Markup(_STYLE)),
        element("rect", width=width, height=height, fill="#ffffff"),
        label(f"{player.name}: {counterexample.check.demands}", 12, 24, "heading", "start"),
        *_events(player, trace, changes),
        *(label(text, 12, below + _LINE * number, "", "start") for number, text in enumerate(sentences)),
        *(
            label(text, 24, below + _LINE * (len(sentences) + 1 + number), "", "start")
            for number, text in enumerate(lines)
        ),
    ]
    return str(
        element(
            "svg",
            *parts,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {width} {height}",
            width=width,
            height=height,
        )
    )


def _changes(player: Player, trace: Trace) -> list[list[TimerChange]]:
    """Return for each event the timers that its micro-batch changed, at the last of its rows."""
    found: list[list[TimerChange]] = [[] for _ in trace]
    places = {}
    segment = 0
    for number, event in enumerate(trace):
        is_passage = isinstance(event, Passage)
        segment += is_passage
        places[segment, is_passage] = number
    for change in player.as_spark(trace).timer_changes:
        place = places.get((change.segment, change.in_passage))
        if place is not None:
            found[place].append(change)
    return found


def _events(player: Player, trace: Trace, changes: list[list[TimerChange]]) -> list[Markup]:
    own = {time for event in trace if (time := _time(player, event)) is not None}
    times = sorted(own | {change.timer for of_event in changes for change in of_event})
    places = {
        time: _TOP + _HEIGHT - _HEIGHT * number / max(1, len(times) - 1) for number, time in enumerate(times)
    }
    right = _LEFT + _COLUMN * len(trace)
    drawn = [
        part
        for time, y in places.items()
        for part in (
            element("line", x1=_LEFT, x2=right, y1=y, y2=y, class_="grid"),
            label(time_text(player.subject, time), _LEFT - 8, y + 4, "", "end"),
        )
    ]
    watermark: list[tuple[float, float]] = []
    for number, event in enumerate(trace):
        x = _LEFT + _COLUMN * (number + 0.5)
        if isinstance(event, Passage):
            y = places[event.to]
            if watermark:
                watermark.append((x, watermark[-1][1]))
            watermark.append((x, y))
            drawn.append(
                label(
                    "clock" if player.subject.mode == "ProcessingTime" else "watermark",
                    x,
                    _TOP + _HEIGHT + 18,
                )
            )
        else:
            time = _time(player, event)
            y = _TOP + _HEIGHT if time is None else places[time]
            drawn.append(element("circle", cx=x, cy=y, r=6, class_="row"))
            drawn.append(label(_short(player, event), x, _TOP + _HEIGHT + 18))
        drawn += _timers(player, changes[number], x, places)
    if watermark:
        watermark.append((right, watermark[-1][1]))
        drawn.append(element("g", stairs(watermark, "watermark"), fill="none"))
    return drawn


def _timers(
    player: Player, changes: list[TimerChange], x: float, places: dict[int, float]
) -> Iterator[Markup]:
    for number, change in enumerate(changes):
        if change.what == "set":
            yield element("circle", cx=x, cy=places[change.timer], r=4, class_="timer")
        moment = clock_text(player.subject, change.timer)
        text = f"timer {change.what} at {moment}" if change.what == "set" else f"timer {moment} {change.what}"
        yield label(text, x, _TOP + _HEIGHT + 18 + _LINE * (number + 1), "change")


def _short(player: Player, arrival: Arrival) -> str:
    shown = {name: value for name, value in arrival.row.items() if name != player.subject.time}
    return row_text(shown)[:_WIDEST]


def _time(player: Player, event: Arrival | Passage) -> int | None:
    if isinstance(event, Passage):
        return event.to
    return player.rows.time(event) if player.subject.time else None
