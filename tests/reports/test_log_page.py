"""The page of an event log: what ails the job first, then broken rules with their rows, then all rules."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
from conftest import Command
from log_pages import NOW, document_of, seconds, sick
from page_reader import read
from written_logs import written

from tidegauge_reports.event_logs.document import Operator, read_document
from tidegauge_reports.event_logs.html import render
from tidegauge_reports.event_logs.page import build_page
from tidegauge_reports.event_logs.picture import course_picture


def operator_of(times: list[int]) -> Operator:
    """Return the only operator of a log with records up to these times."""
    (operator,) = document_of(seconds(times)).operators
    return operator


def test_findings_come_first_with_their_remedies_and_rules_last() -> None:
    document = document_of(sick())
    text = read(render(document)).text
    assert document.findings
    order = [
        "findings about the job, 1 broken rule",
        "Rows are dropped as late , shop/orders window :",
        "What ails the job",
        *(f"Remedy: {finding.remedy}" for finding in document.findings),
        "Broken rules",
        "The output watermark strictly increases.",
        "F fail WIN-7 Watermarks that do not advance are ignored",
        "? not tested",
        "Operators",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    verdicts = [rule.verdict for rule in build_page(document).rules]
    assert (verdicts[0], verdicts[-1]) == ("fail", "not-tested")


def test_the_row_that_breaks_a_rule_and_the_one_it_contradicts_are_marked(
    tmp_path: Path, tidegauge_here: Command
) -> None:
    pq.write_table(written(sick()), tmp_path / "log.parquet")
    tidegauge_here("check-log", "log.parquet", "--out", "out")
    (broken,) = build_page(read_document(tmp_path / "out" / "log-results.json")).broken
    page = read((tmp_path / "out" / "log-results.html").read_text(encoding="utf-8"))
    first = broken.count.first[0]
    assert f"Rows around row {first.sequence} of subtask 0" in page.text
    assert f"{first.sequence} broken" in page.text
    assert f"{first.because} contradicted" in page.text
    assert len(page.with_class("this")) == len(page.with_class("because")) == 1


def test_a_healthy_log_says_so() -> None:
    page = build_page(document_of(seconds(list(range(100)))))
    assert (page.kind, page.headline) == ("conforms", "No findings, and no broken rule")
    assert "What ails the job" not in read(render(page.document)).text


def test_foreign_names_are_escaped() -> None:
    html = render(document_of(sick(job="<script>alert(1)</script>", source="a\x1b[31m\u202e")))
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert not {"\x1b", "\u202e"} & set(html)


def test_the_distance_grows_while_the_watermark_stalls() -> None:
    operator = operator_of([*range(30), *[29] * 60])
    picture = course_picture(operator, [NOW + 29_000])
    assert picture.count('class="begin"') == 2  # in the picture and in the legend
    assert ">60<" in picture  # 70 s behind at the end
    assert "between 10.001 s behind the clock and 1 min 10 s behind the clock" in picture


def test_a_leap_is_marked_at_the_edge() -> None:
    picture = course_picture(operator_of([*range(50), 2_000_000_000, *range(50, 60)]), [])
    assert "ahead of the clock, by up to 23,148 days" in picture
    assert ">60<" not in picture


def test_a_steady_watermark_is_drawn_with_the_clock() -> None:
    picture = course_picture(operator_of(list(range(100))), [])
    assert "Behind the clock: the distance, in s" in picture
    assert ">10<" in picture


def test_old_data_is_drawn_without_the_clock() -> None:
    picture = course_picture(operator_of([second - 10_000_000 for second in range(60)]), [])
    assert "Behind the clock: more than 115 days" in picture


def test_one_watermark_makes_no_picture() -> None:
    assert course_picture(operator_of([1, 1, 1]), [NOW]) == ""


def test_check_log_writes_the_page_and_report_writes_it_again(
    tmp_path: Path, tidegauge_here: Command
) -> None:
    pq.write_table(written(sick()), tmp_path / "log.parquet")
    answer = tidegauge_here("check-log", "log.parquet", "--out", "out")
    assert answer.returncode == 1, answer.stderr
    page = tmp_path / "out" / "log-results.html"
    assert answer.stdout.splitlines()[-1] == "report: out/log-results.html"
    made = page.read_bytes()
    for source in ("out", "out/log-results.json"):
        page.unlink()
        answer = tidegauge_here("report", source)
        assert answer.returncode == 0, answer.stderr
        assert page.read_bytes() == made


def test_what_is_no_record_of_a_log_is_refused_in_a_line(tmp_path: Path, tidegauge_here: Command) -> None:
    (tmp_path / "log-results.json").write_text('{"log": 7}', encoding="utf-8")
    answer = tidegauge_here("report", "log-results.json")
    assert answer.returncode == 2
    assert "is not a whole log-results.json" in answer.stderr
    (tmp_path / "log-results.json").unlink()
    (tmp_path / "log-results.html").write_text("mine", encoding="utf-8")
    assert tidegauge_here("report", "log-results.json").returncode == 2
    assert (tmp_path / "log-results.html").read_text(encoding="utf-8") == "mine"
