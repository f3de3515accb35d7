"""The compliance report in a browser: read, filtered, searched, opened, printed, and its command replayed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from browser import (
    axe_violations,
    chromium,  # noqa: F401
    chromium_executable,
    hues,
    opened,
    overflowing,
    picture_folder,
    take_pictures,
)
from conftest import ROOT, plain_environment, run_module
from playwright.sync_api import Browser, Page, expect
from report_samples import (
    engine_error,
    fitted,
    job_counterexample,
    job_picture,
    known_deviation,
    many_failures,
    property_result,
    results,
    rule,
)

from tidegauge.wire.results import DeviationResult, Results
from tidegauge_reports.compliance.html import render, write
from tidegauge_reports.text import in_natural_order

LINK = "https://example.org/issues/7"
TEXT = f"as the known deviation mutant:valve-no-flush: until version 3 ({LINK})"


def varied() -> Results:
    """A run in which rules stand in every way: at the root, affected, flaky, deviating, suspected."""
    valve = [rule(number) for number in range(1, 15)]
    valve[1] = rule(2, "fail", also_in=["job"])
    valve[2] = rule(3, level="SHOULD")
    valve[4] = known_deviation(5, TEXT, reason=TEXT)
    valve[5] = rule(6, policy="by policy when_equal = twice; core says once")
    valve[6] = rule(7, "fail", flaky=f"a race ({LINK})")
    valve[7] = rule(8, "not-tested", level="MAY")
    valve[8] = rule(9, "fail", suspected=True)
    valve[10] = rule(11, "error")
    valve[11] = rule(12, excludes=["valve-no-flush"], thin=True)
    valve[9] = rule(10, title="What is said twice", sentence="A marmot MUST whistle.")
    return results(
        [
            rule(1, "not-applicable", id="CLOCK-1", component="clock"),
            rule(1, "fail", id="JOB-1", component="job", affected_by=["VALVE-2"], counterexample=job_counterexample()),
            rule(2, "pass", id="JOB-2", component="job"),
            *valve,
        ],
        errors=[engine_error(rules=["VALVE-11"])],
        components=[fitted("valve-no-flush")],
        properties=[property_result("fail", 3)],
        deviations=[
            DeviationResult(
                name="mutant:valve-no-flush",
                rules=["VALVE-5"],
                reason="until version 3",
                link=LINK,
                status="as-known",
                explanation="shown in 5 scenarios",
                shown=5,
                absent=0,
            )
        ],
        jobs=[job_picture(), job_picture(False)],
    )  # fmt: skip


TOTAL = len(varied().rules)
FIRST_RULES = ["JOB-1", "VALVE-2", "VALVE-5", "VALVE-7", "VALVE-9", "VALVE-11"]
"""The rules that show as long as nothing is unfolded: those that do not pass."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the page of `varied`."""
    return write(varied(), tmp_path_factory.mktemp("varied")).as_uri()


@pytest.fixture(scope="module")
def whole(chromium: Browser, sample: str) -> Iterator[Page]:  # noqa: F811
    """That page, for tests that leave it as they found it."""
    with opened(chromium) as (page, seen):
        page.goto(sample)
        yield page
        assert seen.nothing(), seen


@pytest.fixture
def page(whole: Page, sample: str) -> Page:
    """That page as it is at the start."""
    whole.emulate_media(media="screen", color_scheme="light")
    whole.set_viewport_size({"width": 1280, "height": 900})
    whole.goto("about:blank")
    whole.goto(sample)
    return whole


@dataclass(frozen=True)
class RealRun:
    """A run of a wrong valve: where it was made, and its report."""

    folder: Path
    report: Path


@pytest.fixture(scope="module")
def real_run(tmp_path_factory: pytest.TempPathFactory) -> RealRun:
    """The command line, run once."""
    folder = tmp_path_factory.mktemp("run")
    command = run_module(folder, "tidegauge")
    ended = command(
        "run", "--adapter", "mutant:valve-guarded-flush", "--component", "valve", "--budget", "smoke", "-n", "1"
    )  # fmt: skip
    assert ended.returncode == 1, ended.stdout + ended.stderr
    return RealRun(folder, folder / "tidegauge-results" / "report.html")


