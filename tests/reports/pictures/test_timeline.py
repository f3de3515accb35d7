"""The picture of a counterexample: well-formed, complete, and the same each time."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from report_samples import (
    ACTIVE,
    IDLE,
    REFUSED,
    RESTORE,
    SNAPSHOT,
    active,
    counterexample,
    idle,
    missing_minimum,
    sent,
    watermark,
)

from tidegauge.wire.results import Counterexample
from tidegauge_reports.histories.cropping import LONGEST_DRAWN, MOST_LANES
from tidegauge_reports.histories.history import History
from tidegauge_reports.histories.reading import LONGEST_READ, read_history
from tidegauge_reports.histories.timeline import timeline_style, timeline_svg

SVG = "{http://www.w3.org/2000/svg}"

HISTORIES: dict[str, Counterexample] = {
    "missing minimum": missing_minimum(),
    "no outputs at all": counterexample([(watermark(0, 1), [], []), (watermark(0, 2), [], [])]),
    "edges": counterexample(
        [
            (watermark(0, "MIN"), [], []),
            (watermark(0, "-9223372036854775807"), [], []),
            (watermark(1, "9223372036854775806"), [sent("-9223372036854775807")], []),
            (watermark(0, "MAX"), [sent("9223372036854775806")], [sent("MAX")]),
            (idle(0), [], []),
        ],
        diverges_at=2,
    ),
    "unknown channels": counterexample(
        [
            (watermark(-1, 5), [REFUSED], []),
            (idle(7), [REFUSED], [REFUSED]),
            (active(2**31 - 1), [REFUSED], None),
        ]
    ),
    "snapshot and restore": counterexample(
        [
            (watermark(0, 10), [sent(10)], [sent(10)]),
            (SNAPSHOT, [], []),
            (idle(0), [IDLE], [IDLE]),
            (RESTORE, [], []),
            (watermark(0, 20), [sent(20)], [ACTIVE, sent(20)]),
        ],
        channels=1,
    ),
    "observed in groups": counterexample(
        [
            (watermark(0, 10), None, None),
            (watermark(1, 20), [sent(10)], [sent(10)]),
            (idle(0), None, None),
            (idle(1), [sent(20), IDLE], None),
        ]
    ),
    "a property": counterexample([(idle(0), [IDLE], [IDLE])], channels=1, property="valve-status-alternates"),
    "many channels": counterexample([(watermark(1000, 1), [], [sent(1)])], channels=1024),
    "nothing fits": counterexample(
        [
            ({"step": "<script>", "channel": "x", "timestamp": []}, [{"output": 3, "to": None}], [{}]),
            ({"step": "watermark", "channel": True, "timestamp": "soon"}, [], [sent("<b>")]),
            ({"step": "watermark", "channel": 0, "timestamp": 10**5000}, [sent(10**30)], []),
            ({}, [], []),
        ],
        diverges_at=99,
    ),
}


def texts(svg: str) -> list[str]:
    """The labels of a drawing."""
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def history(sample: Counterexample) -> History:
    """The history of a sample that can be drawn."""
    found = read_history(sample)
    assert found is not None
    return found


@pytest.mark.parametrize("sample", HISTORIES.values(), ids=HISTORIES.keys())
def test_a_drawing_is_well_formed_named_and_described(sample: Counterexample) -> None:
    root = ElementTree.fromstring(timeline_svg(sample))
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert (root.findtext(f"{SVG}title") or "").startswith("Timeline of the history")
    assert (root.findtext(f"{SVG}desc") or "").startswith("Step 1: ")


@pytest.mark.parametrize("sample", HISTORIES.values(), ids=HISTORIES.keys())
def test_a_drawing_stays_within_its_frame(sample: Counterexample) -> None:
    root = ElementTree.fromstring(timeline_svg(sample))
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for element in root.iter():
        for name, limit in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            assert 0 <= float(element.get(name, 0)) <= limit


@pytest.mark.parametrize("sample", HISTORIES.values(), ids=HISTORIES.keys())
def test_the_same_history_gives_the_same_drawing(sample: Counterexample) -> None:
    assert timeline_svg(sample) == timeline_svg(sample)


def test_the_first_difference_is_said() -> None:
    labels = texts(timeline_svg(missing_minimum()))
    assert "first difference" in labels
    assert "expected watermark 20" in labels
    assert "got nothing" in labels
    assert "15 ignored" in labels


def test_a_group_is_marked_as_a_whole() -> None:
    sample = HISTORIES["observed in groups"]
    assert history(sample).together == [(0, 1), (2, 3)]
    labels = texts(timeline_svg(sample))
    assert "first difference, in steps 3 to 4" in labels
    assert "got no answer" in labels


def test_the_line_of_an_engine_ends_where_it_gave_no_answer() -> None:
    root = ElementTree.fromstring(timeline_svg(HISTORIES["observed in groups"]))
    expected, got = (
        next(element.get("d", "") for element in root.iter(f"{SVG}path") if element.get("class") == style)
        for style in ("expected-line", "got-line")
    )
    right_end = {line: float(line.rsplit("H", 1)[1]) for line in (expected, got)}
    assert right_end[got] < right_end[expected]


def test_a_violated_property_is_not_called_a_difference() -> None:
    labels = texts(timeline_svg(HISTORIES["a property"]))
    assert "here a property is violated; the outputs are as expected" in labels
    assert "first difference" not in labels


def test_timestamps_at_the_edge_do_not_ruin_the_scale() -> None:
    labels = texts(timeline_svg(HISTORIES["edges"]))
    assert {"MIN ignored", "MIN+1", "MAX−1", "MAX: end"} <= set(labels)
    assert float(ElementTree.fromstring(timeline_svg(HISTORIES["edges"])).get("height", 0)) < 600


def test_channels_that_do_not_exist_have_a_lane_of_their_own() -> None:
    sample = HISTORIES["unknown channels"]
    assert [(lane.names[0], lane.exists) for lane in history(sample).lanes] == [
        ("channel 0", True), ("channel 1", True),
        ("channel −1", False), ("channel 7", False), ("channel 2147483647", False),
    ]  # fmt: skip
    labels = texts(timeline_svg(sample))
    assert labels.count("does not exist") == 3
    assert "watermark 5" in labels


def test_a_restore_takes_channels_and_output_back() -> None:
    found = history(HISTORIES["snapshot and restore"])
    assert found.lanes[0].during["idle"] == [False, False, False, True, False, False]
    assert found.expected.during["idle"] == [False, False, False, True, False, False]
    assert found.moments == {1: "snapshot", 3: "restore"}


def test_an_idle_channel_does_not_remember_a_watermark() -> None:
    sample = counterexample([(idle(0), [], []), (watermark(0, 9), [], []), (active(0), [], [sent(9)])])
    lane = history(sample).lanes[0]
    assert [mark.kind for mark in lane.marks] == ["begins", "ignored", "ends"]
    assert len(set(lane.levels)) == 1


def test_without_its_style_a_drawing_is_short_and_the_page_holds_the_style_once() -> None:
    bare, whole = timeline_svg(missing_minimum(), style=False), timeline_svg(missing_minimum())
    assert "<style" not in bare
    assert whole.replace(f"<style>{timeline_style()}</style>", "") == bare
    assert len(bare) < 6_000
    assert not set("<>&") & set(timeline_style())


def test_of_a_long_history_the_steps_up_to_the_difference_are_drawn() -> None:
    steps: list[Any] = [(watermark(0, 1000 + number), [], []) for number in range(100)]
    steps[90] = (watermark(0, 1090), [sent(1090)], [])
    sample = counterexample(steps, diverges_at=90)
    found = history(sample)
    assert (found.first, found.steps, found.differs) == (54, LONGEST_DRAWN, 36)
    labels = texts(timeline_svg(sample))
    assert {"55", "90", "91", "94", "first difference"} <= set(labels)
    assert not {"54", "95"} & set(labels)
    assert "steps 55 to 94 of 100; the table has all" in labels


def test_a_long_history_that_differs_early_is_drawn_from_its_start() -> None:
    found = history(counterexample([(watermark(0, number), [], []) for number in range(100)], diverges_at=2))
    assert (found.first, found.steps, found.differs) == (0, LONGEST_DRAWN, 2)


def test_of_many_channels_those_heard_of_last_are_drawn() -> None:
    sample = counterexample([(watermark(channel, 1), [], []) for channel in range(30)], channels=1024)
    assert [lane.names[0] for lane in history(sample).lanes] == [
        f"channel {number}" for number in range(30 - MOST_LANES, 30)
    ]
    assert "14 lanes are left out" in texts(timeline_svg(sample))


def test_a_history_of_a_great_many_steps_or_of_none_is_not_drawn() -> None:
    step: Any = (watermark(0, 1), [], [])
    assert timeline_svg(counterexample([step] * LONGEST_READ))
    assert timeline_svg(counterexample([step] * (LONGEST_READ + 1))) == ""
    assert timeline_svg(counterexample([])) == ""
    assert timeline_svg(counterexample([step], scenario={"component": "job"})) == ""
    assert timeline_svg(counterexample([step], scenario={})) == ""


def test_hostile_texts_are_escaped_and_short() -> None:
    name = "</title><script>alert(1)</script>\x00\x1b" + "x" * 3_000_000
    svg = timeline_svg(counterexample(
        [({"step": name, "channel": 0, "timestamp": name}, [{"output": name, "to": name}], [sent(name)])],
        scenario={"component": "valve", "id": name, "setup": {"channels": name}},
    ))  # fmt: skip
    assert "<script" not in svg
    assert len(svg) < 20_000
    ElementTree.fromstring(svg)
