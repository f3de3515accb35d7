"""The matrix in a browser: its filter, its box that scrolls, both themes, and hostile engines."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import (
    PAYLOADS,
    TRIED_FIRST,
    WIDTHS,
    assert_harmless,
    axe_violations,
    chromium,
    hues,
    opened,
    overflowing,
    page,
    picture_folder,
    take_pictures,
)
from conftest import others_slower
from hostile_results import hostile_results
from matrix_samples import engine, four
from playwright.sync_api import Browser, Page, expect
from report_samples import results, rule

from tidegauge_reports.matrix import html, picture
from tidegauge_reports.matrix.columns import Run
from tidegauge_reports.matrix.files import write_matrix
from tidegauge_reports.matrix.questions import read_questions
from tidegauge_reports.matrix.table import build_matrix
from tidegauge_reports.shipped import load_shipped
from tidegauge_spec import load_registry

__all__ = ["chromium", "page"]


def shipped_and_wrong() -> list[Run]:
    """The shipped engines, and a wrong one that claims only a part."""
    wrong = [
        rule(1),
        rule(2, "fail"),
        rule(3, "not-tested"),
        rule(4, policy="by policy `x` = y; core says z"),
    ]
    runs = [Run(found) for found in load_shipped().values()]
    return [
        *runs,
        Run(results(wrong, implementation=engine("a wrong engine with a long name")), "wrong/report.html"),
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a matrix of shipped engines and a wrong one."""
    made = tmp_path_factory.mktemp("matrix")
    write_matrix(shipped_and_wrong(), made)
    return made


def shown_rules(page: Page) -> list[str]:
    """The ids of the rules that the filter has left."""
    return page.locator(".matrix tbody tr:visible th .id").all_inner_texts()


@pytest.mark.slower
def test_the_filter_leaves_what_differs_and_hides_chapters_without(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "matrix.html"
    path.write_text(html.render(four()), encoding="utf-8")
    page.goto(path.as_uri())
    assert len(shown_rules(page)) == 6
    page.get_by_label("only where engines that claim the rule differ (4)").check()
    assert shown_rules(page) == ["VALVE-1", "VALVE-2", "VALVE-3", "VALVE-4"]
    expect(page.get_by_role("rowheader", name="ALIGN", exact=False)).to_have_count(0)
    page.get_by_label("only where engines differ (6)").check()
    assert len(shown_rules(page)) == 6
    page.get_by_label("all rules (6)").check()
    assert len(shown_rules(page)) == 6


def test_a_rule_leads_to_what_each_engine_does(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "matrix.html"
    path.write_text(html.render(four()), encoding="utf-8")
    page.goto(path.as_uri())
    page.get_by_role("link", name="VALVE-2").click()
    told = page.locator(".contested-rule .told:target")
    expect(told).to_contain_text("The valve MUST follow rule 2.")
    expect(told).to_contain_text("reason of rule 2")
    expect(told).to_be_in_viewport()


def test_without_scripts_everything_is_there(chromium: Browser, folder: Path) -> None:
    with opened(chromium, java_script_enabled=False) as (still, _):
        still.goto((folder / "matrix.html").as_uri())
        assert still.locator(".matrix tbody tr:not(.chapter)").count() == len(load_registry().rules)
        assert still.locator("fieldset").count() == 0


@pytest.mark.parametrize("width", others_slower(WIDTHS, (390,)))
def test_questions_and_answers_stay_in_their_cells(page: Page, folder: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((folder / "matrix.html").as_uri())
    assert page.locator(".questions tbody tr").count() == len(read_questions())
    cells = page.locator(".questions th, .questions td")
    wider = (
        "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth + 1).map(cell => cell.innerText)"
    )
    assert cells.evaluate_all(wider) == []


@pytest.mark.parametrize("width", others_slower(WIDTHS, (390,)))
def test_the_table_scrolls_in_its_box_under_its_headings(page: Page, folder: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((folder / "matrix.html").as_uri())
    assert overflowing(page) == []
    box = page.locator(".box:has(.matrix)")
    box.scroll_into_view_if_needed()
    edge = box.bounding_box()
    box.evaluate("(part) => part.scrollTo(400, 1500)")
    corner = page.locator(".matrix thead th").first.bounding_box()
    assert edge is not None
    assert corner is not None
    after = box.bounding_box()
    assert after is not None
    assert (corner["x"] - after["x"], corner["y"] - after["y"]) == pytest.approx((1, 1), abs=1.5)
    first = page.locator(".matrix tbody tr:not(.chapter) th").nth(80).bounding_box()
    assert first is not None
    assert first["x"] - after["x"] == pytest.approx(1, abs=1.5)
    if width == min(WIDTHS):
        assert box.evaluate("(part) => part.scrollLeft") > 0


def test_known_deviations_are_violet_and_never_green(page: Page, folder: Path) -> None:
    page.goto((folder / "matrix.html").as_uri())
    assert hues(page, "td .sign.known_deviations, .tally.known_deviations") == {"violet"}
    assert hues(page, ".card.deviates", "borderLeftColor") == {"violet"}


@pytest.mark.slower
def test_it_is_accessible_in_both_themes_and_photographed(page: Page, folder: Path, root: Path) -> None:
    page.goto((folder / "matrix.html").as_uri())
    for theme, width in zip(("light", "dark"), WIDTHS, strict=True):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        assert axe_violations(page) == []
    assert len(take_pictures(page, "matrix", picture_folder(root))) == 4


def test_the_picture_shows_as_an_image_on_both_grounds(chromium: Browser, folder: Path, root: Path) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 640}, offline=True)
    page = context.new_page()
    kept = picture_folder(root)
    kept.mkdir(parents=True, exist_ok=True)
    for name, ground in (("white", "#ffffff"), ("dark", "#0d1117")):
        readme = folder / f"readme-{name}.html"
        image = '<img src="matrix.svg" alt="rules by engines" style="max-width: 100%">'
        readme.write_text(f'<body style="background: {ground}">{image}', encoding="utf-8")
        page.emulate_media(color_scheme="dark" if name == "dark" else "light")
        page.goto(readme.as_uri())
        found = page.locator("img")
        assert found.evaluate("(part) => part.decode().then(() => part.naturalWidth)") > 290
        page.screenshot(path=kept / f"matrix-picture-{name}.png")
    context.close()


@pytest.mark.parametrize("name", others_slower(PAYLOADS, TRIED_FIRST))
def test_what_is_hostile_does_no_harm_to_the_matrix(name: str, page: Page) -> None:
    payload = PAYLOADS[name]
    runs = [Run(hostile_results(payload)), Run(hostile_results(payload)), Run(results([rule(91), rule(92)]))]
    kept = (
        "TIDEGAUGE MATRIX",
        "Rules by engines",
        "VALVE-91",
        "Title of rule 92",
        "Made by tidegauge matrix",
    )
    assert_harmless(page, html.render(build_matrix(runs)), kept=kept)
    drawn = picture.render(build_matrix(runs))
    assert_harmless(
        page,
        f"<!doctype html><title>t</title><main><h1>t</h1><div style='overflow: auto'>{drawn}</div>kept</main>",
        kept=("kept",),
    )
