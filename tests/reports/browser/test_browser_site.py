"""The site in a browser: from a search to a rule, its code and its verdicts, in both themes and at every width."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import (
    PAYLOADS,
    TRIED_FIRST,
    WIDTHS,
    assert_harmless,
    chromium,
    hues,
    opened,
    overflowing,
    page,
    picture_folder,
)
from conftest import others_slower
from playwright.sync_api import Browser, Page, expect
from report_samples import known_deviation, results, rule
from site_samples import hostile

from tidegauge.wire.results import Results
from tidegauge_reports.site.engines import engines_with
from tidegauge_reports.site.pages import render_site, write_site
from tidegauge_spec import load_registry

__all__ = ["chromium", "page"]

KINDS = (
    "index.html",
    "valve.html",
    "ten-minutes.html",
    "guides/reading-a-report.html",
    "guides/campaigns.html",
    "guides/what-ails-my-job.html",
    "guides/idle-sources.html",
    "reference/valve.py.html",
    "vectors/valve.html",
    "mutants.html",
    "mutants/valve-guarded-flush.html",
    "known-bugs/FLINK-40475a.html",
    "policies.html",
    "traceability.html",
)
"""A page of each kind."""

PICTURES = (
    "index.html",
    "ten-minutes.html",
    "guides/reading-a-report.html",
    "valve.html#VALVE-15",
    "reference/valve.py.html#L112",
    "traceability.html#from-rules",
    "mutants.html",
    "mutants/valve-guarded-flush.html",
    "known-bugs/FLINK-40475a.html",
)
"""What is photographed."""


def failing() -> Results:
    """A run in which two rules fail and one deviates."""
    return results([rule(1), rule(2, "fail"), known_deviation(3, "known for long"), rule(15, "fail")])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with a run that is given."""
    made = tmp_path_factory.mktemp("site")
    write_site(engines_with([failing()]), made)
    return made


def visible_rules(page: Page) -> list[str]:
    """The ids of the rules that the filter has left."""
    return page.locator(".rules tbody tr:visible .id").all_inner_texts()


