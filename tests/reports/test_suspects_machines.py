"""Suspects in `junit.xml`, in Allure and in `summary.md`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from report_samples import (
    results,
    rule,
    suspects,
)
from suspect_samples import BY_PROPERTY, HEADING, RUN, SAYS_LESS, UNEXPLAINED, UNTRIED, between

from tidegauge.wire.results import ItemResult, Results
from tidegauge_reports.machines import allure, junit, markdown


def case(run: Results, name: str) -> Element:
    """Return the element in the test case of a rule that does not pass: failure, error or skipped."""
    root = ElementTree.fromstring(junit.render(run))
    (found,) = (one for one in root.iter("testcase") if one.attrib["name"].startswith(f"{name} "))
    return found[0]


def test_each_suspect_is_a_failure_of_its_own_type_that_names_the_others() -> None:
    assert ElementTree.fromstring(junit.render(RUN)).attrib["failures"] == "3"
    for name in ("VALVE-2", "VALVE-9"):
        failure = case(RUN, name)
        assert (failure.tag, failure.attrib["type"]) == ("failure", "suspect")
        said = "Suspect (one of VALVE-2, VALVE-9 is broken): expected watermark 20; got nothing"
        assert failure.attrib["message"] == said
        for part in (
            "One of these rules is broken:\n  VALVE-2 (MUST) Title of rule 2\n  VALVE-9 (MUST)",
            "One of VALVE-2, VALVE-9 is broken: no known defect explains the difference.",
            "Plausibility, 0 to 1: VALVE-2 0.60, VALVE-9 0.30",
        ):
            assert part in (failure.text or "")
    assert case(RUN, "VALVE-7").attrib["type"] == "failure"
    alone = case(results(suspects(2)), "VALVE-2")
    assert alone.attrib["message"].startswith("Suspect (VALVE-2 may be broken): expected")


def test_suspects_account_for_the_item_that_found_their_difference() -> None:
    found = ItemResult(
        id="valve-scale", outcome="failed", scenarios=13, steps=90, duration_s=1, text="6 fail"
    )
    document = junit.render(results(suspects(2, 9), items=[found]))
    assert ElementTree.fromstring(document).attrib["failures"] == "2"
    assert b"no rule could be named" not in document


def test_allure_files_suspects_under_a_category_and_a_tag_of_their_own(tmp_path: Path) -> None:
    allure.write(RUN, tmp_path)
    found = {
        one["historyId"]: one
        for one in map(json.loads, (p.read_bytes() for p in tmp_path.glob("*-result.json")))
    }
    categories = json.loads((tmp_path / "categories.json").read_bytes())
    filed = {
        name: [
            category["name"]
            for category in categories
            if re.fullmatch(category["messageRegex"], found[name]["statusDetails"]["message"])
        ]
        for name in ("VALVE-2", "VALVE-7")
    }
    assert filed == {"VALVE-2": ["Suspects: one of several rules is broken"], "VALVE-7": ["Broken rules"]}
    assert found["VALVE-2"]["status"] == "failed"
    tags = {name: [one["value"] for one in found[name]["labels"] if one["name"] == "tag"] for name in filed}
    assert tags == {"VALVE-2": ["MUST", "suspect"], "VALVE-7": ["MUST"]}


def test_the_suspects_of_a_difference_share_one_entry_of_the_summary() -> None:
    text = markdown.render(results([*suspects(2, 9), *suspects(3, 5, 4), rule(7, "fail"), rule(8)]))
    assert text.startswith("## ❌ FAILED: 1 of 7 rules, and at least one of 5 suspects is broken\n")
    assert "| The status-watermark valve | 1 | **1** | **5** |" in text
    assert re.findall("^###+ (.*)$", text, re.MULTILINE) == [
        "1 failing rule",
        "VALVE-7 (MUST) Title of rule 7",
        "Suspects",
        HEADING,
        "One of these rules is broken: VALVE-3, VALVE-5, VALVE-4",
    ]
    entry = between(text, f"{HEADING}\n", "#### ")
    assert "* **VALVE-2** Title of rule 2 (plausibility 0.60)\n* **VALVE-9** Title of rule 9 (plau" in entry
    assert entry.count("expected: watermark 20\n") == entry.count("tidegauge replay ") == 1
    assert "No known defect explains the difference." in entry


def test_the_summary_says_why_where_there_is_no_counterexample() -> None:
    text = markdown.render(results(suspects(2, 9, counterexample=None, reason=BY_PROPERTY)))
    assert "the property P is violated" in text
    text = markdown.render(results([UNTRIED]))
    assert "#### VALVE-3 may be broken\n" in text
    assert "The engine behaves as valve-x as far as it ran." in text
    assert "No known defect" not in text


def test_the_summary_says_of_which_components_a_pass_says_less() -> None:
    assert f"A pass in valve {SAYS_LESS}" in markdown.render(RUN)
    assert SAYS_LESS not in markdown.render(results(suspects(2, 9), components=[UNEXPLAINED])), "none passes"
    assert SAYS_LESS not in markdown.render(results(RUN.rules))


def test_thousands_of_suspects_stay_a_summary() -> None:
    many = [one for number in range(2500) for one in suspects(2 * number, 2 * number + 1)]
    written = markdown.render(results(many))
    assert len(written.encode()) <= markdown.MOST_BYTES
    assert "Not shown here for want of room, see `report.html`: VALVE-" in written
    assert " and others." in written
