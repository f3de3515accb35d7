"""Suspects in the compliance report: one card for each difference, with the counterexample."""

from __future__ import annotations

import re

import pytest
from page_reader import Reader, read
from report_samples import (
    fitted,
    job_counterexample,
    job_picture,
    results,
    rule,
    suspects,
)
from suspect_samples import BY_PROPERTY, HEADING, RUN, SAYS_LESS, UNTRIED, between

from tidegauge.wire.results import Suspect
from tidegauge_reports.compliance import html
from tidegauge_reports.compliance.forms import MOST_OPEN


def report(*rules: object, **fields: object) -> Reader:
    """Return the compliance report of a run with these rules."""
    return read(html.render(results(list(rules), **fields)))  # type: ignore[arg-type]


def test_one_card_has_the_heading_the_rules_and_the_one_counterexample() -> None:
    reader = read(html.render(RUN))
    (card,) = reader.with_class("card-of-suspects")
    assert (card["id"], "open" in card) == ("suspects-VALVE-2", True)
    text = between(reader.text, f"S suspect {HEADING}", "Search")
    assert text.startswith(
        " VALVE-2 Title of rule 2 plausibility 0.60 VALVE-9 Title of rule 9 plausibility 0.30 "
        "No known defect explains the difference. The most plausible rule is first (plausibility, 0 to 1). "
        "Minimal counterexample"
    )
    assert "Expected watermark 20 Got nothing" in text
    assert len(reader.with_class("timeline")) == len(reader.with_class("counterexample")) == 2, (
        "and that of VALVE-7"
    )
    assert {"#VALVE-2", "#VALVE-9"} <= set(reader.links)


def test_the_card_stands_after_the_failures_and_above_the_rules() -> None:
    text = read(html.render(RUN)).text
    places = [
        text.index(part)
        for part in ("What fails", f"S suspect {HEADING}", "All rules at a glance", "VALVE-1 Title")
    ]
    assert places == sorted(places)
    assert "#suspects-VALVE-2" in report(rule(1), *suspects(2, 9)).links, "skip to the first failure"


def test_the_rule_of_a_suspect_leads_to_its_card_and_says_what_to_check() -> None:
    reader = report(*suspects(2, 9))
    rows = [found["class"] for found in reader.with_class("rule")]
    assert rows == ["rule suspect", "rule suspect"]
    for number in (2, 9):
        row = between(reader.text, f"The valve MUST follow rule {number}.", "Why the rule exists")
        assert row.startswith(" Suspect: one of VALVE-2, VALVE-9 is broken: scenario valve/shrunk-1 differs")
        assert "See the counterexample" in row
        assert f"What to check: that rule {number} is implemented." in row
    assert len(reader.with_class("counterexample")) == 1
    assert reader.links.count("#suspects-VALVE-2") == 3


def test_a_suspect_of_two_differences_is_on_both_cards() -> None:
    both = [Suspect("VALVE-5", 0.4), Suspect("VALVE-2", 0.3), Suspect("VALVE-7", 0.2)]
    one_of = "one of VALVE-5, VALVE-2, VALVE-7"
    reader = report(
        *suspects(2, 9), rule(5, "suspect", suspects=both, reason=f"{one_of} is broken: x"), rule(7, "fail")
    )
    text = between(reader.text, "One of these rules is broken: VALVE-5, VALVE-2, VALVE-7", "Search")
    assert "VALVE-2 Title of rule 2 plausibility 0.30" in text
    assert "VALVE-7 Title of rule 7 F fail plausibility 0.20" in text
    assert [card["id"] for card in reader.with_class("card-of-suspects")] == [
        "suspects-VALVE-2",
        "suspects-VALVE-5",
    ]


@pytest.mark.parametrize(("cards", "are_open"), [(MOST_OPEN, MOST_OPEN), (MOST_OPEN + 1, 1), (10, 1)])
def test_of_many_cards_only_the_first_is_open(cards: int, are_open: int) -> None:
    many = [suspect for number in range(cards) for suspect in suspects(2 * number, 2 * number + 1)]
    shown = report(*many).with_class("card-of-suspects")
    assert [number for number, card in enumerate(shown) if "open" in card] == list(range(are_open))


def test_a_suspect_of_a_model_that_was_not_tried_says_so() -> None:
    text = between(report(UNTRIED).text, "S suspect VALVE-3 may be broken", "Search")
    assert text.startswith(" VALVE-3 Title of rule 3 The engine behaves as valve-x as far as it ran.")
    assert "No known defect" not in text
    assert "plausibility" not in text
    assert "Expected watermark 20" in text


def test_a_card_without_a_counterexample_says_why() -> None:
    text = report(*suspects(2, 9, counterexample=None, reason=BY_PROPERTY)).text
    assert "the property P is violated" in between(text, HEADING, "Search")
    assert "See the suspects" in text


def test_a_pass_beside_unexplained_differences_says_less() -> None:
    text = read(html.render(RUN)).text
    head = "1 fail, 2 suspects, 1 not tested. Open a rule to read it."
    assert f"Component valve : 1 pass, {head} A pass here {SAYS_LESS}" in text
    assert text.count(SAYS_LESS) == 1, "not of the clock, which has no difference"
    explained = results(RUN.rules, components=[fitted("valve-x")])
    assert SAYS_LESS not in read(html.render(explained)).text


def test_a_job_shows_the_suspects_of_its_difference() -> None:
    found = suspects(2, 9, counterexample=job_counterexample())
    reader = report(*found, jobs=[job_picture(), job_picture(False)])
    assert f"{HEADING} : at 4450 ms subtask 1 is 40050 ms ahead" in reader.text
    assert "(one of VALVE-2, VALVE-9 is broken)" in between(reader.text, "Pictures:", "Rules")
    assert "See its picture: " in between(reader.text, HEADING, "Search")


def test_thousands_of_suspects_stay_a_page() -> None:
    many = [one for number in range(1500) for one in suspects(2 * number, 2 * number + 1)]
    page = html.render(results(many))
    reader = read(page)
    assert len(page) < 10_000_000
    assert len(reader.with_class("card-of-suspects")) == 1500
    in_brief = reader.text.count("; this shows them:")
    assert in_brief > 500
    assert in_brief + len(reader.with_class("counterexample")) == 1500
    shortened = re.search(r"([\d,]+) failures are shown without all details", reader.text)
    assert shortened
    assert int(shortened[1].replace(",", "")) == 1500 - len(reader.with_class("timeline"))
