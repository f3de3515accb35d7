"""The drawing of each component: what must be seen in it, on histories of wrong engines."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import msgspec
import pytest
from conftest import ROOT

from tidegauge.components.registry import COMPONENTS
from tidegauge.wire.results import Counterexample
from tidegauge_reports.histories.components.drawing import STEPS_ALONE
from tidegauge_reports.histories.components.registry import DRAWINGS
from tidegauge_reports.histories.history import History, Lane, SpanKind
from tidegauge_reports.histories.reading import read_history
from tidegauge_reports.histories.timeline import timeline_svg

SVG = "{http://www.w3.org/2000/svg}"
SAMPLES = ROOT / "tests" / "data" / "timelines"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.json"))


def sample(name: str) -> Counterexample:
    """What the reference and a wrong engine answered to a history on this component."""
    return msgspec.json.decode((SAMPLES / f"{name}.json").read_bytes(), type=Counterexample)


def history(name: str) -> History:
    """What is drawn of it."""
    found = read_history(sample(name))
    assert found is not None
    return found


def lane(name: str, title: str) -> Lane:
    """A lane of it."""
    return next(lane for lane in history(name).lanes if lane.names[0] == title)


def steps_of(lane: Lane, kind: SpanKind) -> list[int]:
    """The steps (from 1; 0: before the first) after which a span lasts."""
    return [step for step, lasts in enumerate(lane.during[kind]) if lasts]


def marks(lane: Lane) -> list[tuple[int, str, str]]:
    """Step (from 1), kind and label of each mark."""
    return [(mark.column + 1, mark.kind, mark.label) for mark in lane.marks]


@dataclass(frozen=True)
class Drawn:
    """The texts of a drawing, and how many of its elements have each style."""

    texts: list[str]
    styles: list[str]


def drawn(name: str) -> Drawn:
    """The drawing of a sample."""
    root = ElementTree.fromstring(timeline_svg(sample(name)))
    return Drawn(
        [element.text or "" for element in root.iter(f"{SVG}text")],
        [element.get("class", "") for element in root.iter()],
    )


def test_every_component_but_jobs_has_a_drawing_and_there_is_a_sample_of_each_own_one() -> None:
    assert DRAWINGS.keys() == COMPONENTS.keys() - {"job"}
    own = {name for name, drawing in DRAWINGS.items() if drawing is not STEPS_ALONE}
    assert {str(sample(name).scenario["component"]) for name in NAMES} == own


def test_a_component_without_a_drawing_of_its_own_is_drawn_with_the_names_of_its_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(DRAWINGS, "valve", STEPS_ALONE)
    found = history("valve")
    assert found.lanes == []
    assert len(found.moments) == found.steps
    assert {"channel 0: watermark 10", "output", "first difference"} <= set(drawn("valve").texts)


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_names_its_lanes_and_says_the_first_difference(name: str) -> None:
    found, seen = history(name), drawn(name)
    record = sample(name).steps[sample(name).diverges_at]
    assert found.lanes
    assert {text for lane in found.lanes for text in lane.names} <= set(seen.texts)
    assert {"output", "expected", "got", "first difference"} <= set(seen.texts)
    assert "difference" in seen.styles
    for side, outputs, answer in (
        ("expected", record.expected, found.expected),
        ("got", record.got, found.got),
    ):
        said = answer.labels[sample(name).diverges_at] or ()
        assert all(text in seen.texts for text in said)
        assert bool(said) == bool(outputs)
        assert any(text.startswith(f"{side} ") for text in seen.texts)


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_is_small_and_within_its_frame(name: str) -> None:
    svg = timeline_svg(sample(name), style=False)
    assert len(svg) < 10_000
    root = ElementTree.fromstring(svg)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for element in root.iter():
        for coordinate, limit in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            assert 0 <= float(element.get(coordinate, 0)) <= limit
        for command, numbers in re.findall(r"([MLHV])([\d.e+-]+(?: [\d.e+-]+)?)", element.get("d", "")):
            places = [float(number) for number in numbers.split()]
            limits = {"H": [width], "V": [height]}.get(command, [width, height])
            assert all(0 <= place <= limit for place, limit in zip(places, limits, strict=True))


def test_the_page_can_find_the_names_and_the_difference() -> None:
    """The script of the page moves the names along, and shows the difference first."""
    root = ElementTree.fromstring(timeline_svg(sample("source")))
    groups = {group.get("class"): group for group in root.iter(f"{SVG}g") if group.get("class")}
    assert groups.keys() == {"names", "first-difference"}
    kept = [text.text for group in root.iter(f"{SVG}g") if group.get("class") == "names"
            for text in group.iter(f"{SVG}text")]  # fmt: skip
    assert {"step", "split a", "bound", "output", "expected", "got", "late record"} <= set(kept)
    assert [text.text for text in groups["first-difference"].iter(f"{SVG}text")] == [
        "first difference", "expected resume a", "got nothing",
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_description_says_every_step(name: str) -> None:
    described = ElementTree.fromstring(timeline_svg(sample(name))).findtext(f"{SVG}desc") or ""
    last = len(sample(name).steps)
    assert all(f"Step {number}: " in described for number in range(1, last + 1))
    assert f"At step {last} expected: " in described
    assert "=" not in described


def test_a_clock_shows_pauses_by_reason_time_and_readings() -> None:
    found = history("clock")
    assert steps_of(lane("clock", "backpressure"), "blocked") == [2, 3, 4, 5]
    assert steps_of(lane("clock", "alignment"), "blocked") == [3, 4, 5, 6, 7, 8]
    assert found.expected.levels["reading"][-1] == 2_000_000_000
    assert found.got.levels["reading"][-1] == 5_000_000_000
    assert {"time passed", "+3 s", "= 6 s", "reading 2 s", "reading 5 s"} <= set(drawn("clock").texts)
    assert drawn("clock").styles.count("stripes") == 3


def test_idleness_shows_records_ticks_and_time() -> None:
    assert marks(lane("idleness", "records")) == [(1, "record", "1000"), (3, "late", "500 late")]
    assert history("idleness").moments == {1: "tick", 3: "tick", 4: "tick", 7: "tick"}
    assert steps_of(lane("idleness", "backpressure"), "blocked") == [6, 7, 8]
    assert history("idleness").got.during["idle"][-1]
    seen = drawn("idleness")
    assert {"+11 s", "IDLE", "Idle after 10 s; generator: bounded-out-of-orderness"} <= set(seen.texts)
    assert seen.styles.count("got-idle") == 2


def test_a_generator_shows_late_records_upstream_strategy_and_processing_time() -> None:
    assert marks(lane("generator", "records")) == [
        (1, "record", "20"), (3, "late", "12 late"), (8, "record", "40"),
    ]  # fmt: skip
    assert steps_of(lane("generator", "upstream"), "idle") == [6, 7, 8]
    assert lane("generator", "upstream").levels[-1] == 30
    assert marks(lane("generator", "strategy")) == [(7, "note", "ingestion-time")]
    assert {"processing time", "from 100 ms", "+50 ms", "= 150 ms", "record 150"} <= set(
        drawn("generator").texts
    )


def test_splits_come_are_idle_and_are_deferred() -> None:
    assert steps_of(lane("splits", "split b"), "absent") == [0, 1]
    assert steps_of(lane("splits", "split a"), "idle") == [5, 6]
    assert marks(lane("splits", "split b"))[2:] == [
        (6, "ignored", "15 ignored"),
        (9, "watermark", "30 deferred"),
    ]
    assert history("splits").got.levels[""][-1] == 30
    assert history("splits").expected.levels[""][-1] == 20
    assert "void" in drawn("splits").styles


def test_a_valve_shows_an_output_that_falls() -> None:
    assert steps_of(lane("valve", "channel 1"), "idle") == [4, 5, 6, 7]
    assert (5, "ignored", "8 ignored") in marks(lane("valve", "channel 0"))
    assert history("valve").got.levels[""][-2:] == [20, 5]
    assert history("valve").expected.levels[""][-2:] == [20, 20]


def test_a_source_shows_bound_backpressure_late_and_unread_records_and_paused_splits() -> None:
    split = lane("source", "split a")
    assert lane("source", "bound").levels == [None] * 5 + [50] * 7 + [120]
    assert steps_of(lane("source", "backpressure"), "blocked") == [7, 8]
    assert (6, "unread", "110 not read") in marks(split)
    assert (10, "late", "5 late") in marks(lane("source", "split b"))
    assert steps_of(split, "absent") == [0]
    assert [step for step, lasts in enumerate(split.paused["expected"]) if lasts] == list(range(5, 12))
    assert [step for step, lasts in enumerate(split.paused["got"]) if lasts] == list(range(5, 13))
    assert {"pause a", "resume a", "got nothing"} <= set(drawn("source").texts)
    assert drawn("source").styles.count("got-paused") == 2


def test_a_coordinator_shows_reports_and_bounds_on_the_subtasks() -> None:
    assert lane("coordinator", "subtask a/1").levels[-1] == 10
    assert steps_of(lane("coordinator", "subtask a/1"), "down") == [5, 6]
    assert lane("coordinator", "subtask a/0").told == {"expected": [(3, 30)], "got": [(3, 30)]}
    assert lane("coordinator", "subtask b/0").told == {"expected": [(5, 15)], "got": [(5, 35)]}
    assert history("coordinator").expected.levels["bound b"][-1] == 15
    assert history("coordinator").got.levels["bound b"][-1] == 35
    assert {"group g, drift 20", "name orders", "announce a", "bound 30 to a/0, a/1"} <= set(
        drawn("coordinator").texts
    )


def test_the_low_watermark_service_shows_tasks_rounds_and_partitions() -> None:
    assert steps_of(lane("low_watermark", "task v/2"), "absent") == [0, 1, 2, 3, 4]
    assert steps_of(lane("low_watermark", "task v/1"), "empty") == [0, 1, 2, 3, 4, 5, 6]
    assert lane("low_watermark", "task v/0").levels[-1] == 40
    assert lane("low_watermark", "task v/1").told["got"] == [(5, 40), (7, 40)]
    assert history("low_watermark").moments == {1: "trigger 5"}
    assert {"is no source", "is told 40", "reply 40 of v/0", "low watermark 40 to"} <= set(
        drawn("low_watermark").texts
    )


def test_a_backlog_detector_shows_claims_and_the_processing_time() -> None:
    assert steps_of(lane("backlog", "other strategy"), "claims") == [4, 5]
    assert steps_of(lane("backlog", "subtask"), "idle") == [5, 6]
    assert history("backlog").expected.during["backlog"] == [False, False, False, True, True, True, False]
    assert history("backlog").got.during["backlog"][-1]
    assert {"= 1,000 ms", "threshold 50 ms", "NO BACKLOG"} <= set(drawn("backlog").texts)


def test_a_backlog_combiner_shows_its_channels() -> None:
    assert [found.names for found in history("backlog-combiner").lanes] == [
        ("channel 0",), ("channel 1",), ("channel 2", "no strategy"),
    ]  # fmt: skip
    assert steps_of(lane("backlog-combiner", "channel 1"), "claims") == [1]


def test_windows_show_late_records_and_what_fires() -> None:
    found = history("window")
    assert marks(lane("window", "input")) == [
        (1, "record", "1 at 3"), (2, "record", "2 at 12"), (3, "watermark", "9"), (4, "record", "3 at 5"),
        (5, "begins", "idle"), (6, "ends", "active"), (7, "watermark", "15"), (8, "late", "4 at 4 late"),
    ]  # fmt: skip
    assert found.expected.windows == [[], [], [(0, 10)], [(0, 10)], [], [], [], []]
    assert found.got.windows[-1] == [(0, 10)]
    seen = drawn("window")
    assert {"LATE: 4", "fire [0, 10): 4", "fire [0, 10): 1, 3"} <= set(seen.texts)
    assert seen.styles.count("got-window") == 1 + seen.styles.count("expected-window")
    assert "late" in seen.styles
