"""`junit.xml`, `summary.md` and `badge.svg`: right, complete, and safe from what engines say."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hostile_results import HOSTILE, hostile_results
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace
from report_samples import (
    engine_error,
    fitted,
    known_deviation,
    missing_minimum,
    property_result,
    results,
    rule,
    suspects,
)

from tidegauge.judging.verdicts.known_deviations import expected
from tidegauge.wire.results import (
    ACCUSED,
    VERDICTS,
    DeviationResult,
    EngineError,
    ItemResult,
    PropertyResult,
    Results,
    RuleResult,
)
from tidegauge_reports.machines import badge, junit, markdown
from tidegauge_reports.machines.badge import GROUNDS, badge_text
from tidegauge_reports.machines.cases import FAILING, cases_of
from tidegauge_reports.machines.inert_markdown import block, code, inert, link, prose
from tidegauge_reports.machines.source_links import is_web_address, issue_address

ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "classname", "time"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message", "type"},
}
"""What the readers of Jenkins (xunit plugin, junit-10) and GitLab know of the elements that we use."""

CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"failure", "error", "skipped"},
}


def item(name: str, outcome: str = "judged", **fields: object) -> ItemResult:
    """The result of a test item."""
    values = {"id": name, "outcome": outcome, "scenarios": 9, "steps": 40, "duration_s": 1.25}
    return ItemResult(**{**values, **fields})  # type: ignore[arg-type]


def deviation(status: str, name: str = "no-idleness", **fields: str) -> DeviationResult:
    """What became of a known deviation."""
    values = {"name": name, "reason": "a reason", "link": "https://x.example/1", "explanation": "shown in 3"}
    return DeviationResult(rules=["VALVE-1"], status=status, shown=3, absent=0, **{**values, **fields})  # type: ignore[arg-type]


def suites(document: Results) -> list[Element]:
    """The test suites of `junit.xml`, after a look at its form."""
    root = ElementTree.fromstring(junit.render(document))
    for element in root.iter():
        assert set(element.attrib) <= ATTRIBUTES[element.tag]
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
        assert len(element) <= 1 or element.tag != "testcase"
    return list(root)


def case(document: Results, name: str) -> Element:
    """The test case whose name starts so."""
    (found,) = (
        each
        for suite in suites(document)
        for each in suite.iter("testcase")
        if each.attrib["name"].startswith(name)
    )
    return found


def outcome(document: Results, name: str) -> str:
    """`passed`, or the element that says why not."""
    return next((child.tag for child in case(document, name)), "passed")


def test_each_rule_is_a_case_in_the_suite_of_its_component() -> None:
    document = results(
        [rule(1), rule(2), rule(1, id="CLOCK-1", component="clock", title="Time stands still")]
    )
    valve, clock, run = suites(document)
    assert [suite.attrib["name"] for suite in (valve, clock, run)] == ["valve", "clock", "run"]
    names = [found.attrib["name"] for found in valve.iter("testcase")]
    assert names == ["VALVE-1 Title of rule 1", "VALVE-2 Title of rule 2", "property valve-output-increases"]
    (only,) = clock.iter("testcase")
    assert only.attrib == {"classname": "clock", "name": "CLOCK-1 Time stands still", "time": "0.000"}


@pytest.mark.parametrize(
    ("found", "tag", "message"),
    [
        (rule(1), "passed", ""),
        (rule(1, "fail"), "failure", "Broken: expected watermark 20; got nothing"),
        (rule(1, "error"), "error", "Error: reason of rule 1"),
        (rule(1, "not-tested"), "error", "Not tested: reason of rule 1"),
        (rule(1, "not-applicable"), "skipped", "Not applicable: reason of rule 1"),
        (known_deviation(1, "as D: why"), "skipped", "Known deviation: as D: why"),
        (
            rule(1, "fail", flaky="a race (URL)"),
            "skipped",
            "Known to be flaky, so not held against the engine: a race (URL)",
        ),
    ],
)
def test_a_verdict_becomes_an_element_with_its_reason(found: RuleResult, tag: str, message: str) -> None:
    document = results([found, rule(2)])
    assert outcome(document, "VALVE-1") == tag
    for child in case(document, "VALVE-1"):
        assert child.attrib["message"] == message


def test_errors_are_told_apart_from_what_is_not_tested_by_their_type() -> None:
    document = results([rule(1, "error"), rule(2, "not-tested"), rule(3, "fail"), known_deviation(4)])
    types = [child.attrib["type"] for number in (1, 2, 3, 4) for child in case(document, f"VALVE-{number}")]
    assert types == ["error", "not-tested", "failure", "skipped"]


def test_each_error_of_the_engine_is_a_case_with_its_traceback() -> None:
    document = results([rule(1, "error"), rule(2)], errors=[engine_error()])
    (error,) = case(document, "valve raised ConnectionError in 863 of 2,954 scenarios")
    assert error.tag == "error"
    assert error.attrib["message"].endswith("scenarios: lost connection")
    for part in ("First in scenario valve/seed-7/12.", "Traceback (most recent", "VALVE-1, VALVE-2"):
        assert part in (error.text or "")
    assert junit.render(document).count(b"Traceback (most recent") == 1
    nowhere = junit.render(results(errors=[engine_error(scenario="")]))
    assert b"Outside of any scenario." in nowhere
    assert b"First in scenario" not in nowhere
    silent = results(errors=[engine_error()])
    assert int(ElementTree.fromstring(junit.render(silent)).attrib["errors"]) == 1


def test_a_failure_shows_the_history_and_how_to_replay_it() -> None:
    (failure,) = case(results([rule(2, "fail")]), "VALVE-2")
    text = failure.text or ""
    for part in (
        "On a valve with 2 channels",
        "Replay: tidegauge replay results/counterexamples/VALVE-2.jsonl --adapter sample",
    ):
        assert part in text
    (suspected,) = case(results([rule(2, "fail", suspected=True)]), "VALVE-2")
    assert "VALVE-2 stands out, not proven" in (suspected.text or "")


def test_properties_items_without_a_result_and_deviations_are_cases_too() -> None:
    document = results(
        properties=[property_result("fail", 4)],
        items=[item("valve-fuzz", "crashed", text="Segmentation fault\nmore"), item("valve-vectors")],
        deviations=[deviation("as-known"), deviation("stale", "old")],
    )
    assert outcome(document, "property valve-output-increases") == "failure"
    (error,) = case(document, "item valve-fuzz")
    assert (error.tag, error.attrib["message"]) == ("error", "crashed: Segmentation fault")
    assert outcome(document, "known deviation no-idleness") == "skipped"
    assert outcome(document, "known deviation old") == "failure"
    assert b"valve-vectors" not in junit.render(document), "what it found stands in the rules"


def test_what_did_not_run_did_not_fail() -> None:
    document = results(
        [rule(1), rule(2, "not-tested", reason="its items did not run")],
        items=[item("valve-fuzz", "not-run")],
        complete=False,
        exit_code=1,
    )
    root = ElementTree.fromstring(junit.render(document))
    assert (root.attrib["failures"], root.attrib["errors"]) == ("0", "3")
    assert case(document, "item valve-fuzz")[0].attrib["type"] == "not-tested"
    text = markdown.render(document)
    assert text.startswith("## ❔ INCOMPLETE: the run ended early, 1 of 2 rules not tested")
    assert "fail" not in text.replace("| component | pass | fail |", "")
    assert told(document) == "incomplete"


def test_differing_outputs_that_no_rule_explains_are_a_failure_of_their_item() -> None:
    document = results(items=[item("valve-fuzz", "failed")], exit_code=1)
    assert outcome(document, "item valve-fuzz") == "failure"
    blamed = results([rule(1, "fail"), rule(2)], items=[item("valve-fuzz", "failed")])
    assert b"valve-fuzz" not in junit.render(blamed)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (results(complete=False, exit_code=1), "INCOMPLETE: the run ended early"),
        (results([rule(1, "not-applicable")], exit_code=1), "NOT TESTED: the engine claims none"),
        (results(exit_code=1), "INCOMPLETE: the run ended with exit code 1"),
    ],
)
def test_a_run_that_failed_otherwise_has_an_error_of_its_own(document: Results, message: str) -> None:
    (error,) = case(document, "the run ")
    assert error.tag == "error"
    assert error.attrib["message"].startswith(message)


def test_a_run_that_ended_early_says_so_beside_what_it_found() -> None:
    document = results([rule(1, "fail")], complete=False)
    assert (outcome(document, "VALVE-1"), outcome(document, "the run ")) == ("failure", "error")
    assert outcome(results([rule(1, "fail")]), "the run ") == "passed"


def test_counts_and_times_add_up() -> None:
    document = results(
        [rule(number, verdict) for number, verdict in enumerate(VERDICTS)],
        items=[item("valve-fuzz"), item("valve-vectors"), item("window-fuzz", "timeout")],
    )
    root = ElementTree.fromstring(junit.render(document))
    for element in (root, *root):
        cases = list(element.iter("testcase"))
        assert element.attrib["tests"] == str(len(cases))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            if attribute in element.attrib:
                assert element.attrib[attribute] == str(sum(found.find(tag) is not None for found in cases))
    assert root.attrib["time"] == "83.400"
    assert [suite.attrib["time"] for suite in root] == ["2.500", "1.250"]
    assert {suite.attrib["timestamp"] for suite in root} == {"2026-01-01T12:00:00+00:00"}


@st.composite
def runs(draw: st.DrawFn) -> Results:
    """Any run, with the exit code that the kit gives it."""
    known = st.sampled_from([None, "known"])
    rules = [
        rule(number, draw(st.sampled_from(VERDICTS)), deviation=draw(known), flaky=draw(known))
        for number in range(draw(st.integers(0, 4)))
    ]
    rules = [
        replace(
            found,
            deviation=found.deviation if found.verdict == "fail" else None,
            flaky=found.flaky if found.verdict in ACCUSED else None,
        )
        for found in rules
    ]
    properties = [property_result(draw(st.sampled_from(VERDICTS))) for _ in range(draw(st.integers(0, 1)))]
    outcomes = st.sampled_from(["judged", "judged", "failed", "crashed", "timeout", "error", "not-run"])
    items = [item(f"valve-{number}", draw(outcomes)) for number in range(draw(st.integers(0, 3)))]
    statuses = st.sampled_from(["as-known", "unexpected-pass", "stale", "not-tried"])
    deviations = [deviation(draw(statuses)) for _ in range(draw(st.integers(0, 1)))]
    errors = [engine_error() for _ in range(draw(st.integers(0, 1)))]
    ended = draw(st.booleans()) and all(found.outcome != "not-run" for found in items)
    return results(
        rules,
        properties=properties,
        items=items,
        deviations=deviations,
        complete=ended,
        errors=errors,
        exit_code=exit_code(rules, properties, items, errors, ended and all(map(expected, deviations))),
    )


def exit_code(
    rules: list[RuleResult],
    properties: list[PropertyResult],
    items: list[ItemResult],
    errors: list[EngineError],
    ended_as_known: bool,
) -> int:
    """0 if something was tested, every claimed rule passes or is known to fail, and nothing is in error."""
    found = [*rules, *properties]
    excused = [one.deviation is not None or one.flaky is not None for one in found]
    passes = all(
        one.verdict in ("pass", "not-applicable") or (one.verdict in ACCUSED and known)
        for one, known in zip(found, excused, strict=True)
    )
    named = any(one.verdict in ACCUSED and one.deviation is None for one in found)
    answered = all(one.outcome == "judged" or (one.outcome == "failed" and named) for one in items)
    tested = any(rule.verdict != "not-applicable" for rule in rules)
    return 0 if ended_as_known and tested and passes and answered and not errors else 1


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(runs())
def test_whoever_reads_the_file_alone_fails_exactly_when_the_run_did(document: Results) -> None:
    root = ElementTree.fromstring(junit.render(document))
    red = int(root.attrib["failures"]) + int(root.attrib["errors"]) > 0
    assert red == (document.exit_code != 0)
    assert red == any(found.outcome in FAILING for found in cases_of(document))


@pytest.mark.parametrize("view", [junit, markdown, badge], ids=["junit", "markdown", "badge"])
def test_the_same_results_give_the_same_file_and_the_folder_is_made(view: object, tmp_path: Path) -> None:
    write = view.write  # type: ignore[attr-defined]
    first, second = write(results(), tmp_path / "a" / "b"), write(results(), tmp_path / "c")
    assert first.parent == tmp_path / "a" / "b"
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("text", [HOSTILE, "x" * 3_000_000, "\ud800" * 50, "`" * 5000, "]]>" * 10, ""])
def test_hostile_texts_leave_the_xml_legal_and_small(text: str) -> None:
    document = junit.render(hostile_results(text))
    root = ElementTree.fromstring(document)
    assert len(document) < 240_000
    for found in root.iter():
        for told in (found.text or "", *found.attrib.values()):
            assert "\x1b" not in told
    assert len(list(root.iter("testcase"))) == 18


def test_a_time_that_is_none_is_left_out() -> None:
    document = results(started="yesterday", duration_s=float("inf"), items=[item("valve-x", duration_s=-1.0)])
    root = ElementTree.fromstring(junit.render(document))
    assert root.attrib["time"] == "0.000"
    assert all("timestamp" not in suite.attrib for suite in root)


class Page(HTMLParser):
    """The elements and the text of rendered Markdown."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        rendered = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
        self.feed(rendered.render(text))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def tags(self) -> set[str]:
        """The names of the elements."""
        return {tag for tag, _ in self.elements}


