"""Suspects in words, on the terminal, in the matrix, in comparisons, on the site and in known deviations."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from page_reader import read
from report_samples import (
    fitted,
    missing_minimum,
    results,
    rule,
    suspects,
)
from suspect_samples import BY_PROPERTY, HEADING, RUN, SAYS_LESS, UNEXPLAINED

from tidegauge.commands.console import OUT
from tidegauge.commands.deviations import bring_up_to_date
from tidegauge.commands.summary import Detail, print_summary
from tidegauge.wire.results import Verdict
from tidegauge.words.conclusion import conclude
from tidegauge.words.suspects import suspected_together
from tidegauge_reports.commands.explain import print_dossier
from tidegauge_reports.comparison.comparison import Comparison, compare
from tidegauge_reports.comparison.words import headline, sections
from tidegauge_reports.matrix import html as matrix_html
from tidegauge_reports.matrix import markdown as matrix_markdown
from tidegauge_reports.matrix import picture
from tidegauge_reports.matrix.columns import Run
from tidegauge_reports.matrix.table import build_matrix
from tidegauge_reports.site.dossier import dossier
from tidegauge_reports.site.engines import Engine
from tidegauge_spec import load_registry


def test_the_headline_says_that_one_of_them_is_broken() -> None:
    assert (
        conclude(results([rule(1), *suspects(2, 9)])).headline == "FAILED: one of VALVE-2, VALVE-9 is broken"
    )
    assert conclude(RUN).headline == "FAILED: 1 of 6 rules, and one of VALVE-2, VALVE-9 is broken"
    several = results([*suspects(2, 9), *suspects(3, 5, 4)])
    assert conclude(several).headline == "FAILED: at least one of 5 suspects is broken"
    assert conclude(results(suspects(2))).headline == "FAILED: VALVE-2 may be broken"


def test_suspects_of_one_difference_stand_together_the_most_plausible_first() -> None:
    run = results([rule(1), *reversed(suspects(9, 2)), *suspects(3, 5)])
    groups = [[one.id for one in together] for together in suspected_together(run)]
    assert groups == [["VALVE-9", "VALVE-2"], ["VALVE-3", "VALVE-5"]]


def test_an_answer_that_changes_is_said_of_suspects_as_of_failures() -> None:
    changing = missing_minimum(deterministic=False)
    found = [*suspects(2, 9, counterexample=changing), rule(7, "fail", counterexample=changing)]
    said = "In 1 failing rule and 2 suspects the engine gave another answer in a second run."
    assert said in conclude(results(found)).remarks
    assert said.replace("1 failing rule and ", "") in conclude(results(found[:2])).remarks


def test_the_terminal_prints_a_difference_once(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(RUN, [], Detail(all_of_it=True))
    said = capsys.readouterr().out
    assert said.count("One of these rules is broken:") == 1
    assert said.count("Replay: ") == 2
    assert said.index("VALVE-2 (MUST) The output is") < said.index("One of these rules is broken:"), (
        "fails first"
    )
    assert "One of VALVE-2, VALVE-9 is broken: no known defect explains the difference.\n" in said
    assert "Plausibility, 0 to 1: VALVE-2 0.60, VALVE-9 0.30\n" in said
    assert f"A pass in valve {SAYS_LESS}\n" in said


def test_a_difference_that_was_printed_during_the_run_is_named_by_its_suspects(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = suspects(2, 9, counterexample=missing_minimum(message="One of:\nOn a valve\n  expected"))
    for guess, there in (("VALVE-9", ""), ("VALVE-4", ", there under VALVE-4")):
        print_summary(results(found), [], Detail(shown=f"{guess} (MUST) x\nOn a valve\n  expected"))
        assert f"{HEADING}: the first difference above{there}\n" in capsys.readouterr().out


def test_suspects_without_a_counterexample_are_printed_with_their_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_summary(results(suspects(2, 9, counterexample=None, reason=BY_PROPERTY)), [])
    assert f"{HEADING} ({BY_PROPERTY})\n" in capsys.readouterr().out


def test_the_matrix_has_a_sign_of_its_own_for_suspects() -> None:
    matrix = build_matrix([Run(RUN), Run(results([rule(2), rule(9)]))])
    page = matrix_html.render(matrix)
    assert (
        page.count(
            '<span class="sign suspect" aria-hidden="true">S</span><span class="unseen">suspect</span>'
        )
        == 2
    )
    assert '<b class="sign suspect">S</b> suspect' in page
    assert "2 S 2 suspects" in read(page).text
    text = matrix_markdown.render(matrix)
    assert "**2 S**" in text
    assert "| VALVE-2 Title of rule 2 | **S** | P |" in text
    assert "S suspect" in text
    assert sum(row.failing for row in matrix.rows) == 3
    for beside in (None, picture.NARROW):
        svg = ElementTree.fromstring(picture.render(matrix, beside))
        texts = [found.text for found in svg.iter("{http://www.w3.org/2000/svg}text")]
        assert texts.count("2S") == 1
        assert texts[texts.index("S") + 1] == "suspect"
        assert ".verdict-bars .suspect" in picture.render(matrix, beside)


def became(old: Verdict, new: Verdict) -> Comparison:
    """Return the comparison of two runs in which the verdict on VALVE-2 changes."""
    before, after = (suspects(2, 9)[0] if one == "suspect" else rule(2, one) for one in (old, new))
    return compare(results([before]), results([after]))


@pytest.mark.parametrize(
    ("old", "new", "kind", "worse"),
    [
        ("pass", "suspect", "newly suspect", True),
        ("not-tested", "suspect", "newly suspect", True),
        ("error", "suspect", "newly suspect", True),
        ("not-applicable", "suspect", "newly suspect", True),
        ("fail", "suspect", "other", False),
        ("suspect", "fail", "newly failing", True),
        ("suspect", "error", "newly in error", True),
        ("suspect", "pass", "newly passing", False),
        ("suspect", "not-tested", "other", False),
    ],
)
def test_a_rule_that_becomes_a_suspect_is_a_regression(
    old: Verdict, new: Verdict, kind: str, worse: bool
) -> None:
    found = became(old, new)
    assert [change.kind for change in found.rules] == [kind]
    assert found.worse is worse


def test_a_comparison_says_which_rules_are_newly_suspect() -> None:
    found = compare(results([rule(2), rule(9), rule(7)]), results([*suspects(2, 9), rule(7, "fail")]))
    assert headline(found) == "Worse: 1 rule newly fails, 2 rules are newly suspect"
    assert headline(became("pass", "suspect")) == "Worse: 1 rule is newly suspect"
    failing, suspected, *_ = sections(found)
    assert (failing.title, suspected.title, suspected.worse) == ("Newly failing", "Newly suspect", True)
    assert [row[1] for row in suspected.rows] == ["pass → suspect"] * 2
    assert suspected.rows[0][3] == "one of VALVE-2, VALVE-9 is broken: expected watermark 20; got nothing"
    assert compare(results(suspects(2, 9)), results(suspects(2, 9))).same


def test_the_site_counts_suspects_after_failures_and_explain_says_of_which_difference(
    capsys: pytest.CaptureFixture[str],
) -> None:
    engine = Engine("run-1", "mine", RUN, False)
    told = engine.counts(one.id for one in RUN.rules)
    assert [(at.sign, count) for at, count in told] == [("F", 1), ("S", 2), ("?", 1), ("P", 2)]
    print_dossier(dossier(load_registry().rules["VALVE-2"], [engine]))
    text = " ".join(capsys.readouterr().out.split())
    assert "mine: suspect, 2026-01-01" in text
    assert "exercised in 1,002 scenarios one of VALVE-2, VALVE-9 is broken: scenario" in text


def test_a_suspect_is_no_deviation_unless_the_diagnosis_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "known.toml"
    bring_up_to_date(path, results(suspects(2, 9), components=[UNEXPLAINED]), OUT)
    assert "[[deviation]]" not in path.read_text(encoding="utf-8")
    said = capsys.readouterr().out
    assert (
        said == "one of VALVE-2, VALVE-9 is broken: no policy value and no mutant describes the difference\n"
    )
    bring_up_to_date(path, results([rule(15, "suspect")], components=[fitted("valve-no-flush")]), OUT)
    assert 'like = "mutant:valve-no-flush"' in path.read_text(encoding="utf-8")
    assert "describes the difference" not in capsys.readouterr().out
