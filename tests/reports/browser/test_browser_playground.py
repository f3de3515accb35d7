"""The playground in a browser without a network: scenarios built by clicking, shared by their address, and
played by the kit in Pyodide, come to the same as on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from browser import (
    Seen,
    axe_violations,
    chromium,
    overflowing,
    picture_folder,
    watched,
)
from conftest import Command
from page_reader import read
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tidegauge.components.wording import outputs_text
from tidegauge.judging.reference.oracle import expect as expected_of
from tidegauge.vectors.published import Vector, every_vector
from tidegauge.wire.scenario import component_of
from tidegauge_reference import PROFILES
from tidegauge_reports.playground.parts import HOW_TO_FETCH, missing_parts, parts_folder
from tidegauge_reports.site.addresses import PLAYGROUND, rule_address
from tidegauge_reports.site.engines import engines_with
from tidegauge_reports.site.pages import write_site

__all__ = ["chromium"]

pytestmark = pytest.mark.playground

HOME = "http://tidegauge.test/"
PATIENCE = 60_000
"""Milliseconds until Python has been loaded, on a busy machine."""

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".json": "application/json",
    ".wasm": "application/wasm",
}
FLUSH = "valve/FLINK-40475-flush"
CLICKED = (
    FLUSH,
    "coordinator/blocked-at-1042",
    "window/essay-retraction",
    "splits/resumed-at-the-tick",
    "idleness/backpressured-for-29900-ms",
)
VECTORS = {vector.id: vector for vector in every_vector()}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with its playground."""
    missing = missing_parts(parts_folder())
    if missing:
        pytest.fail(f"{', '.join(part.file for part in missing)} is not there; `{HOW_TO_FETCH}` fetches it")
    folder = tmp_path_factory.mktemp("site")
    write_site(engines_with([]), folder, playground=True)
    return folder


@pytest.fixture
def context(chromium: Browser, site: Path) -> Iterator[BrowserContext]:
    """A fresh browser without a network, which has the site alone."""
    made = fresh(chromium, site)
    yield made
    made.close()


def fresh(chromium: Browser, site: Path) -> BrowserContext:
    """A context of its own: nothing is remembered from another."""
    made = chromium.new_context(viewport={"width": 1280, "height": 900}, offline=True)

    def answer(route: Route) -> None:
        file = site / urlsplit(route.request.url).path.lstrip("/")
        if route.request.url.startswith(HOME) and file.is_file():
            route.fulfill(
                body=file.read_bytes(), content_type=TYPES.get(file.suffix, "application/octet-stream")
            )
        else:
            route.abort()

    made.route("**/*", answer)
    return made


def opened(context: BrowserContext, address: str) -> Page:
    """The playground at an address, once Python runs."""
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready]", timeout=PATIENCE)
    return page


def rows(page: Page) -> list[tuple[str, str]]:
    """Each step with its expected outputs, in the words of `tidegauge expect`."""
    found = page.locator("#rows tr")
    return [
        (
            found.nth(place).locator("td").nth(1).inner_text(),
            found.nth(place).locator("td").nth(2).get_attribute("title") or "",
        )
        for place in range(found.count())
    ]


def click(page: Page, vector: Vector) -> None:
    """Choose the component and the setup of a vector, and add each of its steps by its form."""
    page.get_by_label("Component").select_option(component_of(vector.scenario))
    page.get_by_label("Setup, as JSON").fill(msgspec.json.encode(vector.scenario.setup).decode())
    page.get_by_label("Setup, as JSON").press("Tab")
    page.get_by_role("button", name="Start again").click()
    for step in vector.scenario.history:
        form = page.get_by_role("form", name=f"Add {step.__struct_config__.tag}", exact=True)
        for name in step.__struct_fields__:
            fill(form.get_by_label(name.replace("_", " "), exact=True), getattr(step, name))
        form.get_by_role("button").click()


def fill(control: Any, value: object) -> None:
    """Give a field of a step its value."""
    text = "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    if control.evaluate("part => part.localName") == "select":
        control.select_option(text)
    else:
        control.fill(text)


