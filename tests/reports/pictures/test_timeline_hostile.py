"""Whatever a counterexample says, its drawing is well-formed, escaped and of limited size."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import msgspec
import pytest
from conftest import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report_samples import Record, counterexample

from tidegauge.wire.results import Counterexample
from tidegauge_reports.histories.cropping import LONGEST_DRAWN, MOST_LANES
from tidegauge_reports.histories.timeline import timeline_svg

SAMPLES = {
    path.stem: msgspec.json.decode(path.read_bytes(), type=Counterexample)
    for path in sorted((ROOT / "tests" / "data" / "timelines").glob("*.json"))
}
HOSTILE = "</title></style><script>alert(1)</script>&<b onload=x \"'\x00\x1b\u202e\ud800" + "x" * 20_000

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["MIN", "MAX", "a", "", "a/0", "downstream", HOSTILE, 2**63 - 1, -(2**63), 10**4000])
    | st.floats()
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8) | st.just(HOSTILE), inner, max_size=3)
    ),
    max_leaves=6,
)


def spoilt(wire: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """The object as it is, or with some fields left out, some changed, some added."""
    fields = sorted(wire)
    changed = st.dictionaries(st.sampled_from(fields), VALUES, max_size=2) if fields else st.just({})
    added = st.dictionaries(st.text(max_size=8), VALUES, max_size=1)
    left_out = st.sets(st.sampled_from(fields), max_size=1) if fields else st.just(set())
    return st.tuples(changed, added, left_out).map(
        lambda given: {
            key: value for key, value in {**wire, **given[0], **given[1]}.items() if key not in given[2]
        }
    )


@st.composite
def spoilt_counterexamples(draw: st.DrawFn) -> Counterexample:
    """Steps and outputs of samples of all components, spoilt and mixed up."""
    sample = SAMPLES[draw(st.sampled_from(sorted(SAMPLES)))]
    other = SAMPLES[draw(st.sampled_from(sorted(SAMPLES)))]
    wires = [record.step for record in (*sample.steps, *other.steps)]
    outputs = [output for record in (*sample.steps, *other.steps) for output in record.expected or ()]
    step = st.sampled_from(wires).flatmap(spoilt) | st.dictionaries(st.text(max_size=4), VALUES, max_size=3)
    output = st.sampled_from(outputs).flatmap(spoilt) if outputs else st.just({})
    answer = st.none() | st.lists(output, max_size=3)
    records: list[Record] = draw(st.lists(st.tuples(step, answer, answer), min_size=1, max_size=8))
    component = sample.scenario["component"]
    setup = draw(spoilt(sample.scenario["setup"]) | VALUES)
    return counterexample(
        records,
        scenario={"component": component, "setup": setup, "id": draw(VALUES)},
        diverges_at=draw(st.integers(-2, 9)),
    )


def well_formed(sample: Counterexample) -> ElementTree.Element:
    """The drawing, read again."""
    svg = timeline_svg(sample)
    assert "<script" not in svg
    return ElementTree.fromstring(svg)


@pytest.mark.slower
@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(spoilt_counterexamples())
def test_spoilt_histories_are_drawn_all_the_same(sample: Counterexample) -> None:
    root = well_formed(sample)
    assert {element.tag.partition("}")[2] for element in root.iter()} <= {
        "svg", "title", "desc", "style", "g", "rect", "path", "circle", "text",
    }  # fmt: skip
    assert not any(name.startswith("on") for element in root.iter() for name in element.attrib)


@pytest.mark.parametrize("name", SAMPLES)
def test_hostile_texts_are_cut_in_each_field(name: str) -> None:
    sample = SAMPLES[name]
    wires = [record.step for record in sample.steps]
    fields = sorted({field for wire in wires for field in wire})
    for field in fields:
        records: list[Record] = [
            (
                {**wire, field: HOSTILE} if field in wire else wire,
                [{**output, "to": HOSTILE} for output in record.expected or ()],
                [dict.fromkeys(output, HOSTILE) for output in record.got or ()],
            )
            for wire, record in zip(wires, sample.steps, strict=True)
        ]
        drawing = timeline_svg(counterexample(records, scenario={**sample.scenario, "id": HOSTILE}))
        ElementTree.fromstring(drawing)
        assert "<script" not in drawing
        assert len(drawing) < 40_000


@pytest.mark.parametrize("component", sorted({found.scenario["component"] for found in SAMPLES.values()}))
def test_no_history_makes_a_drawing_of_any_size(component: str) -> None:
    """Five hundred steps that each name something else."""
    sample = next(found for found in SAMPLES.values() if found.scenario["component"] == component)
    wires = [record.step for record in sample.steps]
    records: list[Record] = []
    for number in range(500):
        wire = dict(wires[number % len(wires)])
        wire |= {
            key: number if isinstance(value, int) else f"{value}{number}"
            for key, value in wire.items()
            if key != "step" and not isinstance(value, bool)
        }
        records.append((wire, [{"output": "watermark", "timestamp": number, "to": "downstream"}] * 20, []))
    drawing = timeline_svg(counterexample(records, scenario={**sample.scenario, "id": "many"}))
    root = ElementTree.fromstring(drawing)
    texts = [element.text or "" for element in root.iter() if element.tag.endswith("text")]
    assert sum(text.isdigit() and 1 <= int(text) <= 500 for text in texts) >= LONGEST_DRAWN
    assert f"steps {501 - LONGEST_DRAWN} to 500 of 500; the table has all" in texts
    lanes = [text for text in texts if text.startswith(("channel", "split", "input ", "subtask ", "task "))]
    assert len(lanes) <= 2 * MOST_LANES
    assert len(drawing) < 150_000