OURS = {"h2", "h3", "h4", "p", "ul", "li", "strong", "code", "pre", "details", "summary"}
OURS |= {"table", "thead", "tbody", "tr", "th", "td", "a"}


def test_the_summary_says_it_in_the_first_line_and_counts_by_component() -> None:
    text = markdown.render(results([rule(1, "fail"), rule(2), rule(3, id="X-1", component="window")]))
    assert text.startswith("## ❌ FAILED: 1 of 3 rules\n")
    page = Page(text)
    assert "sample-engine 4.2 · profile core" in page.text
    rows = [line for line in text.splitlines() if line.startswith(("| The status", "| Windows"))]
    assert rows == ["| The status-watermark valve | 1 | **1** |", "| Windows and lateness | 1 | 0 |"]
    assert markdown.render(results()).startswith("## ✅ Conforms: all 5 claimed rules pass\n")
    deviating = markdown.render(results([known_deviation(1)]))
    assert deviating.startswith("## ⚠️ Deviates as known: the one claimed rule is not kept\n")
    assert markdown.render(results(complete=False)).startswith("## ❔ INCOMPLETE")


def test_a_failing_rule_shows_expected_got_and_how_to_replay_it() -> None:
    text = markdown.render(results([rule(2, "fail", sentence="A valve MUST keep `MIN`.")]))
    assert "#### VALVE-2 (MUST) Title of rule 2\n\nA valve MUST keep `MIN`.\n" in text
    assert "```text\nexpected: watermark 20\ngot:      nothing\n```" in text
    assert "```sh\ntidegauge replay results/counterexamples/VALVE-2.jsonl --adapter sample\n```" in text
    assert "not proven" not in text
    suspected = markdown.render(results([rule(2, "fail", suspected=True)]))
    assert "VALVE-2 stands out, not proven: no known defect explains the difference." in suspected


