"""One results document, all of its views: every one of them tells the same numbers."""

from __future__ import annotations

import json
import re
from collections import Counter
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from page_reader import read
from report_samples import of_every_kind, results, rule

from tidegauge.commands.summary import Detail, print_summary
from tidegauge.wire.results import KNOWN_DEVIATIONS, Results, counts_of
from tidegauge.words.conclusion import conclude
from tidegauge.words.verdicts import SIGNS
from tidegauge_reports.comparison.comparison import compare
from tidegauge_reports.comparison.words import sections
from tidegauge_reports.compliance import html
from tidegauge_reports.machines import allure, badge, junit, markdown
from tidegauge_reports.matrix import html as matrix_html
from tidegauge_reports.matrix import markdown as matrix_markdown
from tidegauge_reports.matrix import picture
from tidegauge_reports.matrix.columns import Run
from tidegauge_reports.matrix.table import build_matrix
from tidegauge_reports.site.engines import Engine

RUN = of_every_kind()
COUNTS = counts_of(RUN.rules)
WORDS = {words: COUNTS[kind] for kind, (_, words) in SIGNS.items()}
"""How many rules there are of each kind, by what it is called."""


def numbers(text: str) -> dict[str, int]:
    """The numbers in a list such as `8 pass, 4 fail`, by what they count; nothing is counted twice."""
    found = re.findall(rf"([0-9,]+) ({'|'.join(WORDS)})s?(?![\w ]*\w)", text)
    counts = {words: int(number.replace(",", "")) for number, words in found}
    assert len(counts) == len(found), text
    return counts


def matrix_of(document: Results) -> tuple[str, str, str]:
    """The matrix of one run as a page, a text and a picture."""
    matrix = build_matrix([Run(document)])
    return matrix_html.render(matrix), matrix_markdown.render(matrix), picture.render(matrix)


def test_every_kind_occurs_in_another_number() -> None:
    assert 0 not in COUNTS.values()
    assert len(set(COUNTS.values())) == len(COUNTS)
    assert sum(COUNTS.values()) == len(RUN.rules)
    assert {kind: RUN.counts[kind] for kind in COUNTS} == COUNTS


def test_a_known_deviation_is_counted_as_nothing_else() -> None:
    passing = sum(found.verdict == "pass" for found in RUN.rules)
    failing = sum(found.verdict == "fail" for found in RUN.rules)
    assert (COUNTS["pass"], COUNTS["fail"] + COUNTS[KNOWN_DEVIATIONS]) == (passing, failing)


def test_the_banner_the_map_and_the_filters_of_the_report() -> None:
    page = html.render(RUN)
    banner = re.findall(r'<li class="badge ([\w-]+)">.*?<b>([0-9,]+)</b>', page)
    assert {kind: int(count) for kind, count in banner} == COUNTS
    cells = [(found["class"] or "").split()[1] for found in read(page).with_class("cell") if "href" in found]
    assert Counter(cells) == COUNTS
    rules = [(found["class"] or "").split()[-2:] for found in read(page).with_class("rule")]
    kinds = Counter(next(word for word in words if word in COUNTS) for words in rules)
    assert kinds == COUNTS
    chips = re.findall(r'name="kind" value="([\w-]+)"> <span>.*? <b>(\d+)</b>', page)
    assert {kind: int(count) for kind, count in chips} == COUNTS
    key = page.partition('<p class="key">')[2].partition("</p>")[0]
    told = re.findall(r"</b> ([\w ]+): ([0-9,]+)</span>", key)
    assert {words: int(count) for words, count in told} == WORDS
    notes = re.findall(r"Component <code>[a-z_]+</code>: (.*?)\.</span>", page)
    chapters: Counter[str] = Counter()
    for note in notes:
        chapters.update(numbers(note))
    assert chapters == WORDS


def test_the_headline_and_the_badge() -> None:
    claimed = len(RUN.rules) - COUNTS["not-applicable"]
    assert conclude(RUN).headline == (
        f"ERRORS: {COUNTS['error']} of {claimed} rules; FAILED: {COUNTS['fail']} of {claimed} rules, "
        f"and at least one of {COUNTS['suspect']} suspects is broken"
    )
    assert badge.badge_text(RUN) == f"{COUNTS['error']} of {claimed} in error, {COUNTS['fail']} fail"
    answered = results([found for found in RUN.rules if found.verdict != "error"])
    claimed -= COUNTS["error"]
    assert badge.badge_text(answered) == f"{COUNTS['fail']} of {claimed} fail, {COUNTS['suspect']} suspect"


def test_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(RUN, [])
    printed = capsys.readouterr().out
    last = next(line for line in printed.splitlines() if line.startswith("sample-engine"))
    assert numbers(last.partition(": ")[2].partition(" of ")[0]) == WORDS
    assert f" of {len(RUN.rules)} rules;" in last


