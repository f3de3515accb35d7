"""Suspects in a browser: visible at once, opened, filtered, printed, and readable in both themes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from browser import (
    axe_violations,
    chromium,  # noqa: F401
    opened,
    overflowing,
    picture_folder,
    take_pictures,
)
from conftest import ROOT
from playwright.sync_api import Browser, Page, expect
from report_samples import (
    Record,
    component_result,
    counterexample,
    idle,
    job_counterexample,
    job_picture,
    results,
    rule,
    sent,
    suspects,
    watermark,
)

from tidegauge.wire.results import Results, Suspect
from tidegauge_reports.compliance.html import write
from tidegauge_reports.matrix import html as matrix_html
from tidegauge_reports.matrix.columns import Run
from tidegauge_reports.matrix.table import build_matrix


def varied() -> Results:
    """Return a run with a failing rule and suspects of five differences, one of them long, one in a job."""
    steps: list[Record] = [(watermark(step % 2, step), [], []) for step in range(35)]
    long = counterexample([*steps, (idle(0), [sent(40)], [])])
    return results(
        [
            rule(1),
            *suspects(2, 9),
            rule(7, "fail"),
            rule(8, "not-tested"),
            *suspects(10, 11),
            *suspects(12, 13),
            *suspects(14, 15, counterexample=long),
            *suspects(20, 21, 22, counterexample=job_counterexample()),
        ],
        components=[component_result(9, unexplained="valve-1", suspects=[Suspect("VALVE-2", 0.6)])],
        jobs=[job_picture(), job_picture(False)],
    )


HEADING = "One of these rules is broken: VALVE-2, VALVE-9"


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of three pages: a report with suspects only, a report of `varied`, a matrix of both."""
    folder = tmp_path_factory.mktemp("suspects")
    alone = results([rule(1), *suspects(2, 9), rule(3)])
    (folder / "matrix.html").write_text(
        matrix_html.render(build_matrix([Run(varied()), Run(alone)])), encoding="utf-8"
    )
    return {
        "alone": write(alone, folder / "alone").as_uri(),
        "varied": write(varied(), folder / "varied").as_uri(),
        "matrix": (folder / "matrix.html").as_uri(),
    }


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:  # noqa: F811
    """A page of the browser; the test fails if the page reports errors or loads anything."""
    with opened(chromium) as (found, seen):
        yield found
        assert seen.nothing(), seen