def test_the_summary_puts_errors_first_and_says_models_and_thin_passes_in_a_line() -> None:
    document = results(
        [rule(1, "error"), rule(2, "fail"), rule(3, thin=True, excludes=["a"])],
        errors=[engine_error(), engine_error(component="clock")],
        components=[fitted("valve-guarded-flush")],
    )
    text = markdown.render(document)
    assert text.startswith("## 💥 ERRORS: 1 of 3 rules; FAILED: 1 of 3 rules\n")
    assert text.index("### Errors") < text.index("| component |") < text.index("### 1 failing rule")
    assert "**valve** raised ConnectionError in 863 of 2,954 scenarios: lost" in text
    assert text.count("Traceback (most recent call last)") == 1
    assert "* valve behaves as valve-guarded-flush: explains 175 of 175 failing scenarios" in text
    assert "Pass on thin evidence: fewer than three mutants: VALVE-3." in text
    page = Page(text)
    assert "| error |" in text
    assert page.tags <= OURS
    many = [
        engine_error(component=f"part {number}", traceback=f"{number} {'é' * 9000}") for number in range(40)
    ]
    written = markdown.render(results([rule(1, "fail")], errors=many))
    assert len(written.encode()) <= markdown.MOST_BYTES
    assert "… 30 more" in written
    assert "#### VALVE-1" in written


