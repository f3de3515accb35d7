"""The search of the site in a browser, from files and from a server: queries of users find the page."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import ADDRESS, WIDTHS, chromium, opened, overflowing, page
from playwright.sync_api import Browser, Page, Route, expect

from tidegauge_reports.site.engines import shipped_engines
from tidegauge_reports.site.pages import write_site
from tidegauge_reports.site.search.entries import entries
from tidegauge_reports.site.search.index import SearchIndex, build_index
from tidegauge_reports.site.search.query import find

__all__ = ["chromium", "page"]

FIRST = 3
"""One of the expected pages must be among this many first results."""

LEAST = {"queries": 45, "later": 22, "symptoms": 18, "everyday": 4}
"""How many queries of each kind must find their page: of 50, 24, 18 and 4."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped site."""
    made = tmp_path_factory.mktemp("site")
    write_site(shipped_engines(), made)
    return made


@pytest.fixture(scope="module")
def search() -> SearchIndex:
    """The index that the command line uses."""
    return build_index(entries(shipped_engines()))


@pytest.fixture
def site_page(chromium: Browser) -> Iterator[Page]:
    """A page that may load the scripts of the site."""
    with opened(chromium) as (found, seen):
        yield found
        assert [*seen.errors, *seen.dialogs, *seen.windows] == []
        assert all(Path(urlsplit(request).path).suffix == ".js" for request in seen.requests), seen


def queries(root: Path, kind: str) -> Mapping[str, Sequence[str]]:
    """Return the queries of a kind, each with its expected pages."""
    return dict(tomllib.loads((root / "tests/data/site-queries.toml").read_text(encoding="utf-8"))[kind])


def addresses(page: Page) -> list[str]:
    """Return the addresses of the results that are shown."""
    links = page.locator("#results a")
    return [
        str(address)
        for address in links.evaluate_all("links => links.map(link => link.getAttribute('href'))")
    ]


def is_right(address: str, expected: str) -> bool:
    """Return whether a result is the expected page; `*` at the end stands for anything."""
    return address.startswith(expected[:-1]) if expected.endswith("*") else address == expected


@pytest.mark.parametrize("kind", LEAST)
def test_what_people_type_finds_the_page_among_the_first_three(
    site_page: Page, folder: Path, root: Path, kind: str
) -> None:
    site_page.goto((folder / "search.html").as_uri())
    missed = {}
    asked = queries(root, kind)
    for query, right in asked.items():
        site_page.locator("#q").fill(query)
        first = addresses(site_page)[:FIRST]
        if not any(is_right(address, expected) for address in first for expected in right):
            missed[query] = first
    assert len(asked) - len(missed) >= LEAST[kind], missed


def test_the_browser_and_the_command_line_rank_alike(
    site_page: Page, folder: Path, root: Path, search: SearchIndex
) -> None:
    site_page.goto((folder / "search.html").as_uri())
    asked = [query for kind in LEAST for query in queries(root, kind)]
    for query in (*asked, "VALVE-3 idle", "SPLIT-5 restore", "late VALVE-3 data"):
        site_page.locator("#q").fill(query)
        shown = addresses(site_page)
        assert shown == [entry.address for entry in find(search, query).entries][: len(shown)], query
        assert shown, query


def test_a_query_has_an_address_and_is_typed_on_every_page(site_page: Page, folder: Path) -> None:
    for start in ("index.html", "guides/idle-sources.html"):
        site_page.goto((folder / start).as_uri())
        box = site_page.get_by_role("search").get_by_role("searchbox")
        box.fill("late data dropped")
        box.press("Enter")
        expect(site_page).to_have_url((folder / "search.html").as_uri() + "?q=late+data+dropped")
        expect(site_page.get_by_role("searchbox")).to_have_value("late data dropped")
        site_page.get_by_role("link", name="Rows are dropped as late").click()
        expect(site_page.get_by_role("heading", level=1)).to_have_text("Rows are dropped as late")