def visible_rules(page: Page) -> list[str]:
    """The ids of the rules that show, in natural order: on the page failing ones are first."""
    return in_natural_order(page.locator(".rule:visible .id").all_inner_texts())


def visible_cells(page: Page) -> int:
    """How many cells of the map show."""
    return page.locator(".map .cells > li:visible").count()


@pytest.mark.slower
def test_filters_combine_and_act_on_rules_and_map(page: Page) -> None:
    shown = page.locator(".filters [role=status]")
    expect(shown).to_have_text(f"{TOTAL} of {TOTAL} rules")
    page.get_by_role("checkbox", name="fail").check()
    expect(shown).to_have_text(f"4 of {TOTAL} rules")
    assert visible_rules(page) == ["JOB-1", "VALVE-2", "VALVE-7", "VALVE-9"]
    assert visible_cells(page) == 4
    page.get_by_label("Component").select_option("valve")
    assert visible_rules(page) == ["VALVE-2", "VALVE-7", "VALVE-9"]
    expect(page.get_by_role("heading", name="JOB: Whole jobs")).to_be_hidden()
    page.get_by_role("checkbox", name="not tested").check()
    assert visible_rules(page) == ["VALVE-2", "VALVE-7", "VALVE-8", "VALVE-9"]
    page.get_by_role("checkbox", name="MAY").check()
    assert visible_rules(page) == ["VALVE-8"]
    expect(shown).to_have_text(f"1 of {TOTAL} rules")
    page.locator(".filters .clear").click()
    expect(shown).to_have_text(f"{TOTAL} of {TOTAL} rules")
    assert visible_cells(page) == TOTAL
    page.get_by_role("checkbox", name="not applicable").check()
    assert visible_rules(page) == ["CLOCK-1"]


def test_search_looks_into_ids_titles_and_sentences(page: Page) -> None:
    page.keyboard.press("/")
    search = page.get_by_label("Search")
    expect(search).to_be_focused()
    for words, found in {
        "valve-1": ["VALVE-1", *(f"VALVE-{number}" for number in range(10, 15))],
        "SAID twice": ["VALVE-10"],
        "marmot": ["VALVE-10"],
        "job-": ["JOB-1", "JOB-2"],
    }.items():
        search.fill(words)
        assert visible_rules(page) == found
        assert visible_cells(page) == len(found)
    page.keyboard.press("Escape")
    expect(search).to_have_value("")
    assert visible_cells(page) == TOTAL


def test_when_nothing_matches_one_button_brings_all_back(page: Page) -> None:
    expect(page.get_by_text("No rule matches.")).to_be_hidden()
    page.get_by_label("Search").fill("no such / rule")
    expect(page.get_by_text("No rule matches.")).to_be_visible()
    assert page.locator(".chapter:visible, .row:visible").count() == 0
    page.locator(".none").get_by_role("button").click()
    assert visible_cells(page) == TOTAL
    assert visible_rules(page) == FIRST_RULES, "the others are folded"
    expect(page.get_by_label("Search")).to_be_focused()


def test_a_link_shows_its_rule_whatever_the_filters_say(page: Page) -> None:
    page.get_by_role("checkbox", name="fail").check()
    page.locator("#JOB-1").get_by_role("link", name="VALVE-2").click()
    expect(page.locator("#VALVE-2")).to_be_in_viewport()
    page.goto(page.url.split("#")[0] + "#VALVE-10")
    expect(page.locator("#VALVE-10")).to_be_in_viewport()
    expect(page.locator("#VALVE-10 .body")).to_be_visible()
    expect(page.locator(".filters [role=status]")).to_have_text(
        f"4 of {TOTAL} rules, and VALVE-10, which a link led to"
    )
    page.goto(page.url.split("#")[0] + "#CLOCK-1")
    expect(page.locator("#CLOCK-1 .body")).to_be_visible()
    expect(page.locator("#VALVE-10")).to_be_hidden()


