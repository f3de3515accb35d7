"""`tidegauge trend`: runs of engines over time, as a table, a picture and data."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from conftest import Command
from markdown_it import MarkdownIt
from matrix_samples import engine
from report_samples import results, rule

from tidegauge.wire.results import Results, encode_results
from tidegauge_reports.trend import data, markdown, picture
from tidegauge_reports.trend.course import courses_of

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script> | [x](javascript:alert(2)) \x1b[31m"


def run_of(version: str, started: str, *verdicts: str, profile: str = "core") -> Results:
    """A run of the sample engine with a rule for each verdict."""
    rules = [rule(number, verdict=verdict) for number, verdict in enumerate(verdicts, 1)]
    implementation = engine("sample", version=version)
    return results(rules, implementation=implementation, started=started, profile=profile)


def three() -> list[Results]:
    """Three runs of an engine, the newest first: a rule fails in 1.1 and passes again in 1.2."""
    return [
        run_of("1.2", "2026-03-01T10:00:00", "pass", "pass"),
        run_of("1.1", "2026-02-01T10:00:00", "pass", "fail"),
        run_of("1.0", "2026-01-01T10:00:00", "pass", "pass"),
    ]


def test_runs_are_ordered_by_date_and_compared_with_the_run_before() -> None:
    (course,) = courses_of(three())
    assert [(run.date, run.version) for run in course.runs] == [
        ("2026-01-01", "1.0"),
        ("2026-02-01", "1.1"),
        ("2026-03-01", "1.2"),
    ]
    assert [run.change for run in course.runs] == [
        "",
        "Worse: 1 rule newly fails",
        "Nothing got worse, and 1 rule newly passes",
    ]


def test_times_of_other_zones_are_compared_as_moments() -> None:
    late = run_of("2", "2026-01-01T23:00:00-05:00", "pass")
    early = run_of("1", "2026-01-02T01:00:00+00:00", "pass")
    (course,) = courses_of([late, early, run_of("0", "no time", "pass")])
    assert [run.version for run in course.runs] == ["0", "1", "2"]


def test_profiles_and_engines_have_a_course_each() -> None:
    other = run_of("1.0", "2026-01-05T10:00:00", "pass", profile="flink-2.3")
    courses = courses_of([*three(), other])
    assert [(course.profile, len(course.runs)) for course in courses] == [("core", 3), ("flink-2.3", 1)]


def test_the_table_counts_verdicts_and_says_what_changed() -> None:
    page = MarkdownIt("gfm-like", {"linkify": False}).render(markdown.render(courses_of(three())))
    rows = [re.findall("<td>(.*?)</td>", row) for row in page.split("<tr>")[2:]]
    assert [row[:2] for row in rows] == [["2026-01-01", "1.0"], ["2026-02-01", "1.1"], ["2026-03-01", "1.2"]]
    assert [row[4:6] for row in rows] == [["2", ""], ["1", "1"], ["2", ""]]
    assert rows[1][-1] == "Worse: 1 rule newly fails."


def test_the_picture_has_a_bar_for_each_run() -> None:
    svg = ElementTree.fromstring(picture.render(courses_of(three())))
    words = [text.text or "" for text in svg.iter(f"{SVG}text")]
    assert [text.split()[0] for text in words if text.startswith("2026-")] == [
        "2026-01-01",
        "2026-02-01",
        "2026-03-01",
    ]
    assert len([box for box in svg.iter(f"{SVG}rect") if box.get("class") == "fail"]) == 2  # and the legend


def test_the_data_says_whether_anything_got_worse() -> None:
    document = json.loads(data.render(courses_of(three())))
    assert document["format"] == data.FORMAT
    assert [run["worse"] for run in document["runs"]] == [None, True, False]
    assert [run["counts"]["fail"] for run in document["runs"]] == [0, 1, 0]


def test_hostile_names_are_texts_in_all_views() -> None:
    courses = courses_of([run_of(HOSTILE, HOSTILE, "pass", profile=HOSTILE)])
    svg = ElementTree.fromstring(picture.render(courses))
    assert list(svg.iter(f"{SVG}script")) == list(svg.iter("script")) == []
    shown = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(markdown.render(courses))
    assert [mark for mark in ("<script", "<a ") if mark in shown] == []
    assert "\x1b" not in data.render(courses)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The three runs as files."""
    for number, run in enumerate(three()):
        (tmp_path / f"{number}.json").write_bytes(encode_results(run))
    return ["0.json", "1.json", "2.json"]


def test_the_command_prints_a_table_and_writes_its_files(
    files: list[str], tidegauge_here: Command, tmp_path: Path
) -> None:
    ended = tidegauge_here("trend", *files, "--out", "out")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Worse: 1 rule newly fails." in ended.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"trend.md", "trend.svg", "trend.json"}
    printed = tidegauge_here("trend", *files, "--json")
    assert printed.stdout == (tmp_path / "out" / "trend.json").read_text(encoding="utf-8")


def test_files_of_others_are_not_replaced(files: list[str], tidegauge_here: Command, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "trend.md").write_text("mine", encoding="utf-8")
    ended = tidegauge_here("trend", *files, "--out", "out")
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)
    assert (tmp_path / "out" / "trend.md").read_text(encoding="utf-8") == "mine"


def test_a_file_that_is_not_there_is_named(tidegauge_here: Command) -> None:
    ended = tidegauge_here("trend", "nowhere.json")
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)
    assert "nowhere.json" in ended.stderr