def test_a_rule_leads_to_its_code_and_back_and_to_its_mutants(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.get_by_role("link", name="VALVE-15 The largest").click()
    article = page.locator("article#VALVE-15")
    expect(article).to_be_in_viewport()
    link = article.get_by_role("link", name="valve.py:").first
    line = page.locator(f"#L{link.inner_text().rpartition(':')[2]}")
    link.click()
    expect(line).to_be_in_viewport()
    assert '"VALVE-15"' in (line.text_content() or "")
    page.go_back()
    expect(article).to_be_in_viewport()
    article.get_by_role("link", name="valve-guarded-flush").click()
    expect(page.get_by_role("heading", name="valve-guarded-flush")).to_be_in_viewport()
    expect(page.get_by_text("valve behaves as FLINK-40475a (valve-guarded-flush)")).to_be_in_viewport()


def test_a_verdict_leads_to_the_rule_in_the_report_of_its_engine(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.get_by_label("Show", exact=True).select_option(index=1)
    page.get_by_role("row", name="VALVE-15").get_by_role(
        "link", name=re.compile("sample-engine .*: fail")
    ).click()
    expect(page).to_have_url(re.compile("engines/run-1.html#VALVE-15$"))
    expect(page.locator("#VALVE-15").get_by_text("reason of rule 15")).to_be_visible()


def test_the_filter_shows_the_rules_that_an_engine_does_not_keep(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    among = page.get_by_label("Show", exact=True)
    among.select_option(index=1)
    assert "sample-engine" in (among.locator("option").nth(1).text_content() or "")
    assert visible_rules(page) == ["VALVE-2", "VALVE-3", "VALVE-15"]
    assert page.locator(".chapter-rules:visible").count() == 1
    expect(page.get_by_role("status")).to_have_text(f"3 of {len(load_registry().rules)} rules")
    among.select_option("all rules")
    assert visible_rules(page) == list(load_registry().rules)


def test_each_product_has_one_card_with_a_colour_for_each_reading(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    headings = page.locator(".card h3").all_inner_texts()
    assert len(headings) == len(set(headings))
    assert {"Apache Spark 4.3.0", "tidegauge-spark on PySpark 4.3.0", "Kafka Streams 4.4.0"} <= set(headings)
    flink = page.locator(".card", has=page.get_by_role("heading", name="Apache Flink 2.3.0", exact=True))
    assert flink.locator(".profile").all_inner_texts() == ["own profile flink-2.3", "profile core"]
    expect(flink.locator(".verdict").first).to_contain_text("Conforms to flink-2.3")
    assert hues(page, ".reading.conforms", "borderLeftColor") == {"green"}
    assert "green" not in hues(page, ".reading.own", "borderLeftColor")
    assert hues(page, ".reading.fails", "borderLeftColor") == {"red"}
    for heading in ("Apache Flink 2.3.0", "Bytewax 0.21.1"):
        card = page.locator(".card", has=page.get_by_role("heading", name=heading, exact=True))
        assert card.locator(".reading.conforms").count() == 0


def test_everything_is_there_without_javascript(chromium: Browser, folder: Path) -> None:
    with opened(chromium, java_script_enabled=False) as (page, seen):
        page.goto((folder / "index.html").as_uri())
        assert page.get_by_label("Show", exact=True).count() == 0
        assert visible_rules(page) == list(load_registry().rules)
        page.get_by_role("link", name="VALVE-15 The largest").click()
        expect(page.locator("article#VALVE-15")).to_be_in_viewport()
    assert seen.nothing(), seen


def test_the_keyboard_reaches_the_content_the_search_and_a_rule(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#content$"))
    page.keyboard.press("Tab")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.get_by_label("Show", exact=True).focus()
    page.keyboard.press("ArrowDown")
    assert visible_rules(page) == ["VALVE-2", "VALVE-3", "VALVE-15"]
    page.get_by_role("link", name="VALVE-15 The largest").focus()
    page.keyboard.press("Enter")
    expect(page.locator("article#VALVE-15")).to_be_in_viewport()


def test_a_change_of_the_reference_has_the_colours_of_code_review(page: Page, folder: Path) -> None:
    page.goto((folder / "mutants/valve-guarded-flush.html").as_uri())
    shown = {line[0]: line for line in page.locator(".wrong .line").all_inner_texts()}
    assert "last-channel-at-output" in shown["-"]
    assert hues(page, ".wrong .line.removed", "backgroundColor") == {"red"}
    assert hues(page, ".wrong .line.added", "backgroundColor") == {"green"}
    assert page.locator(".wrong .line.removed").first.inner_text() == shown["-"]


def test_a_known_deviation_is_violet(page: Page, folder: Path) -> None:
    page.goto((folder / "valve.html").as_uri())
    assert hues(page, ".sign.known_deviations") == {"violet"}


@pytest.mark.parametrize("kind", KINDS)
def test_no_page_is_wider_than_a_phone(page: Page, folder: Path, kind: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto((folder / kind).as_uri())
    assert overflowing(page) == []


JUDGED_FIRST = (("valve.html", "dark"),)


@pytest.mark.parametrize(
    ("kind", "scheme"),
    [
        pytest.param(*page, marks=() if page in JUDGED_FIRST else pytest.mark.slower)
        for page in product(KINDS, ("light", "dark"))
    ],
)
def test_every_kind_of_page_is_accessible(chromium: Browser, folder: Path, kind: str, scheme: str) -> None:
    with opened(chromium, color_scheme=scheme) as (page, _):
        page.goto((folder / kind).as_uri())
        found = Axe().run(page)
        assert found.response["passes"], "axe judged nothing"
        assert found.violations_count == 0, found.generate_report()


def test_on_paper_there_is_no_navigation_and_nothing_is_cut(page: Page, folder: Path) -> None:
    page.goto((folder / "reference/valve.py.html").as_uri())
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation")).to_be_hidden()
    assert page.locator(".code").evaluate("block => getComputedStyle(block).overflowX") == "visible"
    assert page.locator(".code pre").evaluate("block => getComputedStyle(block).whiteSpace") == "pre-wrap"


def some(pages: Iterable[tuple[str, str]], wanted: set[str]) -> dict[str, str]:
    """Those pages of a site that are wanted; no others are made once they are there."""
    found: dict[str, str] = {}
    for name, html in pages:
        if name in wanted:
            found[name] = html
        if len(found) == len(wanted):
            break
    return found


@pytest.mark.parametrize("payload", others_slower(PAYLOADS, TRIED_FIRST))
def test_hostile_results_neither_run_nor_break_a_page(page: Page, payload: str) -> None:
    shown = some(
        render_site(engines_with([hostile(PAYLOADS[payload])])),
        {"index.html", "traceability.html", "valve.html"},
    )
    assert_harmless(page, shown["index.html"], kept=["Event time, rule by rule", "VALVE-15", "VALVE-23"])
    assert_harmless(page, shown["valve.html"], kept=["The status-watermark valve", "VALVE-23"])
    assert_harmless(page, shown["traceability.html"], kept=["Traceability", "WIN-16"])


@pytest.mark.slower
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_pictures_are_taken(chromium: Browser, folder: Path, root: Path, width: int, scheme: str) -> None:
    into = picture_folder(root)
    into.mkdir(parents=True, exist_ok=True)
    viewport = {"width": width, "height": 900}
    with opened(chromium, color_scheme=scheme, viewport=viewport) as (page, _):
        for place in PICTURES:
            name, _, anchor = place.partition("#")
            page.goto((folder / name).as_uri() + (f"#{anchor}" if anchor else ""))
            picture = into / f"site-{Path(name).stem}-{scheme}-{width}.png"
            page.screenshot(path=picture)
            assert picture.stat().st_size > 10_000