def test_the_terminal_says_errors_first(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(RUN, [], Detail(all_of_it=True))
    printed = capsys.readouterr().out
    assert printed.startswith(
        "ERRORS: 3 of 28 rules; FAILED: 4 of 28 rules, and at least one of 5 suspects is broken\n"
    )
    error = (
        "ERROR valve raised ConnectionError in 863 of 2,954 scenarios: lost connection "
        "(first in scenario valve/seed-7/12)\n"
    )
    assert printed.index(error) < printed.index("Traceback")
    assert printed.count("Traceback (most recent call last)") == 1
    assert printed.index("Traceback") < printed.index("VALVE-2 (MUST) The output is the minimum")
    told = printed.partition("VALVE-2 (MUST) The output is the minimum")[2]
    for said in (
        "VALVE-2 stands out, not proven: no known defect explains the difference.",
        "Downstream failure; root cause: VALVE-1. Start there.",
        "valve behaves as valve-guarded-flush and valve-stalled-reactivation together: explains 175 of 175",
        "Pass on thin evidence: fewer than three mutants: VALVE-17.",
        "valve/seed-7/4711",
        "known deviation",
    ):
        assert said in " ".join(told.split())


def test_the_summary_of_a_job() -> None:
    head, _, *rows = re.findall(r"^\| .* \|$", markdown.render(RUN), re.MULTILINE)[:5]
    columns = [cell.strip() for cell in head.strip("|").split("|")][1:]
    cells = [[int(cell.strip(" *")) for cell in row.strip("|").split("|")[1:]] for row in rows]
    assert {
        name: sum(column) for name, column in zip(columns, zip(*cells, strict=True), strict=True)
    } == WORDS
    assert f"### {COUNTS['fail']} failing rules" in markdown.render(RUN)


def test_the_matrix_in_its_three_forms() -> None:
    page, text, drawing = matrix_of(RUN)
    card = page.partition('<article class="card')[2].partition("</article>")[0]
    told = re.findall(r'<span class="tally [\w-]+">(.*?)</span>', card)
    assert numbers(", ".join(unescape(one) for one in told)) == WORDS
    whole = next(line for line in text.splitlines() if line.startswith("| **all**"))
    signs = {letter: COUNTS[kind] for kind, (letter, _) in SIGNS.items()}
    entries = [entry.strip(" *|").split(" ") for entry in whole.removeprefix("| **all** |").split(",")]
    assert {sign: int(count) for count, sign in entries} == signs
    svg = ElementTree.fromstring(drawing)
    desc = svg.findtext("{http://www.w3.org/2000/svg}desc") or ""
    assert numbers(desc.rpartition(": ")[2].rstrip(".")) == WORDS
    shown = " ".join(text.text or "" for text in svg.iter("{http://www.w3.org/2000/svg}text"))
    assert badge.badge_text(RUN) in shown


def test_the_site() -> None:
    engine = Engine("run-1", "mine", RUN, False)
    told = engine.counts(found.id for found in RUN.rules)
    assert {at.kind: count for at, count in told} == COUNTS


def test_junit_and_allure(tmp_path: Path) -> None:
    root = ElementTree.fromstring(junit.render(RUN))
    ids = {found.id for found in RUN.rules}
    found = [case for case in root.iter("testcase") if case.attrib["name"].split()[0] in ids]
    types = Counter(child.attrib["type"] for case in found for child in case)
    flaky = sum(one.flaky is not None for one in RUN.rules)
    assert types == {
        "failure": COUNTS["fail"] - flaky,
        "suspect": COUNTS["suspect"],
        "error": COUNTS["error"],
        "not-tested": COUNTS["not-tested"],
        "skipped": COUNTS["not-applicable"] + COUNTS[KNOWN_DEVIATIONS] + flaky,
    }
    assert sum(len(case) == 0 for case in found) == COUNTS["pass"]
    allure.write(RUN, tmp_path)
    documents = [json.loads(path.read_bytes()) for path in tmp_path.glob("*-result.json")]
    statuses = Counter(one["status"] for one in documents if one["historyId"] in ids)
    assert statuses == {
        "passed": COUNTS["pass"],
        "failed": COUNTS["fail"] + COUNTS["suspect"] - flaky,
        "broken": COUNTS["error"],
        "unknown": COUNTS["not-tested"],
        "skipped": types["skipped"],
    }


def test_a_comparison_with_an_empty_run() -> None:
    (section,) = (
        one for one in sections(compare(results([]), RUN)) if one.title == "Rules only in the new run"
    )
    assert {words: int(count) for words, count, _ in section.rows} == WORDS


def test_a_failing_must_never_conforms() -> None:
    for one in (
        rule(1, "fail"),
        rule(1, "fail", flaky="a race"),
        rule(1, "fail", deviation="as documented"),
        rule(1, "suspect"),
        rule(1, "suspect", flaky="a race"),
        rule(1, "error"),
        rule(1, "not-tested"),
    ):
        for code in (0, 1):
            found = conclude(results([one, *(rule(number) for number in range(2, 9))], exit_code=code))
            assert found.kind != "conforms"
            assert "Conforms" not in found.headline