def test_known_deviations_are_violet_wherever_they_show(page: Page) -> None:
    assert hues(page, ".badge.known_deviations, .cell.known_deviations, .properties .known b") == {"violet"}
    assert hues(page, ".rule.known_deviations", "borderTopColor") == {"violet"}
    assert page.locator(".properties .known").count() == 1


def test_failures_open_from_the_table_and_from_the_map(page: Page) -> None:
    page.locator("#VALVE-9 > summary").click()
    expect(page.locator("#VALVE-9 .body")).to_be_hidden()
    page.locator(".failures").get_by_role("link", name="VALVE-9").click()
    expect(page.locator("#VALVE-9 .counterexample")).to_be_in_viewport()
    page.locator("#VALVE-2 > summary").click()
    expect(page.locator("#VALVE-2 .body")).to_be_hidden()
    page.locator(".map").get_by_role("link", name="VALVE-2, fail", exact=True).click()
    expect(page.locator("#VALVE-2 .body")).to_be_visible()
    page.locator(".map").get_by_role("link", name="VALVE-1, pass").click()
    expect(page.locator("#VALVE-1 .body")).to_be_visible()


def test_errors_stand_at_the_top_and_their_traceback_is_folded(page: Page) -> None:
    errors = page.locator(".banner section.errors")
    expect(errors).to_be_in_viewport()
    expect(errors).to_contain_text("raised ConnectionError in 863 of 2,954 scenarios: lost connection")
    expect(errors.locator("pre")).to_be_hidden()
    errors.get_by_text("Traceback", exact=True).click()
    expect(errors.locator("pre")).to_contain_text("in idle")
    page.locator(".banner").get_by_role("link", name="VALVE-11").click()
    page.locator("#VALVE-11").get_by_role("link", name="See the errors").click()
    expect(errors).to_be_in_viewport()


