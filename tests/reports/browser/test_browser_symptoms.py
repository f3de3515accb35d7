"""The search of the site finds the page about a symptom by what people type."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import chromium, page
from playwright.sync_api import Page, expect

from tidegauge_reports.site.engines import engines_with
from tidegauge_reports.site.pages import render_site
from tidegauge_reports.site.symptoms import symptoms

__all__ = ["chromium", "page"]

TYPED = {
    "flink watermark stuck": "watermark-does-not-advance",
    "watermark not advancing kafka idle partition": "watermark-does-not-advance",
    "currentInputWatermark": "watermark-does-not-advance",
    "late events dropped": "rows-dropped-as-late",
    "numRowsDroppedByWatermark": "rows-dropped-as-late",
    "Why is my window not triggered?": "windows-never-fire",
    "append mode no output": "windows-never-fire",
    "withIdleness": "idle-sources",
    "empty kafka partition": "idle-sources",
    "future timestamp": "watermark-in-the-future",
    "timestamp 1970": "wrong-event-times",
    "timezone offset": "wrong-event-times",
    "watermark alignment": "sources-drift-apart",
    "checkpoint size grows": "state-keeps-growing",
    "consumer lag increasing": "job-falls-behind",
    "alignment deadlock": "alignment-blocks",
    "watermark went backwards": "watermark-goes-back",
    "idle-too-soon": "idle-sources",
}


@pytest.fixture(scope="module")
def front_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The front page of the site alone."""
    path = tmp_path_factory.mktemp("site") / "index.html"
    name, html = next(render_site(engines_with([])))
    assert name == path.name
    path.write_text(html, encoding="utf-8")
    return path


def shown(page: Page) -> list[str]:
    """Return the names of the symptom pages that the search shows."""
    links = page.locator("#symptoms li:visible a").evaluate_all(
        "links => links.map(link => link.getAttribute('href'))"
    )
    return [link.removeprefix("guides/").removesuffix(".html") for link in links]


def test_what_people_type_finds_the_page(page: Page, front_page: Path) -> None:
    page.goto(front_page.as_uri())
    search = page.get_by_label("Find a symptom or a rule")
    missed = {}
    for typed, wanted in TYPED.items():
        search.fill(typed)
        found = shown(page)
        if wanted not in found or len(found) > 4:
            missed[typed] = found
    assert not missed


def test_a_rule_hides_the_symptoms_and_an_empty_search_shows_all(page: Page, front_page: Path) -> None:
    page.goto(front_page.as_uri())
    search = page.get_by_label("Find a symptom or a rule")
    assert len(shown(page)) == len(symptoms())
    search.fill("VALVE-3")
    expect(page.locator("#symptoms")).to_be_hidden()
    search.fill("late events dropped")
    expect(page.get_by_role("status")).to_contain_text("symptom")
    page.get_by_label("among").select_option(index=1)
    expect(page.locator("#symptoms")).to_be_hidden()
    page.get_by_label("among").select_option("all")
    search.fill("")
    assert len(shown(page)) == len(symptoms())
