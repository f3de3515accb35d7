"""The shape that an engine declares, in every report: a table on the first page, a remark, the headline."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from report_samples import results

from tidegauge import SplitsShape, ValveShape, WindowShape
from tidegauge.components.registry import COMPONENTS
from tidegauge.detection.shapes import SHAPES_MEASURED
from tidegauge.wire.own_profile import Choice, OwnProfile
from tidegauge.wire.results import Results
from tidegauge.wire.shapes import SHAPES, AnyShape
from tidegauge.words.conclusion import conclude, in_a_few_words
from tidegauge.words.shapes import scope_words, shape_words, shapes_line
from tidegauge_reports.compliance.html import render as html
from tidegauge_reports.machines.markdown import render as markdown
from tidegauge_reports.matrix import html as matrix_html
from tidegauge_reports.matrix import markdown as matrix_markdown
from tidegauge_reports.matrix.columns import Run
from tidegauge_reports.matrix.table import build_matrix

VALVE = ValveShape(statuses="none", most_channels=3)


def with_shapes(*shapes: AnyShape) -> Results:
    whole = results()
    return replace(whole, implementation=replace(whole.implementation, shapes=shapes))


def test_the_first_page_has_a_table_of_the_features() -> None:
    page = html(with_shapes(VALVE, WindowShape(assigners=("tumbling",))))
    assert '<tr><td>shape</td><th scope="row">valve</th><td>no statuses, 3 channels at most</td></tr>' in page
    assert '<tr><td>shape</td><th scope="row">window</th><td>tumbling windows only</td></tr>' in page
    contract = html(with_shapes(replace(VALVE, contract=("input-after-end",))))
    sends = "upstream never sends input after its end"
    assert f'<tr><td>contract</td><th scope="row">valve</th><td>{sends}</td></tr>' in contract
    assert 'class="declared"' not in html(results())


OWN = OwnProfile("my-valve", choices=(Choice("valve_finished_channel", "counts", "it <holds> the output"),))


def test_the_choices_of_the_author_stand_on_the_first_page_and_in_the_matrix() -> None:
    chosen = replace(results(), profile="my-valve", own_profile=OWN)
    row = (
        '<tr><td>choice</td><th scope="row">valve_finished_channel</th>'
        "<td>counts, where core says leaves: it &lt;holds&gt; the output</td></tr>"
    )
    assert row in html(chosen)
    matrix = build_matrix([Run(chosen)])
    assert "own profile my-valve: 1 choice differs from core" in matrix_html.render(matrix)
    assert "1 choice differs from core." in matrix_markdown.render(matrix)


def test_the_headline_says_within_what_an_engine_conforms() -> None:
    for shapes, scope in (
        ((), ""),
        ((ValveShape(),), ""),
        ((VALVE,), "within its shape"),
        ((ValveShape(contract=("input-after-end",)),), "under its contract"),
        ((replace(VALVE, contract=("input-after-end",)),), "within its shape and under its contract"),
    ):
        found = with_shapes(*shapes)
        assert scope_words(found.implementation) == scope
        assert conclude(found).headline == f"Conforms {scope}".strip() + ": all 5 claimed rules pass"
        assert in_a_few_words(found) == f"conforms 5/5 {scope}".strip()


def test_markdown_has_a_remark() -> None:
    text = markdown(with_shapes(VALVE))
    assert "Tested within the declared shape of the engine: valve: no statuses, 3 channels at most." in text


@pytest.mark.parametrize("name", SHAPES_MEASURED)
def test_every_measured_shape_has_words(name: str) -> None:
    assert shape_words(SHAPES_MEASURED[name])


@pytest.mark.parametrize("component", [name for name in SHAPES if COMPONENTS[name].drawn])
def test_every_field_has_words(component: str) -> None:
    full = SHAPES[component]()
    others = {
        "without_steps": ("tick",),
        "contract": ("falling-watermark",),
        "lowest": 0,
        "highest": 1_000,
        "name_characters": "letters-digits-dashes",
        "statuses": "none",
        "sizes": (60_000,),
        "every": (10_000,),
        "begins_at": (5_000,),
        "allowed_lateness": (5,),
        "late_records": ("drop",),
    }
    for field in full.__struct_fields__:
        value = getattr(full, field)
        other = others.get(field, False if value is True else 7)
        if isinstance(value, tuple) and field not in others:
            other = value[:1]
        assert shape_words(replace(full, **{field: other})), field


def test_the_words_of_a_shape() -> None:
    shape = WindowShape(
        assigners=("tumbling", "session"),
        sizes=(60_000,),
        allowed_lateness=(0,),
        late_records=("drop",),
        contract=("falling-watermark", "repeated-status"),
        lowest=0,
    )
    assert shape_words(shape) == [
        "tumbling, session windows only",
        "sizes 60,000 ms only",
        "no allowed lateness",
        "no output for late records",
        "upstream never sends a watermark that does not rise, a repeated status",
        "no timestamps before 0 ms",
    ]
    implementation = with_shapes(VALVE, SplitsShape(parts=("inputs",))).implementation
    assert shapes_line(implementation) == "valve: no statuses, 3 channels at most; splits: inputs only"