def test_what_counts_and_roots_come_first() -> None:
    found = [
        known_deviation(1),
        rule(2, "fail", affected_by=["VALVE-4"]),
        rule(3, "fail", flaky="known"),
        rule(4, "fail"),
    ]
    text = markdown.render(results(found))
    assert re.findall("#### VALVE-([0-9])", text) == ["4", "2", "3"]
    assert "Downstream failure; root cause: VALVE-4. Start there." in text


def test_properties_deviations_and_what_has_no_verdict_have_their_tables() -> None:
    document = results(
        [rule(1, "not-tested", stands_in_the_way="valve/1"), rule(2, "error"), rule(3)],
        properties=[property_result("fail", 4)],
        items=[item("valve-fuzz", "timeout", text="gave | no answer")],
        deviations=[deviation("as-known"), deviation("stale", "b", link="javascript:alert(1)")],
    )
    page = Page(markdown.render(document))
    for part in (
        "Violated properties",
        "violated in 4 of 512 scenarios",
        "Known deviations",
        "as known: shown in 3",
        "Rules in error and not tested",
        "smallest unexplained scenario",
        "valve/1",
        "reason of rule 2",
        "Test items without a result",
        "gave | no answer",
    ):
        assert part in page.text
    assert [attributes["href"] for tag, attributes in page.elements if tag == "a"] == ["https://x.example/1"]


