"""The progress of a run: its phases by name, and a time left that is never 0 while work remains."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import msgspec
import pytest
from conftest import Command, run_module
from judged import events_of

from tidegauge.commands.progress_display import ProgressDisplay, ProgressForm, sentence
from tidegauge.engine.runner import Mark
from tidegauge.run.journal import Finished, Started
from tidegauge.run.progress import Progress, RunProgress, phase_of, tell, telling
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_pipeline.commands.rate import Rate

DRAWING = Mark("valve-vectors", "", 0)
RUNS = Mark("valve-vectors", "valve:seed:1:7", 30)
SHRINKS = Mark("valve-vectors", "valve:seed:1:7:shrunk:12", 30)


@pytest.mark.parametrize(
    ("marks", "phase"),
    [
        ((), "drawing"),
        ((DRAWING, Mark("valve-vectors", "", 0)), "drawing"),
        ((DRAWING, RUNS), "scenarios"),
        ((SHRINKS, RUNS), "scenarios"),
        ((SHRINKS, DRAWING), "shrinking"),
    ],
)
def test_the_marks_of_the_processes_tell_the_phase(marks: tuple[Mark, ...], phase: str) -> None:
    assert phase_of(marks) == phase


def seconds() -> Callable[[], float]:
    """A clock that goes on by a second each time that it is read."""
    ticks = count()
    return lambda: float(next(ticks))


def test_time_is_left_as_long_as_work_is(tmp_path: Path) -> None:
    shown: list[Progress] = []
    progress = RunProgress(shown.append, seconds())
    events = events_of(ReferenceAdapter({}), tmp_path, components=["clock"])
    for event in events:
        progress.session([event], [RUNS] if isinstance(event, Finished) else [])
    with telling(progress.later):
        for phase, total in (("diagnosing", 2), ("confirming", 3), ("reports", 4)):
            for done in range(total + 1):
                tell(phase, done, total)  # type: ignore[arg-type]
    assert list(dict.fromkeys(one.phase for one in shown)) == [
        "drawing",
        "scenarios",
        "diagnosing",
        "confirming",
        "reports",
    ]
    planned = next(len(event.planned) for event in events if isinstance(event, Started))
    assert max(one.done for one in shown if one.unit == "item") == planned
    known = [one.seconds_left for one in shown if one.seconds_left is not None]
    assert len(known) >= len(shown) - 2
    assert min(known) == known[-1] == 1


def test_items_that_were_finished_before_say_nothing_of_the_pace(tmp_path: Path) -> None:
    shown: list[Progress] = []
    started, *others = events_of(ReferenceAdapter({}), tmp_path, components=["clock"])
    RunProgress(shown.append, seconds()).session([started, *others[:5]], [])
    assert (shown[-1].done, shown[-1].seconds_left) == (5, None)


def test_nobody_has_to_listen() -> None:
    tell("reports", 1, 2)


def test_a_campaign_shows_its_rate_and_the_time_left() -> None:
    shown: list[Progress] = []
    rate = Rate(shown.append, 1_000, 400, seconds())
    rate.advance(100)
    rate.advance(500)
    first, last = shown
    assert (first.done, first.total, first.doing, first.seconds_left) == (500, 1_000, "100/s", 5)
    assert (last.done, last.doing, last.seconds_left) == (1_000, "300/s", 1)


def test_progress_in_words() -> None:
    progress = Progress(
        phase="shrinking", unit="item", done=15, total=17, doing="scale", elapsed_s=40, seconds_left=8
    )
    assert sentence(progress) == "40 s: shrinking scale, 15 of 17 items finished, about 10 s left"
    unknown = Progress(phase="drawing", unit="item", done=0)
    assert sentence(unknown) == "0 s: drawing, 0 of ? items finished"


def moments() -> Iterator[Progress]:
    """Each moment twice."""
    for done in range(3):
        yield from [Progress(phase="scenarios", unit="item", done=done, total=2)] * 2


@pytest.mark.parametrize(
    ("form", "quiet", "lines"),
    [
        (ProgressForm.JSON, True, 3),
        (ProgressForm.PLAIN, True, 2),
        (ProgressForm.AUTO, False, 2),
        (ProgressForm.AUTO, True, 0),
        (ProgressForm.NONE, False, 0),
    ],
)
def test_lines_are_printed_on_stderr_when_they_are_due(
    form: ProgressForm, quiet: bool, lines: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A moment takes a second in JSON, where changes are due; elsewhere time alone is, after 20 s."""
    ticks = count(step=1 if form is ProgressForm.JSON else 5)
    with ProgressDisplay(form, quiet, lambda: float(next(ticks))) as display:
        for progress in moments():
            display.show(progress)
            display.show(progress)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == lines


@pytest.mark.parametrize("comes_from", ["option", "environment"])
def test_a_run_writes_its_progress_as_json_lines(tmp_path: Path, comes_from: str) -> None:
    tidegauge: Command = run_module(tmp_path, "tidegauge")
    engine = ("--adapter", "mutant:clock-first-resumption-ends-all", "--component", "clock")
    option = ("--progress", "json") if comes_from == "option" else ()
    variable = {"TIDEGAUGE_PROGRESS": "none" if comes_from == "option" else "json"}
    ended = tidegauge("run", *engine, "--budget", "smoke", "-n", "1", *option, environment=variable)
    assert ended.returncode == 1
    lines = [json.loads(line) for line in ended.stderr.splitlines()]
    shown = [msgspec.convert(line, Progress) for line in lines]
    assert all(line.keys() == set(Progress.__struct_fields__) for line in lines)
    assert {"drawing", "diagnosing", "confirming", "reports"} <= {one.phase for one in shown}
    assert [one for one in shown if one.seconds_left == 0] == []
    assert '"phase"' not in ended.stdout


def test_an_unknown_form_in_the_environment_is_refused(tidegauge: Command) -> None:
    ended = tidegauge("run", "--adapter", "reference", environment={"TIDEGAUGE_PROGRESS": "fancy"})
    assert ended.returncode == 2
    assert "TIDEGAUGE_PROGRESS" in ended.stderr
    assert "'auto', 'plain', 'json', 'none'" in ended.stderr
