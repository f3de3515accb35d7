"""The command line, the tables and the plots of the examples: event time over processing time."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_COLOURS = ("#1f77b4", "#d95f0e", "#9467bd")

Points = list[tuple[float, float]]


@dataclass
class Panel:
    """One run of a job. Times are in seconds, first of processing, then of events.

    lines: how far each source or partition is. watermark: that of the windows. band: at a time, from where to
    where sources may be. silent: since, until, and the event time of the last row before. late: rows that
    were dropped. backlog: since, until. below: a figure that is drawn below. now: whether to draw where event
    time is processing time.
    """

    lines: dict[str, Points]
    watermark: Points = field(default_factory=list)
    band: list[tuple[float, float, float]] = field(default_factory=list)
    silent: list[tuple[float, float, float]] = field(default_factory=list)
    late: Points = field(default_factory=list)
    backlog: Points = field(default_factory=list)
    below: Points = field(default_factory=list)
    now: bool = False


def folder_and_length(description: str | None, length: str, default: int) -> tuple[Path, int]:
    """Return what the command line says: a folder for the plot, which is made, and how long the run is.

    Ends the program with one line if the plot cannot be drawn or has no place.
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
    rows = [["", *columns], *([line, *(str(column[line]) for column in columns.values())] for line in lines)]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return "\n".join(
        f"{row[0]:<{widths[0]}}"
        + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    )


def draw(file: Path, title: str, panels: Mapping[str, Panel], below: str | None = None) -> None:
    """Write a PNG: the panels, by title, beside one another with the same axes."""
    pyplot = _pyplot()
    heights = [3, 1] if below else [1]
    figure, axes = pyplot.subplots(
        len(heights),
        len(panels),
        figsize=(13, 7 if below else 5.4),
        sharex=True,
        sharey="row",
        squeeze=False,
        height_ratios=heights,
        layout="constrained",
    )
    figure.suptitle(title, fontsize=15, fontweight="bold")
    for number, (name, panel) in enumerate(panels.items()):
        axes[0][number].set_title(name, fontsize=12)
        _draw_panel(axes[0][number], panel)
        if below:
            axes[1][number].fill_between(*_columns(panel.below), step="post", color="#9467bd", alpha=0.35)
            axes[1][number].step(*_columns(panel.below), where="post", color="#9467bd")
            axes[1][number].grid(alpha=0.25)
        axes[-1][number].set_xlabel("processing time (s)")
    axes[0][0].set_ylabel("event time (s)")
    if below:
        axes[1][0].set_ylabel(below)
    legend = {
        label: handle
        for axis in axes[0]
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    figure.legend(legend.values(), legend.keys(), loc="outside lower center", ncols=9, frameon=False)
    figure.savefig(file, dpi=100)
    pyplot.close(figure)
    print(f"wrote {file}")


def _draw_panel(axis: Any, panel: Panel) -> None:
    axis.grid(alpha=0.25)
    if panel.band:
        axis.fill_between(
            *_columns(panel.band),
            color="#2ca02c",
            alpha=0.15,
            label="allowed: the slowest to the drift above it",
        )
    for since, until in panel.backlog:
        axis.axvspan(since, until, color="#ff7f0e", alpha=0.15, label="in backlog")
    for colour, (name, points) in zip(_COLOURS, panel.lines.items(), strict=False):
        axis.plot(*_columns(points), color=colour, label=name, linewidth=1.8, marker="o", markersize=3)
    if panel.now:
        latest = max(time for points in panel.lines.values() for time, _ in points)
        axis.plot([0, latest], [0, latest], color="black", linestyle=":", label="now")
    if panel.watermark:
        axis.step(*_columns(panel.watermark), where="post", color="black", label="watermark of the windows")
    for since, until, event_time in panel.silent:
        axis.hlines(event_time, since, until, color="#555555", linewidth=7, alpha=0.4, label="silent")
    if panel.late:
        axis.scatter(
            *_columns(panel.late), marker="x", color="red", s=30, linewidths=1.6, zorder=5, label="late: lost"
        )


def _columns(points: list[Any]) -> list[tuple[float, ...]]:
    return list(zip(*points, strict=True))


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        sys.exit("the examples draw with matplotlib, which is not there: pip install 'tidegauge[examples]'")
    matplotlib.use("agg")
    from matplotlib import pyplot

    return pyplot