@pytest.mark.parametrize("text", [HOSTILE, "`" * 5000, "|" * 900, "</details>" * 9, "# 1. - x", "\n\n    x"])
def test_hostile_texts_are_only_text_in_the_summary(text: str) -> None:
    written = markdown.render(hostile_results(text))
    page = Page(written)
    assert page.tags <= OURS
    assert [tag for tag, _ in page.elements].count("h2") == 1
    assert not any(attributes for tag, attributes in page.elements if tag not in ("code", "th", "td"))
    assert "a" not in page.tags
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", written)
    names = [tag for tag, _ in page.elements]
    tracebacks = written.count("<summary>Traceback</summary>")
    shown = names.count("details") - tracebacks
    assert names.count("summary") == shown + tracebacks
    assert names.count("pre") == 3 * shown + tracebacks
    assert shown == 4 or "Not shown here for want of room" in page.text


def test_a_long_table_is_cut_to_a_line_that_fits_it() -> None:
    text = markdown.render(results([rule(number, "not-tested") for number in range(60)], exit_code=1))
    assert "| … 20 more |  |  |  |" in text
    assert "VALVE-39 " in text
    assert "VALVE-40 " not in text


def test_hostile_texts_call_nobody_and_link_nowhere_outside_of_code() -> None:
    page = Page(re.sub(r"(?ms)^(`{3,})\w+\n.*?^\1$", "", markdown.render(hostile_results())))
    assert "somebody" in page.text
    for caught in (r"@[a-z]", r"://", r"\bwww\."):
        assert not re.search(caught, page.text)


def test_every_row_of_a_table_has_as_many_cells_as_its_head() -> None:
    page = Page(markdown.render(hostile_results()))
    names = [tag for tag, _ in page.elements]
    assert names.count("table") == 5
    for table in re.split("table", " ".join(names))[1:]:
        head, *rows = table.split("tr ")[1:]
        assert rows
        assert {row.count("td") for row in rows} == {head.count("th")}


@pytest.mark.parametrize("text", ["x", "x" * 100_000, "`<@é" * 3000, HOSTILE])
def test_five_thousand_failures_stay_a_summary(text: str) -> None:
    failing = [
        rule(
            number, "fail", title=text, sentence=text, counterexample=missing_minimum(message=text, got=text)
        )
        for number in range(5000)
    ]
    items = [item(f"{number} {text}", "crashed", text=text) for number in range(300)]
    written = markdown.render(results(failing, items=items))
    assert len(written.encode()) <= markdown.MOST_BYTES
    assert "### 5,000 failing rules" in written
    assert "Not shown here for want of room" in written
    assert "and others" in written
    assert "are in `report.html`." in written
    assert Page(written).tags <= OURS


