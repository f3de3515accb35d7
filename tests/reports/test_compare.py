"""`tidegauge compare`: what got worse, what got better, and how far two runs can be compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from markdown_it import MarkdownIt
from msgspec.structs import replace
from report_samples import component_result, engine_error, known_deviation, property_result, results, rule

from tidegauge.wire.implementation import Implementation
from tidegauge.wire.results import DeviationResult, Results, RuleResult, Verdict, encode_results, read_results
from tidegauge_reports.comparison.comparison import Comparison, compare
from tidegauge_reports.comparison.markdown import render
from tidegauge_reports.comparison.words import MOST_ROWS, caveats, headline, sections

HOSTILE = "\"'><script>alert(1)</script> [x](javascript:alert(2)) |\n| *a* @all\x00\x1b[31m\u202e\ud800"


def run(*rules: RuleResult, **fields: Any) -> Results:
    """A run with these rules."""
    return results(list(rules), **fields)


def changed(old: Verdict, new: Verdict, **fields: Any) -> Comparison:
    """A rule that went from one verdict to another; `fields` are of its new result."""
    return compare(run(rule(1, old)), run(rule(1, new, **fields)))


def titles(comparison: Comparison) -> list[str]:
    """The sections that a comparison has."""
    return [section.title for section in sections(comparison)]


def deviation(**fields: Any) -> DeviationResult:
    """A known deviation."""
    values: dict[str, Any] = {
        "name": "mutant:valve-no-flush",
        "rules": ["VALVE-2"],
        "reason": "until version 3",
        "link": "https://example.org/7",
        "status": "as-known",
        "explanation": "shown in 3 scenarios",
        "shown": 3,
        "absent": 0,
    }
    return DeviationResult(**{**values, **fields})


@pytest.mark.parametrize(
    ("old", "new", "kind", "worse"),
    [
        ("pass", "fail", "newly failing", True),
        ("not-tested", "fail", "newly failing", True),
        ("error", "fail", "newly failing", True),
        ("pass", "error", "newly in error", True),
        ("fail", "error", "newly in error", True),
        ("not-tested", "error", "newly in error", True),
        ("not-applicable", "fail", "newly failing", True),
        ("pass", "not-tested", "verdict lost", True),
        ("pass", "not-applicable", "no longer claimed", True),
        ("fail", "not-applicable", "no longer claimed", True),
        ("fail", "pass", "newly passing", False),
        ("not-tested", "pass", "newly passing", False),
        ("error", "pass", "newly passing", False),
        ("not-applicable", "pass", "newly passing", False),
        ("fail", "not-tested", "other", False),
        ("error", "not-tested", "other", False),
        ("not-applicable", "not-tested", "other", False),
    ],
)
def test_what_a_change_of_verdict_is(old: Verdict, new: Verdict, kind: str, worse: bool) -> None:
    found = changed(old, new)
    assert [change.kind for change in found.rules] == [kind]
    assert found.worse is worse


@pytest.mark.parametrize("verdict", ["pass", "fail", "error", "not-applicable", "not-tested"])
def test_the_same_run_has_no_changes(verdict: Verdict) -> None:
    found = changed(verdict, verdict)
    assert found.same
    assert not found.worse
    assert (headline(found), sections(found)) == ("Nothing changed", [])


def test_what_is_flaky_is_listed_and_does_not_count() -> None:
    found = changed("pass", "fail", flaky="the clock jumps")
    assert not found.worse
    assert headline(found) == "Nothing got worse"
    assert [section.title for section in sections(found)] == ["Newly failing"]
    assert "known to be flaky" in sections(found)[0].rows[0][1]


def test_an_engine_that_newly_crashes_got_worse_whatever_its_verdicts_are() -> None:
    old = run(rule(1), rule(2, "fail"), components=[component_result(175)])
    new = run(rule(1), rule(2, "fail"), components=[component_result(90, 863)], errors=[engine_error()])
    found = compare(old, new)
    assert found.worse
    assert headline(found) == "Worse: more errors in valve"
    section = sections(found)[0]
    assert (section.title, section.worse) == ("Errors and failing scenarios", True)
    assert section.rows == [
        (
            "valve",
            "0 → 863",
            "175 → 90",
            "2,954 → 2,954",
            "raised ConnectionError in 863 of 2,954 scenarios: lost connection",
        )
    ]
    assert not compare(new, old).worse
    bare = run(rule(1), rule(2, "fail"), components=[component_result(175)], errors=[engine_error()])
    assert compare(old, bare).worse, "errors count even if the components do not tell of them"
    newly = compare(run(rule(1), rule(2)), run(rule(1, "error"), rule(2)))
    assert headline(newly) == "Worse: 1 rule is newly in error"


def test_more_errors_in_as_many_scenarios_are_worse_and_fewer_are_not() -> None:
    few, many = (run(rule(1, "error"), components=[component_result(0, errors)]) for errors in (3, 863))
    assert compare(few, many).worse
    assert not compare(many, few).worse
    drawn_otherwise = run(rule(1, "error"), components=[component_result(0, 863, scenarios=300_000)])
    assert not compare(few, drawn_otherwise).worse


def test_numbers_of_failing_scenarios_that_change_are_a_change() -> None:
    old = run(rule(1, "fail"), components=[component_result(175), component_result(component="clock")])
    new = run(rule(1, "fail"), components=[component_result(176), component_result(component="clock")])
    found = compare(old, new)
    assert not found.worse
    assert not found.same
    assert headline(found) == "No verdict changed, the numbers of failing scenarios did"
    assert [row[0] for row in sections(found)[0].rows] == ["valve"]
    assert headline(compare(old, old)) == "Nothing changed"


def test_a_known_deviation_is_no_pass_and_its_loss_is_seen() -> None:
    for old, new, kind, worse in (
        (rule(1, "fail"), known_deviation(1), "other", False),
        (rule(1), known_deviation(1), "other", False),
        (known_deviation(1), rule(1), "newly passing", False),
        (known_deviation(1), rule(1, "fail"), "newly failing", True),
        (known_deviation(1), rule(1, "not-tested"), "verdict lost", True),
        (known_deviation(1), rule(1, "error"), "newly in error", True),
    ):
        found = compare(run(old), run(new))
        assert [(change.kind, change.worse) for change in found.rules] == [(kind, worse)]
    found = compare(run(rule(1, "fail")), run(known_deviation(1, "as the known deviation mutant:x")))
    assert sections(found)[0].rows[0][1:] == (
        "fail → known deviation",
        "Title of rule 1",
        "as the known deviation mutant:x",
    )


def test_rules_that_come_and_go() -> None:
    found = compare(run(rule(1), rule(2, "fail"), rule(3)), run(rule(3), rule(4, "fail"), spec="1.1"))
    assert [one.id for one in found.added] == ["VALVE-4"]
    assert [one.id for one in found.removed] == ["VALVE-1", "VALVE-2"]
    assert not found.worse
    assert "Other spec: 1.0 before, 1.1 now" in caveats(found)[0]
    assert [(section.title, section.rows) for section in sections(found)][:2] == [
        ("Rules only in the new run", [("fail", "1", "VALVE-4")]),
        ("Rules only in the old run", [("fail", "1", "VALVE-2"), ("pass", "1", "VALVE-1")]),
    ]


def test_a_rule_that_passed_and_is_not_in_the_new_run_has_lost_its_verdict() -> None:
    old = run(rule(1), rule(2, "not-applicable"), rule(3))
    found = compare(old, run(rule(3), selection={"components": "", "rules": "VALVE-3"}))
    assert found.worse
    assert headline(found) == "Worse: 1 rule is no longer tested"
    assert [one.id for one in found.lost] == ["VALVE-1"]
    assert any("Other selection: everything before, rules VALVE-3 now" in said for said in caveats(found))
    assert not compare(run(rule(2, "not-applicable"), rule(3)), run(rule(3))).worse


def test_properties_that_are_newly_violated() -> None:
    old, new = [property_result()], [property_result("fail", 3)]
    found = compare(run(rule(1), properties=old), run(rule(1), properties=new))
    assert found.worse
    assert headline(found) == "Worse: 1 property is newly violated or in error"
    assert not compare(run(rule(1), properties=new), run(rule(1), properties=old)).worse
    assert not compare(run(rule(1), properties=[]), run(rule(1), properties=new)).worse
    error = [property_result("error")]
    assert compare(run(rule(1), properties=old), run(rule(1), properties=error)).worse
    known = [replace(new[0], deviation="d")]
    assert not compare(run(rule(1), properties=old), run(rule(1), properties=known)).worse
    flaky = [replace(new[0], flaky="the clock")]
    assert not compare(run(rule(1), properties=old), run(rule(1), properties=flaky)).worse


def test_known_deviations_that_changed() -> None:
    old = run(rule(1), deviations=[deviation(), deviation(name="gone"), deviation(name="kept")])
    new = run(rule(1), deviations=[deviation(status="stale"), deviation(name="kept"), deviation(name="new")])
    found = compare(old, new)
    assert [
        (one.name, one.old and one.old.status, one.new and one.new.status) for one in found.deviations
    ] == [
        ("mutant:valve-no-flush", "as-known", "stale"),
        ("new", None, "as-known"),
        ("gone", "as-known", None),
    ]
    assert not found.worse


def test_coverage_that_fell_by_more_than_half() -> None:
    old = [rule(number, scenarios=100, steps=1000) for number in range(1, 7)]
    new = [
        rule(1, scenarios=50, steps=500),
        rule(2, scenarios=49, steps=1000),
        rule(3, scenarios=100, steps=499),
        rule(4, scenarios=0, steps=0),
        rule(5, "not-applicable", scenarios=0, steps=0),
        rule(6, scenarios=900, steps=9000),
    ]
    found = compare(run(*old), run(*new))
    assert [(fall.id, fall.to_nothing) for fall in found.coverage.falls] == [
        ("VALVE-4", True), ("VALVE-2", False), ("VALVE-3", False)
    ]  # fmt: skip
    section = next(one for one in sections(found) if one.title.startswith("Exercised"))
    assert section.rows[0] == ("VALVE-4", "100 → 0", "1,000 → 0")
    assert section.remark == ""
    less = compare(run(*old), run(*new, budget="smoke"))
    section = next(one for one in sections(less) if one.title.startswith("Exercised"))
    assert section.remark == "The budgets differ, which explains it."
    assert "Other budget: default before, smoke now; that explains changes of coverage." in caveats(less)


def test_what_makes_two_runs_hard_to_compare_is_said() -> None:
    engine = Implementation(
        name="other-engine",
        version="5",
        capabilities=("valve", "int64"),
        options={"engine": "slow"},
        layer="streaming",
    )
    new = run(rule(1), implementation=engine, profile="spark-4", seed=7, complete=False)
    new = replace(new, environment={"python": "3.12", "platform": "Linux x86_64"})
    found = compare(run(rule(1)), new)
    told = {one.what: (one.old, one.new, bool(one.consequence)) for one in found.identity}
    assert told == {
        "engine": ("sample-engine", "other-engine", True),
        "engine version": ("4.2", "5", False),
        "profile": ("core", "spark-4", True),
        "seed": ("20260101", "7", True),
        "complete": ("the whole run", "ended early", True),
        "options": ("engine=fast", "engine=slow", True),
        "layer": ("in-process", "streaming", True),
        "capabilities": ("with snapshot", "with int64", False),
        "python": ("3.11.7", "3.12", False),
    }
    assert len(caveats(found)) == 6
    assert not found.worse


def test_long_lists_are_cut_with_a_note() -> None:
    old = run(*(rule(number) for number in range(1, 200)))
    new = run(*(rule(number, "fail") for number in range(1, 200)))
    text = render(compare(old, new))
    assert f"… and {199 - MOST_ROWS} more rows." in text
    assert len(text) < 40_000


def test_the_markdown_holds_no_foreign_markup() -> None:
    old = run(
        rule(1, id=HOSTILE, title=HOSTILE),
        deviations=[deviation(name=HOSTILE)],
        properties=[replace(property_result(), name=HOSTILE, sentence=HOSTILE)],
    )
    implementation = Implementation(
        name=HOSTILE, version=HOSTILE, capabilities=(HOSTILE,), options={HOSTILE: HOSTILE}
    )
    new = run(
        rule(1, "fail", id=HOSTILE, title=HOSTILE, reason=HOSTILE),
        rule(2, "fail", id=HOSTILE + "2"),
        implementation=implementation,
        environment={HOSTILE: HOSTILE},
        budget=HOSTILE,
        profile=HOSTILE,
    )
    text = render(compare(old, new))
    page = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text)
    assert [mark for mark in ("<script", "<a ", "<img", "<em>") if mark in page] == []
    assert "alert(1)" in page
    assert page.count("<table>") == len(sections(compare(old, new)))
    assert "\x00" not in text
    assert "\u202e" not in text
    heads = [line.count("|") for line in text.splitlines() if line.startswith("| ---")]
    assert {line.count("|") for line in text.splitlines() if "alert" in line} <= {0, *heads}
    text.encode("utf-8")


def test_the_same_runs_give_the_same_text() -> None:
    old, new = run(rule(1), rule(2), rule(3)), run(rule(1, "fail"), rule(3, "not-tested"), rule(4))
    assert render(compare(old, new)) == render(compare(old, new))


def written(folder: Path, name: str, document: Results) -> str:
    """The name of a file that holds a results document."""
    (folder / name).write_bytes(encode_results(document))
    return name


def test_the_command_says_what_is_worse_and_exits_accordingly(
    tidegauge_here: Command, tmp_path: Path
) -> None:
    old = written(tmp_path, "old.json", run(rule(1), rule(2, "fail")))
    new = written(tmp_path, "new.json", run(rule(1, "fail"), rule(2)))
    ran = tidegauge_here("compare", old, new, "--markdown", "page.md")
    assert ran.returncode == 1, ran.stderr
    assert "Newly failing" in ran.stdout
    assert "Worse: 1 rule newly fails" in ran.stdout.splitlines()[-1]
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert page.startswith("## ❌ Worse: 1 rule newly fails\n")
    assert "| VALVE-1 | pass → fail | Title of rule 1 |" in page
    ran = tidegauge_here("compare", old, new, "--json")
    shown = json.loads(ran.stdout)
    assert (ran.returncode, shown["worse"], shown["headline"]) == (1, True, "Worse: 1 rule newly fails")
    newly_failing = next(section for section in shown["sections"] if section["title"] == "Newly failing")
    assert newly_failing["worse"]
    (row,) = newly_failing["rows"]
    assert (row["rule"], row["verdict"], row["title"]) == ("VALVE-1", "pass → fail", "Title of rule 1")
    same = tidegauge_here("compare", old, old)
    assert (same.returncode, same.stdout.splitlines()[-1]) == (0, "Nothing changed")
    assert tidegauge_here("compare", written(tmp_path, "c.json", run(rule(1), rule(2))), old).returncode == 1
    assert tidegauge_here("compare", old, "c.json").returncode == 0


def test_the_command_refuses_what_it_cannot_read_in_one_line(tidegauge_here: Command, tmp_path: Path) -> None:
    good = written(tmp_path, "good.json", run(rule(1)))
    (tmp_path / "cut.json").write_bytes((tmp_path / good).read_bytes()[:500])
    (tmp_path / "foreign.json").write_text("{}")
    for old, new, *more in (
        (good, "none.json"),
        ("cut.json", good),
        (good, "foreign.json"),
        (good, good, "--markdown", "no/such/folder.md"),
    ):
        ran = tidegauge_here("compare", old, new, *more)
        assert ran.returncode == 2
        assert len(ran.stderr.strip().splitlines()) == 1
        assert any(name in ran.stderr for name in ("none.json", "cut.json", "foreign.json", "folder.md"))


@pytest.mark.slower
def test_a_wrong_engine_is_worse_than_the_reference(tidegauge_here: Command, tmp_path: Path) -> None:
    for adapter, out in (("reference", "right"), ("mutant:valve-guarded-flush", "wrong")):
        ran = tidegauge_here(
            "run", "--adapter", adapter, "--component", "valve", "--budget", "smoke", "-n", "1", "--out", out
        )
        assert ran.returncode in (0, 1), ran.stderr
    ran = tidegauge_here("compare", "right/results.json", "wrong/results.json")
    assert ran.returncode == 1
    assert "VALVE-15" in ran.stdout
    assert "Other engine: tidegauge reference before, mutant valve-guarded-flush now" in ran.stdout
    back = tidegauge_here("compare", "wrong/results.json", "right/results.json")
    assert back.returncode == 0
    assert "Nothing got worse, and 1 rule newly passes" in back.stdout
    wrong = read_results(tmp_path / "wrong" / "results.json")
    assert [one.id for one in wrong.rules if one.verdict == "fail"] == ["VALVE-15"]
