"""The compliance report at first glance: what readers see without much scrolling, on screens and on paper."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from browser import (
    axe_violations,
    chromium,  # noqa: F401
    opened,
)
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, ViewportSize, expect
from report_samples import fitted, missing_minimum

from tidegauge.wire.results import Results
from tidegauge_reports.compliance.html import write
from tidegauge_reports.shipped import load_shipped

DESKTOP: ViewportSize = {"width": 1280, "height": 800}
TELEPHONE: ViewportSize = {"width": 390, "height": 844}
TALLEST = 15_000
"""The height in px that a page may have on a telephone if everything is folded."""

MOST_TABS = 10
MOST_SHEETS = 6


def with_one_failure() -> Results:
    """Return a run of the whole suite in which one rule fails."""
    passing = load_shipped()["reference"]
    broken = {"verdict": "fail", "reason": "", "excludes": [], "counterexample": missing_minimum()}
    rules = [replace(rule, **broken) if rule.id == "VALVE-15" else rule for rule in passing.rules]
    components = [
        fitted("valve-no-flush") if found.component == "valve" else found for found in passing.components
    ]
    return replace(passing, rules=rules, components=components, exit_code=1)


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of the reports of all shipped runs, by the engine's name, and of `with_one_failure`."""
    folder = tmp_path_factory.mktemp("reports")
    runs = {**load_shipped(), "one failure": with_one_failure()}
    return {name: write(run, folder / name).as_uri() for name, run in runs.items()}


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:  # noqa: F811
    """A page of the browser; the test fails if the page reports errors or loads anything."""
    with opened(chromium) as (found, seen):
        yield found
        assert seen.nothing(), seen


@pytest.mark.parametrize("name", ["one failure", "flink-core"])
@pytest.mark.parametrize(
    ("size", "screens"), [(DESKTOP, 1.5), (TELEPHONE, 2.5)], ids=["desktop", "telephone"]
)
def test_the_picture_of_the_first_counterexample_is_near_the_top(
    page: Page, addresses: dict[str, str], name: str, size: ViewportSize, screens: float
) -> None:
    page.set_viewport_size(size)
    page.goto(addresses[name])
    place = page.locator(".picture:visible").first.bounding_box()
    assert place is not None
    assert place["y"] <= screens * size["height"]
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()


def test_a_folded_page_is_of_bounded_height_on_a_telephone(page: Page, addresses: dict[str, str]) -> None:
    page.set_viewport_size(TELEPHONE)
    heights = {}
    for name, address in addresses.items():
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = false; })")
        heights[name] = page.evaluate("document.documentElement.scrollHeight")
    assert {name: height for name, height in heights.items() if height > TALLEST} == {}


def test_a_chapter_that_is_not_claimed_is_a_line(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["flink-core"])
    chapter = page.locator('.chapter[data-component="low_watermark"]')
    expect(chapter).to_have_count(1)
    box = chapter.bounding_box()
    assert box is not None
    assert box["height"] < 60
    assert page.locator(".chapter").last.get_attribute("data-component") == "low_watermark"


def test_one_failure_takes_few_sheets_of_paper(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["one failure"])
    sheets = re.findall(rb"/Type /Page\b(?!s)", page.pdf(format="A4"))
    assert 1 <= len(sheets) <= MOST_SHEETS
    page.emulate_media(media="print")
    for part in (
        "h1",
        ".first .picture svg",
        ".failures table",
        ".differences",
        "#VALVE-15 .sentence",
        ".map .cell",
    ):
        expect(page.locator(part).first).to_be_visible()


@pytest.mark.parametrize("name", ["one failure", "flink-core"])
def test_both_outputs_of_a_step_are_within_the_window_of_a_telephone(
    page: Page, addresses: dict[str, str], name: str
) -> None:
    page.set_viewport_size(TELEPHONE)
    page.goto(addresses[name])
    step = page.locator(".steps:visible .diverges").first
    for cell in step.locator("td").all()[-2:]:
        box = cell.bounding_box()
        assert box is not None
        assert 0 <= box["x"] < box["x"] + box["width"] <= TELEPHONE["width"]
    labels = step.locator("td").evaluate_all(
        "(cells) => cells.slice(-2).map((cell) => getComputedStyle(cell, '::before').content)"
    )
    assert labels == ['"Expected"', '"Got"']


@pytest.mark.parametrize("name", ["one failure", "flink-core"])
def test_the_first_counterexample_is_reached_by_few_tab_stops(
    page: Page, addresses: dict[str, str], name: str
) -> None:
    page.goto(addresses[name])
    stops = []
    while len(stops) < MOST_TABS and not any("Timeline" in stop for stop in stops):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent"))
    assert "Timeline" in stops[-1], stops


@pytest.mark.parametrize("name", ["one failure", pytest.param("flink-core", marks=pytest.mark.slower)])
@pytest.mark.parametrize("size", [DESKTOP, TELEPHONE], ids=["desktop", "telephone"])
def test_no_rule_of_wcag_is_broken(
    page: Page, addresses: dict[str, str], name: str, size: ViewportSize
) -> None:
    page.set_viewport_size(size)
    page.goto(addresses[name])
    assert axe_violations(page) == []


def test_all_of_it_is_reached_without_javascript(
    chromium: Browser,  # noqa: F811
    addresses: dict[str, str],
) -> None:
    with opened(chromium, java_script_enabled=False) as (page, seen):
        page.goto(addresses["one failure"])
        expect(page.locator(".first .steps")).to_be_visible()
        page.locator(".map").get_by_role("link", name="CLOCK-1, pass").click()
        expect(page.locator("#CLOCK-1")).to_be_in_viewport()
        page.locator("#CLOCK-1 > summary").click()
        expect(page.locator("#CLOCK-1 .sentence")).to_be_visible()
        assert seen.nothing(), seen