def test_the_results_of_a_misspelled_query_name_the_corrected_query(site_page: Page, folder: Path) -> None:
    site_page.goto((folder / "search.html").as_uri() + "?q=wattermark+idelness")
    status = site_page.get_by_role("status")
    expect(status).to_contain_text("Showing results for watermark idleness.")
    expect(status.get_by_role("link")).to_have_count(0)
    shown = addresses(site_page)
    assert shown
    site_page.locator("#q").fill("watermark idleness")
    expect(status).not_to_contain_text("Showing results for")
    assert addresses(site_page) == shown


@pytest.mark.parametrize("letter", "qy")
def test_a_very_long_word_does_not_freeze_the_page(site_page: Page, folder: Path, letter: str) -> None:
    site_page.goto((folder / "search.html").as_uri())
    site_page.locator("#q").fill(letter * 5000)
    expect(site_page.get_by_role("status")).to_have_text("0 results.")
    site_page.locator("#q").fill("late " * 30 + "FLINK-37204")
    expect(site_page.get_by_role("status")).not_to_contain_text("FLINK-37204")
    assert addresses(site_page)


def test_an_unknown_issue_is_named_and_the_known_bugs_are_offered(site_page: Page, folder: Path) -> None:
    site_page.goto((folder / "search.html").as_uri() + "?q=FLINK-37204")
    expect(site_page.get_by_role("status")).to_contain_text("FLINK-37204 is not among the 97 known bugs.")
    assert addresses(site_page)[0] == "mutants.html#known-bugs"


def test_more_results_are_shown_on_request_and_markup_in_a_query_is_text(
    site_page: Page, folder: Path
) -> None:
    site_page.goto((folder / "search.html").as_uri())
    site_page.locator("#q").fill("max watermark")
    few = len(addresses(site_page))
    site_page.get_by_role("button", name="Show all results").click()
    assert len(addresses(site_page)) > few
    site_page.goto((folder / "search.html").as_uri() + "?q=" + quote("<img src=x onerror=alert(1)> watermrk"))
    assert site_page.locator("main img").count() == 0
    expect(site_page.get_by_role("status")).to_contain_text("watermark")


def test_a_server_can_serve_it(chromium: Browser, folder: Path) -> None:
    types = {".html": "text/html; charset=utf-8", ".js": "text/javascript"}

    def answer(route: Route) -> None:
        file = folder / (urlsplit(route.request.url).path.lstrip("/") or "index.html")
        if route.request.url.startswith(ADDRESS) and file.is_file():
            route.fulfill(body=file.read_bytes(), content_type=types[file.suffix])
        else:
            route.abort()

    with opened(chromium) as (page, seen):
        page.route("**/*", answer)
        page.goto(ADDRESS)
        page.locator("#q").fill("window never closes")
        page.locator("#q").press("Enter")
        page.get_by_role("link", name="Windows never fire").click()
        expect(page).to_have_url(f"{ADDRESS}guides/windows-never-fire.html")
        assert not seen.errors


def test_without_javascript_the_page_of_the_search_leads_to_all_lists(
    chromium: Browser, folder: Path
) -> None:
    with opened(chromium, java_script_enabled=False) as (page, _):
        page.goto((folder / "index.html").as_uri())
        page.locator("#q").fill("late")
        page.locator("#q").press("Enter")
        expect(page.get_by_text("The search needs JavaScript.")).to_be_visible()
        expect(page.locator("#search")).to_be_hidden()
        page.get_by_role("main").get_by_role("link", name="symptoms of a job").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("What ails my job")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_results_are_accessible_and_fit_every_window(
    chromium: Browser, folder: Path, scheme: str
) -> None:
    with opened(chromium, color_scheme=scheme) as (page, _):
        page.goto((folder / "search.html").as_uri() + "?q=FLINK-37204+wattermark")
        checked = Axe().run(page)
        assert checked.response["passes"], "axe judged nothing"
        assert checked.violations_count == 0, checked.generate_report()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 844})
            assert overflowing(page) == []