@pytest.mark.parametrize("text", ["a\n```\nb", "````", "`" * 400 + "\n~~~"])
def test_a_block_of_code_ends_where_it_ends(text: str) -> None:
    page = Page(block(text) + "\n\nafter")
    assert [tag for tag, _ in page.elements] == ["pre", "code", "p"]
    assert text in page.text


def test_inert_text_keeps_its_words() -> None:
    assert Page(inert("a *b* <c> | d & e_f_ `g` [h](i) 1. \\")).text.strip() == (
        "a *b* <c> | d & e_f_ `g` [h](i) 1. \\"
    )
    for start in ("# x", "- x", "+ x", "1. x", "12) x", "=== x", "> x", "~~~ x"):
        page = Page(inert(start))
        assert (page.tags, page.text.strip()) == ({"p"}, start)


@pytest.mark.parametrize(
    "text",
    [
        "*b*",
        "__b__",
        "`b`",
        "[a](b)",
        "![a](b)",
        "[a]: b",
        "<b>c</b>",
        "<!-- -->",
        "&amp;",
        "~~b~~",
        "\\*",
        "a|b",
    ],
)
def test_no_character_is_markup_in_a_line_or_in_a_table(text: str) -> None:
    for page in (Page(f"x {inert(text)} y"), Page(f"|x|y|z|\n|---|---|---|\n|x|{inert(text)}|z|\n")):
        assert text in page.text
        assert page.tags <= {"p", "table", "thead", "tbody", "tr", "th", "td"}
    assert not set(inert(f"{text} $x$ <b")) & set("<>$"), "formulas to some renderers, or markup half written"


def test_names_in_prose_are_code_unless_a_table_would_break() -> None:
    assert prose("At `MAX` nothing `a|b` is `<b>`") == "At `MAX` nothing a&#124;b is `<b>`"
    assert code("x`y") == "x&#96;y"


def test_only_addresses_of_the_web_become_links() -> None:
    assert link("x", "https://a.example/b_c?d=e(f)") == "[x](<https://a.example/b_c?d=e(f)>)"
    for address in (
        "javascript:x",
        "https://a b",
        "https://a>b",
        "http://a\nb",
        "https://",
        "file:///etc",
        "x",
    ):
        assert not is_web_address(address)
        assert "](" not in link("x", address)


def test_issues_have_addresses_and_statements_have_none() -> None:
    assert issue_address("FLINK-5017") == "https://issues.apache.org/jira/browse/FLINK-5017"
    assert issue_address("SPARK-PR-56043") == "https://github.com/apache/spark/pull/56043"
    for source in ("E29", "X-1", "FLINK-1/../2", "FLINK-", "FLINK-5017 "):
        assert issue_address(source) is None


def told(document: Results) -> str:
    """What the badge says."""
    return badge_text(document)


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (results(), "conforms 5/5"),
        (results([rule(1), rule(2, "not-applicable")]), "conforms 1/1"),
        (results([rule(1), rule(2, "fail"), rule(3, "fail")]), "2 of 3 fail"),
        (results([rule(1), rule(2, "fail")]), "1 of 2 fails"),
        (results([rule(1), rule(2, "fail"), rule(3, "fail", flaky="a race")]), "2 of 3 fail"),
        (results([rule(1), rule(2, "fail"), *suspects(3, 4)]), "1 of 4 fails, 2 suspect"),
        (results([rule(1), *suspects(2, 3)]), "2 of 3 suspect"),
        (results([rule(1, "error"), *suspects(2, 3)]), "1 of 3 in error, 2 suspect"),
        (results([rule(1), known_deviation(2)]), "1 of 2 deviates as known"),
        (results([rule(1), *suspects(2, 3, flaky="a race")]), "2 of 3 deviate as known"),
        (results([rule(1), rule(2, "error"), rule(3, "fail")]), "1 of 3 in error, 1 fails"),
        (results(errors=[engine_error()]), "errors"),
        (results([rule(1), rule(2, "not-tested")], exit_code=1), "1 of 2 not tested"),
        (results(complete=False, exit_code=1), "incomplete"),
        (results(properties=[property_result("fail", 1)], exit_code=1), "failed"),
        (results(selection={"components": "valve"}), "conforms 5/5 (part)"),
    ],
)
def test_the_badge_says_what_the_run_came_to(document: Results, text: str) -> None:
    assert told(document) == text
    drawing = ElementTree.fromstring(badge.render(document))
    assert drawing.attrib["aria-label"] == f"event time: {text}"
    assert [part.text for part in drawing.iter("{http://www.w3.org/2000/svg}text")] == ["event time", text]


