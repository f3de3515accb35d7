"""The plots and tables of the examples: event time of each subtask over processing time."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_COLOURS = ("#1f77b4", "#6baed6", "#d95f0e", "#fdae6b", "#2ca02c", "#98df8a")


@dataclass
class Below:
    """What is drawn below a panel: a figure over processing time (s)."""

    points: list[tuple[float, float]]


@dataclass
class Panel:
    """One run of a job. Times are in seconds, of processing first, then of events.

    lines: how far each subtask is. watermark: how far the windows are. band: at a time, from where to where
    subtasks may be. blocked, idle: line, since, until, where it stands. late: records that came too late.
    now: whether to draw the line on which event time is processing time. behind: since, until: a span to be
    shaded, with its name.
    """

    title: str
    lines: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    watermark: list[tuple[float, float]] = field(default_factory=list)
    band: list[tuple[float, float, float]] = field(default_factory=list)
    blocked: list[tuple[str, float, float, float]] = field(default_factory=list)
    idle: list[tuple[str, float, float, float]] = field(default_factory=list)
    late: list[tuple[float, float]] = field(default_factory=list)
    spans: list[tuple[float, float, str]] = field(default_factory=list)
    note: str = ""
    below: Below | None = None


def folder_and_length(description: str | None, length: str, default: int) -> tuple[Path, int]:
    """Return what the command line says: a folder for the plot, which is made, and how long the run is.

    Ends the program with one line if the plot cannot be drawn.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the plot is written")
    parser.add_argument("--length", type=int, default=default, help=f"{length} (default: {default})")
    given = parser.parse_args()
    _pyplot()
    try:
        given.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        sys.exit(f"{given.folder}: no folder for the plot ({error.strerror}); write another one")
    return given.folder, given.length


def table(columns: Mapping[str, Mapping[str, object]]) -> str:
    """Return figures as a table: a column for each run, a line for each figure."""
    lines = list(next(iter(columns.values())))
    first = max(map(len, lines))
    widths = [max(len(name), 8) for name in columns]
    rows = [" " * first + "".join(f"  {name:>{width}}" for name, width in zip(columns, widths, strict=True))]
    for line in lines:
        cells = (f"  {column[line]!s:>{width}}" for column, width in zip(columns.values(), widths, strict=True))
        rows.append(f"{line:<{first}}" + "".join(cells))
    return "\n".join(rows)


def draw(file: Path, title: str, panels: Sequence[Panel], below: str | None = None) -> None:
    """Write a PNG: the panels beside one another, with the same axes."""
    pyplot = _pyplot()
    heights = [3, 1] if below else [1]
    figure, axes = pyplot.subplots(
        len(heights),
        len(panels),
        figsize=(6.5 * len(panels), 7.2 if below else 5.2),
        sharex=True,
        sharey="row",
        squeeze=False,
        height_ratios=heights,
        layout="constrained",
    )
    figure.suptitle(title, fontsize=15, fontweight="bold")
    for number, panel in enumerate(panels):
        _draw_panel(axes[0][number], panel)
        if below and panel.below is not None:
            times, values = zip(*panel.below.points, strict=True)
            axes[1][number].fill_between(times, values, step="post", color="#9467bd", alpha=0.35)
            axes[1][number].step(times, values, where="post", color="#9467bd")
            axes[1][number].grid(alpha=0.25)
        axes[-1][number].set_xlabel("processing time (s)")
    axes[0][0].set_ylabel("event time (s)")
    if below:
        axes[1][0].set_ylabel(below)
    handles: dict[str, Any] = {}
    for axis in axes[0]:
        found, labels = axis.get_legend_handles_labels()
        handles.update(zip(labels, found, strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=8, frameon=False)
    figure.savefig(file, dpi=110)
    pyplot.close(figure)
    print(f"wrote {file}")


def _draw_panel(axis: Any, panel: Panel) -> None:
    axis.set_title(panel.title, fontsize=13)
    axis.grid(alpha=0.25)
    if panel.band:
        times, low, high = zip(*panel.band, strict=True)
        axis.fill_between(times, low, high, color="#2ca02c", alpha=0.15, label="allowed: minimum + drift")
    for since, until, name in panel.spans:
        axis.axvspan(since, until, color="#7f7f7f", alpha=0.15, label=name)
    for colour, (name, points) in zip(_COLOURS, panel.lines.items(), strict=False):
        times, events = zip(*points, strict=True)
        axis.plot(times, events, color=colour, label=name, linewidth=1.8, marker="o", markersize=2.5)
    if panel.watermark:
        times, events = zip(*panel.watermark, strict=True)
        axis.step(times, events, where="post", color="black", linewidth=1.6, label="watermark of the windows")
    for spans, colour, name in ((panel.blocked, "#7f0000", "blocked"), (panel.idle, "#555555", "idle")):
        for _, since, until, event in spans:
            axis.hlines(event, since, until, color=colour, linewidth=6, alpha=0.55, label=name)
    if panel.late:
        times, events = zip(*panel.late, strict=True)
        axis.scatter(times, events, marker="x", color="red", s=28, linewidths=1.6, zorder=5, label="late: lost")
    if panel.note:
        axis.text(
            0.03, 0.97, panel.note, transform=axis.transAxes, va="top", fontsize=11,
            bbox={"facecolor": "white", "edgecolor": "#bbbbbb", "boxstyle": "round"},
        )


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        sys.exit("the examples draw with matplotlib, which is not there: pip install 'tidegauge[examples]'")
    matplotlib.use("agg")
    from matplotlib import pyplot

    return pyplot