def test_all_can_be_reached_by_keyboard(page: Page) -> None:
    focused = "document.activeElement.closest('[id]')?.id + ' ' + document.activeElement.textContent.trim()"
    page.keyboard.press("Tab")
    assert "Skip to the first failure" in page.evaluate(focused)
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    expect(page.get_by_text("Skip to the first failure")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#first-counterexample")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#VALVE-2 > summary")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#VALVE-2 .body")).to_be_hidden()
    page.keyboard.press("Space")
    expect(page.locator("#VALVE-2 .body")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#first-counterexample")).to_be_focused()
    expect(page.locator(".first").get_by_role("button", name="Copy the command")).to_be_visible()
    visited = []
    for _ in range(12):
        page.keyboard.press("Tab")
        visited.append(
            page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent")
        )
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    for expected in ("Timeline of VALVE-2", "Steps of VALVE-2", "Copy the command"):
        assert expected in visited
    page.keyboard.press("/")
    page.keyboard.type("marmot")
    assert visible_rules(page) == ["VALVE-10"]
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("checkbox", name="pass")).to_be_checked()


def test_root_and_affected_rules_and_all_that_is_known_show_at_a_glance(page: Page) -> None:
    table = page.locator(".failures").inner_text()
    assert table.index("Root cause: start here") < table.index("VALVE-2")
    assert table.index("VALVE-2") < table.index("Downstream failures") < table.index("JOB-1")
    cells = [cell.inner_text().split() for cell in page.locator(".row").last.locator(".cell").all()]
    signs = dict(cells)
    assert signs == {
        **{str(number): "P" for number in range(1, 15)}, "2": "F", "5": "F†", "6": "P*", "7": "F~", "8": "?", "9": "F", "11": "E"
    }  # fmt: skip
    assert page.locator(".map").get_by_role("link", name="JOB-1, fail, downstream").inner_text() == "1\n(F)"
    key = page.locator(".key").inner_text()
    for sign in ("(F)", "F†", "P*", "F~"):
        assert sign in key


@pytest.mark.parametrize(
    ("number", "expected"),
    {
        "VALVE-1": ("pass", "MUST", "follow rule 1.", "Intent of rule 1", "If an engine fails it, check", "1,001 scenarios", "in-process"),
        "VALVE-2": ("fail", "What to check:", "shows in job", "watermark 20", "See the counterexample at the top", "1,002 scenarios"),
        "VALVE-5": ("known deviation", "until version 3", LINK, "does not do what the sentence says"),
        "VALVE-6": ("In this profile: by policy when_equal", "in the reading of the profile"),
        "VALVE-7": ("Known to be flaky, so not held against the engine", "a race", LINK, "What to check:"),
        "VALVE-8": ("not tested", "MAY", "reason of rule 8"),
        "VALVE-9": ("fail", "VALVE-9 stands out, not proven", "What to check:"),
        "VALVE-11": ("error", "Error: reason of rule 11", "See the errors"),
        "VALVE-12": ("pass", "Excludes 1 mutant of this rule", "thin evidence: fewer than three mutants"),
        "JOB-1": ("downstream", "root cause: VALVE-2. Start there.", "See its picture: The FLIP-182 job"),
    }.items(),
)  # fmt: skip
def test_a_rule_says_all_that_is_known_of_it(page: Page, number: str, expected: tuple[str, ...]) -> None:
    page.goto(page.url + f"#{number}")
    expect(page.locator(f"#{number} .body")).to_be_visible()
    text = " ".join(page.locator(f"#{number}").inner_text().split())
    for part in expected:
        assert part in text
    for link in page.locator(f"#{number} a[href^=http]").all():
        assert link.get_attribute("href") == LINK


@pytest.mark.slower
def test_the_replay_command_is_copied_and_shows_the_same_difference(
    chromium: Browser,  # noqa: F811
    real_run: RealRun,
) -> None:
    with opened(chromium, permissions=["clipboard-read", "clipboard-write"]) as (page, seen):
        page.goto(real_run.report.as_uri())
        page.locator(".first").get_by_role("button", name="Copy the command").click()
        expect(page.locator(".first").get_by_role("button", name="Copied")).to_be_visible()
        command = page.evaluate("navigator.clipboard.readText()")
        assert command == page.locator(".first pre.command code").first.inner_text()
        difference = page.locator(".first .steps .diverges").inner_text().split("\t")
        take_pictures(page, "failing-rule", picture_folder(ROOT))
        assert seen.nothing(), seen
    scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ended = subprocess.run(
        command,
        shell=True,
        cwd=real_run.folder,
        env={**plain_environment(), "PATH": scripts},
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    first = next(line for line in ended.stdout.splitlines() if line.startswith("->"))
    assert [" ".join(part.split()) for part in first.split("  ") if part.strip()][-2:] == difference[-2:]


def test_without_javascript_all_is_there_and_nothing_dead(chromium: Browser, sample: str) -> None:  # noqa: F811
    with opened(chromium, java_script_enabled=False) as (page, seen):
        page.goto(sample)
        for dead in ("button", "input", "select", ".filters", ".none", "[role=status]"):
            assert page.locator(dead).locator("visible=true").count() == 0, dead
        assert visible_rules(page) == FIRST_RULES
        page.locator(".map").get_by_role("link", name="VALVE-9").click()
        expect(page.locator("#VALVE-9 .counterexample")).to_be_in_viewport()
        page.get_by_text("9 other rules of VALVE").click()
        page.locator("#VALVE-10 > summary").click()
        expect(page.get_by_text("A marmot MUST whistle.")).to_be_visible()
        assert seen.nothing(), seen


def test_on_paper_failures_are_open_and_there_are_no_controls(page: Page) -> None:
    page.emulate_media(media="print")
    assert page.locator(".rule:visible .id").all_inner_texts() == [
        "JOB-1",
        "VALVE-2",
        "VALVE-7",
        "VALVE-9",
        "VALVE-11",
    ]
    assert page.locator(".rule .sentence:visible").count() == 5
    expect(
        page.get_by_text("On paper, only rules that fail or are in error are shown in full.")
    ).to_be_visible()
    for control in ("button", "input", "select", ".skip", ".filters"):
        assert page.locator(control).locator("visible=true").count() == 0, control
    page.emulate_media(media="screen")
    page.get_by_role("checkbox", name="pass").check()
    page.emulate_media(media="print")
    expect(page.locator(".filters .shown")).to_be_visible()
    expect(page.get_by_text("On paper, only rules")).to_be_hidden()
    assert page.locator(".rule .sentence:visible").count() == 9
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 0


@pytest.mark.parametrize(
    ("theme", "width"), [pytest.param("light", 1280, marks=pytest.mark.slower), ("dark", 390)]
)
def test_no_rule_of_wcag_is_broken(page: Page, theme: Literal["light", "dark"], width: int) -> None:
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    assert axe_violations(page) == []
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    page.get_by_role("checkbox", name="fail").check()
    assert axe_violations(page) == []


@pytest.mark.slower
def test_pictures_are_taken_and_no_window_is_too_narrow(
    page: Page,
    tmp_path: Path,
) -> None:
    take_pictures(page, "failing", picture_folder(ROOT))
    page.goto(write(results(), tmp_path).as_uri())
    take_pictures(page, "passing", picture_folder(ROOT))
    for address in (page.url, write(varied(), tmp_path).as_uri()):
        page.goto(address)
        for width in (1280, 700, 390, 320):
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
            assert overflowing(page) == [], width


@pytest.mark.slower
def test_thousands_of_failures_stay_findable_on_a_page_of_less_than_10_megabytes(
    chromium: Browser,  # noqa: F811
    tmp_path: Path,
) -> None:
    report = write(many_failures(5000), tmp_path)
    assert report.stat().st_size < 10_000_000
    with opened(chromium) as (page, seen):
        page.goto(report.as_uri())
        assert page.locator(".rule").count() == page.locator(".map .cells > li").count() == 5000
        assert page.locator(".rule.brief .command").count() > 1000
        assert "failures are shown without all details" in page.locator(".open-note").first.inner_text()
        page.get_by_label("Search").fill("PART9-500")
        expect(page.locator(".filters [role=status]")).to_have_text("1 of 5000 rules")
        last = page.locator("#PART9-500")
        for said in ("situation 500", "counterexamples/PART9-500.jsonl", "tidegauge replay"):
            expect(last).to_contain_text(said)
        last.get_by_role("button", name="Copy the command").scroll_into_view_if_needed()
        page.get_by_label("Search").fill("")
        page.locator(".map").get_by_role("link", name="250 (F)").first.click()
        expect(page.locator("#PART1-250")).to_be_in_viewport()
        assert seen.nothing(), seen


def test_the_style_of_pictures_is_on_the_page_once() -> None:
    page = render(varied())
    assert page.count("<style>") == 1
    assert page.count(".timeline .paper {") == 1
    assert page.count(".job-timeline .paper {") == 1


def test_a_missing_browser_is_said_in_one_line_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("TIDEGAUGE_CHROMIUM", raising=False)
    with pytest.raises(
        pytest.fail.Exception, match=r"^no Chromium found: run \.ci/chromium.*TIDEGAUGE_CHROMIUM$"
    ):
        chromium_executable()
    monkeypatch.setenv("TIDEGAUGE_CHROMIUM", "/no/such/file")
    with pytest.raises(
        pytest.fail.Exception, match=r"^TIDEGAUGE_CHROMIUM: /no/such/file cannot be run: run "
    ):
        chromium_executable()
