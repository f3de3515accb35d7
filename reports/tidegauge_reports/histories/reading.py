"""A counterexample read into what is drawn of it."""

from collections.abc import Mapping
from typing import Any

from tidegauge.wire.results import Counterexample

from ..text import short
from .answers import read_answer, share_lines, tell_lanes
from .components.drawing import Drawing
from .components.registry import DRAWINGS
from .cropping import crop
from .history import History, Lane
from .stage import Stage

LONGEST_READ = 500
"""Histories with more steps are not drawn at all."""

_LONGEST_SETUP = 120


def read_history(counterexample: Counterexample, compared: bool = True) -> History | None:
    """The history behind a counterexample; None if its component has no drawing, or it has no steps or too
    many. Of a long one only the steps up to the difference are drawn. Unless it is `compared`, what an engine
    answered is not read."""
    records = counterexample.steps
    component = counterexample.scenario.get("component")
    drawing = DRAWINGS.get(component) if isinstance(component, str) else None
    if drawing is None or not 1 <= len(records) <= LONGEST_READ:
        return None
    given = counterexample.scenario.get("setup")
    setup: Mapping[str, Any] = given if isinstance(given, dict) else {}
    steps = [record.step for record in records]
    stage = _played(drawing, setup, counterexample)
    expected = [record.expected for record in records]
    got = [record.got if compared else None for record in records]
    observed = [right is not None or answer is not None for right, answer in zip(expected, got, strict=True)]

    def lane_of(name: str) -> Lane | None:
        track = stage.tracks.get(name.removeprefix("downstream of "))
        return None if track is None else track.lane

    tell_lanes("expected", expected, steps, lane_of)
    tell_lanes("got", got, steps, lane_of)
    answers = [
        read_answer(expected, steps, observed, drawing.plain),
        read_answer(got, steps, observed if compared else [False] * len(observed), drawing.plain),
    ]
    if compared:
        share_lines(*answers)
    differs = counterexample.diverges_at
    return crop(History(
        steps=len(records),
        first=0,
        setup=short(drawing.setup(setup), _LONGEST_SETUP),
        line=drawing.line,
        lanes=stage.lanes(),
        moments=stage.moments,
        clock=stage.clock if stage.passed else (),
        passed=stage.passed,
        expected=answers[0],
        got=answers[1],
        together=_together(observed),
        differs=differs if compared and 0 <= differs < len(records) else None,
        compared=compared,
        notes=[],
    ))  # fmt: skip


def _played(drawing: Drawing, setup: Mapping[str, Any], counterexample: Counterexample) -> Stage:
    """The stage after the whole history."""
    stage = Stage()
    drawing.begin(stage, setup, [record.step for record in counterexample.steps])
    for column, record in enumerate(counterexample.steps):
        stage.begin_step(column, record.expected)
        name = record.step.get("step")
        if name == "snapshot":
            stage.moment(name)
            stage.save()
        elif name == "restore":
            stage.moment(name)
            stage.take_back()
        elif not drawing.play(stage, record.step):
            stage.strange(record.step)
        stage.end_step()
    return stage


def _together(observed: list[bool]) -> list[tuple[int, int]]:
    """First and last step of each observed span that is longer than one step."""
    spans = []
    start = 0
    for column, seen in enumerate(observed):
        if seen:
            if column > start:
                spans.append((start, column))
            start = column + 1
    return spans
