"""The page of an event log in a browser: accessible, and no wider than a phone, whatever the log says."""

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
    overflowing,
    page,
)
from conftest import others_slower
from log_pages import document_of, sick
from playwright.sync_api import Page, expect

from tidegauge_reports.event_logs.html import render

__all__ = ["chromium", "page"]


@pytest.fixture(scope="module")
def log_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a log with findings and a broken rule."""
    path = tmp_path_factory.mktemp("log") / "log-results.html"
    path.write_text(render(document_of(sick())), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_and_fits(page: Page, log_page: Path, width: int, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(log_page.as_uri())
    assert axe_violations(page) == []
    assert overflowing(page) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_first_screen_says_what_ails_the_job(page: Page, log_page: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(log_page.as_uri())
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    finding = page.get_by_role("link", name="Rows are dropped as late").first
    expect(finding).to_be_in_viewport()
    card = page.locator(finding.get_attribute("href") or "")
    finding.click()
    expect(card.get_by_text("Remedy:")).to_be_in_viewport()


@pytest.mark.parametrize("payload", others_slower(PAYLOADS, TRIED_FIRST))
def test_hostile_logs_neither_run_nor_break_the_page(page: Page, payload: str) -> None:
    text = PAYLOADS[payload].encode("utf-8", "replace").decode("utf-8")
    html = render(document_of(sick(job=text, source=text)))
    assert_harmless(page, html, kept=["What ails the job", "Broken rules", "Operators"])