def test_the_badge_as_an_endpoint_says_the_same(tmp_path: Path) -> None:
    for document in (results(profile="spark-4"), hostile_results()):
        assert badge.write(document, tmp_path).name == "badge.svg"
        endpoint = json.loads((tmp_path / "badge.json").read_text(encoding="utf-8"))
        drawing = ElementTree.fromstring(badge.render(document))
        assert set(endpoint) == {"schemaVersion", "label", "message", "color"}
        assert endpoint["schemaVersion"] == 1
        assert f"{endpoint['label']}: {endpoint['message']}" == drawing.get("aria-label")
        assert endpoint["color"] in GROUNDS.values()


def test_the_badge_has_a_title_for_those_who_cannot_see_it() -> None:
    drawing = ElementTree.fromstring(badge.render(results(profile="spark-4")))
    assert drawing.attrib["role"] == "img"
    title = drawing.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == (
        "event time, spark-4: conforms 5/5. sample-engine 4.2, profile spark-4: "
        "Conforms: all 5 claimed rules pass."
    )


@pytest.mark.parametrize("profile", ["core", "W" * 500, HOSTILE])
def test_both_parts_of_the_badge_hold_their_texts(profile: str) -> None:
    drawing = ElementTree.fromstring(badge.render(results(profile=profile)))
    boxes = list(drawing.iter("{http://www.w3.org/2000/svg}rect"))
    texts = list(drawing.iter("{http://www.w3.org/2000/svg}text"))
    assert len(boxes) == len(texts) == 2
    edge = 0.0
    for ground, text in zip(boxes, texts, strict=True):
        x, width = float(ground.attrib["x"]), float(ground.attrib["width"])
        assert x == edge
        edge += width
        assert float(text.attrib["x"]) - x == 7
        assert float(text.attrib["textLength"]) == width - 14
        assert float(text.attrib["textLength"]) >= 4.4 * len(text.text or "") - 1
    assert edge == float(drawing.attrib["width"]) < 450


@pytest.mark.parametrize("colour", [*GROUNDS.values(), "#24292f"])
def test_white_text_on_every_ground_has_enough_contrast(colour: str) -> None:
    shares = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    assert 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) >= 4.5
    assert colour in "".join(
        badge.render(document)
        for document in (
            results(),
            results([known_deviation(1)]),
            results([rule(1, "fail")]),
            results([rule(1, "error")]),
            results(complete=False, exit_code=1),
        )
    )


def test_a_hostile_badge_is_a_picture_and_nothing_else() -> None:
    drawing = ElementTree.fromstring(badge.render(hostile_results()))
    assert {element.tag.partition("}")[2] for element in drawing.iter()} == {"svg", "title", "rect", "text"}


def test_a_command_is_never_cut() -> None:
    command = f"tidegauge replay {'x' * 5_900} end"
    example = missing_minimum(replay=command, message=f"{'m' * 9_000}\nReplay: {command}")
    document = results([rule(1, "fail", counterexample=example)])
    assert f"\n{command}\n```" in markdown.render(document)
    assert f"Replay: {command}<" in junit.render(document).decode()
    longer = missing_minimum(replay="r" * 20_001)
    document = results([rule(1, "fail", counterexample=longer)])
    for view in (markdown.render(document), junit.render(document).decode()):
        assert "A command of 20,001 characters, too long to be shown here; it is in results.json." in view
        assert "rrrr" not in view