def test_scenarios_built_by_clicking_are_shared_and_equal_the_command_line(
    chromium: Browser, context: BrowserContext, site: Path, tidegauge: Command
) -> None:
    page, seen = context.new_page(), Seen()
    with watched(page, seen):
        page.goto(HOME + PLAYGROUND)
        page.wait_for_selector("html[data-ready]", timeout=PATIENCE)
        shared = []
        for name in CLICKED:
            click(page, VECTORS[name])
            assert len(rows(page)) == len(VECTORS[name].scenario.history)
            shared.append((name, page.url, rows(page)))
    assert seen.nothing(), seen
    elsewhere = fresh(chromium, site)
    other = opened(elsewhere, shared[0][1])
    for name, address, clicked in shared:
        other.goto(address)
        expect(other.locator("#replay")).to_contain_text(f"tidegauge expect {name} --profile core")
        assert rows(other) == clicked
        printed = tidegauge("expect", name, "--profile", "core").stdout
        said = [
            outputs_text(outputs) for outputs in expected_of(VECTORS[name].scenario, PROFILES["core"]).outputs
        ]
        assert [outputs for _, outputs in clicked] == said
        assert all(outputs in printed for outputs in said)
    elsewhere.close()


def test_every_golden_vector_has_the_same_outputs_in_the_browser(context: BrowserContext) -> None:
    page = opened(context, HOME + PLAYGROUND)
    played = page.evaluate(
        """(names) => Object.fromEntries(names.map((name) => [name,
             JSON.parse(tidegauge.play(tidegauge.golden_vector(name), "core")).steps.map((step) => step.outputs)]))""",
        list(VECTORS),
    )
    for name, vector in VECTORS.items():
        demanded = expected_of(vector.scenario, PROFILES["core"]).outputs
        assert played[name] == json.loads(msgspec.json.encode(demanded)), name


def test_a_rule_opens_its_golden_vector_and_a_changed_one_is_a_scenario_in_the_address(
    chromium: Browser, context: BrowserContext, site: Path, tidegauge: Command, tmp_path: Path
) -> None:
    page = context.new_page()
    page.goto(HOME + rule_address("VALVE-15"))
    page.locator("#VALVE-15").get_by_role("link", name="Open in the playground").click()
    page.wait_for_selector("html[data-ready]", timeout=PATIENCE)
    page.get_by_label("Compare with").select_option("flink-2.3")
    assert "under flink-2.3" in page.get_by_role("status").inner_text()
    page.get_by_role("button", name="Remove step 1").click()
    page.get_by_text("Paste JSON lines").click()
    page.get_by_label("Steps, or a scenario").fill('{"step":"watermark","channel":1,"timestamp":"MAX"}')
    page.get_by_role("button", name="Add these lines").click()
    asked = parse_qs(urlsplit(page.url).fragment)
    assert json.loads(asked["scenario"][0])["history"][-1]["timestamp"] == "MAX"
    assert asked["beside"] == ["flink-2.3"]
    line = page.locator("#replay").inner_text().splitlines()[0]
    (tmp_path / "scenario.jsonl").write_text(
        line.removeprefix("printf '%s\\n' '").removesuffix("' > scenario.jsonl"), encoding="utf-8"
    )
    printed = tidegauge("expect", "scenario.jsonl", "--profile", "core").stdout
    shown = rows(page)
    assert len(shown) == len(json.loads(asked["scenario"][0])["history"])
    assert all(outputs in printed for _, outputs in shown)
    elsewhere = fresh(chromium, site)
    assert rows(opened(elsewhere, page.url)) == shown
    elsewhere.close()
    promoted = tidegauge("promote", "scenario.jsonl", "--into", "my-vectors")
    assert promoted.returncode == 0, promoted.stderr
    page.get_by_label("Setup, as JSON").fill('{"channels": 0}')
    page.get_by_label("Setup, as JSON").press("Tab")
    expect(page.get_by_role("status")).to_contain_text("`$.setup.channels`")


def test_every_link_into_the_playground_names_a_golden_vector(site: Path) -> None:
    linked = set()
    for page in [*site.glob("*.html"), *(site / "vectors").glob("*.html")]:
        for link in read(page.read_text(encoding="utf-8")).links:
            before, found, name = link.partition(f"{PLAYGROUND}#vector=")
            if found:
                assert before == ("../" if page.parent.name == "vectors" else "")
                linked.add(name)
    assert linked == set(VECTORS)


def test_the_page_is_accessible_and_fits_every_window(context: BrowserContext, root: Path) -> None:
    into = picture_folder(root)
    into.mkdir(parents=True, exist_ok=True)
    page = opened(context, f"{HOME}{PLAYGROUND}#vector={FLUSH}&beside=flink-2.3")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert axe_violations(page) == []
        for width in (390, 768, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            assert overflowing(page) == []
            page.screenshot(path=into / f"playground-{scheme}-{width}.png", full_page=True)