@pytest.mark.parametrize("width", [1280, 390])
def test_the_point_is_in_the_first_window_or_one_screen_below(
    page: Page, addresses: dict[str, str], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(addresses["alone"])
    expect(page.get_by_role("heading", level=1)).to_contain_text("FAILED: one of VALVE-2, VALVE-9 is broken")
    heading = page.get_by_role("heading", name=HEADING)
    expect(heading).to_be_in_viewport()
    card = page.locator(".card-of-suspects")
    for said in ("VALVE-2 Title of rule 2 plausibility 0.60", "VALVE-9 Title of rule 9 plausibility 0.30"):
        expect(card.locator("li", has_text=said)).to_be_in_viewport()
    card.locator(".timeline").scroll_into_view_if_needed()
    expect(card.locator(".first-difference").first).to_be_visible()
    expect(card.locator(".got .words")).to_have_text("nothing")


def test_a_suspect_leads_to_its_rule_and_the_rule_back_to_the_card(
    page: Page, addresses: dict[str, str]
) -> None:
    page.goto(addresses["varied"])
    card = page.locator(".card-of-suspects", has_text="VALVE-14")
    expect(card.locator(".body")).to_be_hidden()
    page.locator(".map").get_by_role("link", name="VALVE-15, suspect").click()
    row = page.locator("#VALVE-15")
    expect(row.get_by_text("What to check: that rule 15 is implemented.")).to_be_in_viewport()
    row.get_by_role("link", name="See the counterexample").click()
    expect(card.locator(".body")).to_be_visible()
    expect(card.locator("summary").first).to_be_focused()
    card.get_by_role("link", name="VALVE-14").click()
    expect(page.locator("#VALVE-14 .body")).to_be_visible()


def test_what_is_copied_stands_on_the_card_once(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["alone"])
    card = page.locator(".card-of-suspects")
    expect(card.get_by_role("button", name="Copy the command")).to_have_count(1)
    page.goto(addresses["varied"])
    closed = page.locator(".card-of-suspects", has_text="VALVE-14")
    closed.locator("summary").first.click()
    expect(closed.get_by_role("button", name="Copy the command")).to_have_count(1)


def test_a_card_that_is_opened_shows_the_difference(page: Page, addresses: dict[str, str]) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(addresses["varied"])
    card = page.locator(".card-of-suspects", has_text="VALVE-14")
    card.locator("summary").first.click()
    picture = card.locator(".picture")
    expect(picture).not_to_have_js_property("scrollLeft", 0)
    within = "(band) => band.getBoundingClientRect().right < band.closest('.picture').getBoundingClientRect().right"
    assert card.locator(".first-difference").first.evaluate(within)


def test_the_filter_shows_the_suspects_and_leaves_the_cards(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["varied"])
    page.get_by_role("checkbox", name="suspect 11").check()
    assert page.locator(".rule:visible .id").all_inner_texts() == [
        f"VALVE-{number}" for number in (2, 9, *range(10, 16), 20, 21, 22)
    ]
    assert set(page.locator(".rule:visible .badge").all_inner_texts()) == {"S suspect"}
    expect(page.get_by_role("heading", name=HEADING)).to_be_visible()


def test_without_javascript_the_cards_open_and_lead_on(chromium: Browser, addresses: dict[str, str]) -> None:  # noqa: F811
    with opened(chromium, java_script_enabled=False) as (page, seen):
        page.goto(addresses["varied"])
        page.locator(".card-of-suspects", has_text="VALVE-20").locator("summary").first.click()
        page.get_by_role("link", name="See its picture").click()
        job = page.locator(".job")
        expect(job).to_be_in_viewport()
        expect(job).to_contain_text("One of these rules is broken: VALVE-20, VALVE-21, VALVE-22: at 4450 ms")
        assert seen.nothing(), seen


def test_on_paper_every_card_is_open(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["varied"])
    page.emulate_media(media="print")
    assert page.locator(".card-of-suspects .suspects:visible").count() == 5
    assert page.locator(".card-of-suspects .counterexample:visible").count() == 5


@pytest.mark.parametrize("name", ["varied", "matrix"])
@pytest.mark.parametrize(
    ("theme", "width"),
    [pytest.param("light", 1280, marks=pytest.mark.slower), ("light", 390), ("dark", 1280)],
)
def test_no_rule_of_wcag_is_broken(
    page: Page, addresses: dict[str, str], name: str, theme: Literal["light", "dark"], width: int
) -> None:
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(addresses[name])
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert axe_violations(page) == []


def test_suspects_are_told_from_failures_without_colour(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["varied"])
    for place in (".map .cell.suspect:not(.small) .letter", ".rule.suspect summary .letter", ".key .suspect"):
        assert set(page.locator(place).all_inner_texts()) == {"S"}, place
    page.goto(addresses["matrix"])
    assert set(page.locator(".matrix .sign.suspect").all_inner_texts()) == {"S"}


def test_no_window_is_too_narrow(page: Page, addresses: dict[str, str]) -> None:
    take_pictures_of = {
        "alone": "suspects",
        "varied": "suspects-and-failures",
        "matrix": "suspects-in-matrix",
    }
    for name, address in addresses.items():
        page.goto(address)
        take_pictures(page, take_pictures_of[name], picture_folder(ROOT))
        for width in (1280, 700, 390, 320):
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
            assert overflowing(page) == [], (name, width)
