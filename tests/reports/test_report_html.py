"""The compliance report: everything is there, nothing is fetched, nothing foreign runs."""

from __future__ import annotations

import re
import shlex
import time
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hostile_results import infected
from markupsafe import Markup
from page_reader import read
from report_samples import (
    component_result,
    counterexample,
    engine_error,
    fitted,
    job_counterexample,
    job_picture,
    known_deviation,
    literal_picture,
    many_failures,
    missing_minimum,
    property_result,
    results,
    rule,
    suspects,
)

from tidegauge.wire.implementation import Implementation
from tidegauge.wire.results import (
    ItemResult,
    Results,
    RuleResult,
    Term,
    Verdict,
    decode_results,
    encode_results,
)
from tidegauge.words.conclusion import conclude
from tidegauge.words.numbers import duration
from tidegauge_reports.compliance.forms import Form, Sizes, write_rules
from tidegauge_reports.compliance.html import render, write
from tidegauge_reports.compliance.links import linked
from tidegauge_reports.compliance.page import build_page
from tidegauge_reports.compliance.surroundings import Surroundings
from tidegauge_reports.text import LONGEST, in_natural_order, prose, short, shown

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>&amp;{{ 7 * 7 }}\x00\x1b[31m\u202e\ud800"


def failing(**fields: Any) -> Results:
    """A run in which two of five rules fail."""
    verdicts: list[Verdict] = ["pass", "fail", "pass", "fail", "pass"]
    return results([rule(number, verdict) for number, verdict in enumerate(verdicts, start=1)], **fields)


def everything(text: str) -> Results:
    """A run with something in every section and `text` in every place that takes any text."""
    sample = results(
        [
            rule(1),
            rule(2, "fail", policy="p"),
            rule(3, "error"),
            rule(4, policy="p"),
            rule(5, "not-tested"),
        ],
        environment={"free": ""},
        selection={"free": "x"},
        implementation=Implementation(
            name="", version="", capabilities=("",), options={"free": ""}, overshoot="", remark="x"
        ),
        items=[ItemResult(id="", outcome="crashed", scenarios=0, steps=0, duration_s=0, text="x")],
        jobs=[job_picture(), job_picture(False)],
        components=[
            component_result(3, model=[Term(name="x", kind="small-change", rules=["x"], ties=["x"])]),
        ],
    )
    document = infected(msgspec.to_builtins(sample), text)
    for found in document["rules"]:
        if found["counterexample"] is not None:
            found["counterexample"]["scenario"]["component"] = "valve"
    return msgspec.convert(document, Results)


def test_write_makes_the_folder_and_returns_the_path(tmp_path: Path) -> None:
    path = write(failing(), tmp_path / "new" / "folder")
    assert path == tmp_path / "new" / "folder" / "report.html"
    assert path.read_text(encoding="utf-8") == render(failing())


def test_the_same_results_give_the_same_page_also_after_a_trip_through_the_file() -> None:
    assert render(failing()) == render(decode_results(encode_results(failing()), "results.json"))


def test_every_section_is_there() -> None:
    crashed = ItemResult(
        id="valve/seed/3", outcome="crashed", scenarios=0, steps=0, duration_s=12, text="Segmentation fault"
    )
    text = read(render(failing(items=[*failing().items, crashed]))).text
    for expected in (
        "FAILED: 2 of 5 rules",
        "sample-engine 4.2",
        "in-process, observed after each step",
        "Option engine fast",
        "12,345 with 67,890 steps; 34 differ",
        "20260101, default",
        "2026-01-01T12:00:00+00:00",
        "1 min 23 s, exit code 1",
        "python 3.11.7",
        "tidegauge run --adapter 'sample engine'",
        "3 pass, 2 fail",
        "VALVE-2 Title of rule 2 MUST",
        "The valve MUST follow rule 2.",
        "Intent of rule 2.",
        "reason of rule 2",
        "What to check: that rule 2 is implemented.",
        "in 1,002 scenarios (5,002 steps)",
        "E29, FLINK-5017",
        "4 channel 0: idle ◀ first difference watermark 20 nothing",
        "tidegauge replay results/counterexamples/VALVE-2.jsonl --adapter sample",
        "VALVE-2 (MUST) The output is the minimum of the aligned channels On a valve with 2 channels: ...",
        "Found as valve/seed-7/4711",
        "valve-output-increases Each watermark that leaves",
        "held in 512 scenarios",
        "2 items in all: 1 judged, 1 without a result",
        "crashed valve/seed/3",
        "Segmentation fault",
    ):
        assert expected in text


def test_failing_rules_are_open_and_drawn_and_the_others_closed() -> None:
    reader = read(render(failing()))
    assert {found["id"]: "open" in found for found in reader.with_class("rule")} == {
        "VALVE-1": False, "VALVE-2": True, "VALVE-3": False, "VALVE-4": True, "VALVE-5": False
    }  # fmt: skip
    assert len(reader.with_class("timeline")) == 2


def test_the_map_has_a_lettered_cell_for_each_rule_that_leads_to_it() -> None:
    verdicts: list[Verdict] = ["pass", "fail", "not-applicable", "not-tested", "error", "suspect"]
    reader = read(render(results([rule(number, verdict) for number, verdict in enumerate(verdicts)])))
    cells = [found for found in reader.with_class("cell") if "href" in found]
    ids = {found["id"] for _, found in reader.elements if "id" in found}
    expected = ["pass", "fail root", "not-applicable", "not-tested", "error", "suspect"]
    assert [cell["class"] for cell in cells] == [f"cell {one}" for one in expected]
    assert all((cell["href"] or "").removeprefix("#") in ids for cell in cells)
    assert "0 P 1 F 2 – 3 ? 4 E 5 S" in reader.text
    assert cells[4]["aria-label"] == "VALVE-4, error"
    assert cells[4]["title"] == "VALVE-4, error: Title of rule 4"


def test_ids_are_unique_and_every_inner_link_has_its_target() -> None:
    reader = read(render(results([rule(1), rule(1, "fail"), rule(2, id='X" onload="1'), rule(3, id="")])))
    ids = [found["id"] for _, found in reader.elements if "id" in found]
    assert len(ids) == len(set(ids))
    links = [found["href"] or "" for tag, found in reader.elements if tag == "a"]
    assert all(link.removeprefix("#") in ids for link in links)


def test_the_page_needs_nothing_else() -> None:
    sources = ["https://example.org/a?b=1&c=2", "javascript:alert(1)", "E29"]
    page = render(results([rule(1, "fail", sources=sources)]))
    reader = read(page)
    fetched = [
        value
        for tag, found in reader.elements
        for name, value in found.items()
        if name in ("src", "href", "data", "srcset", "action", "poster") and not (value or "").startswith("#")
    ]
    assert fetched == ["https://example.org/a?b=1&c=2"]
    assert "@import" not in page
    assert "url(" not in page
    assert {tag for tag, _ in reader.elements} & {"link", "img", "iframe", "object", "embed"} == set()


def test_only_the_scripts_of_the_page_may_run() -> None:
    page = render(failing())
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == page.count("<script") == 1
    digest = b64encode(sha256(scripts[0].encode()).digest()).decode()
    policy = next(found["content"] or "" for tag, found in read(page).elements if "http-equiv" in found)
    assert policy.startswith("default-src 'none'")
    assert f"script-src 'sha256-{digest}'" in policy


def test_hostile_texts_neither_run_nor_break_the_page(tmp_path: Path) -> None:
    path = write(everything(HOSTILE), tmp_path)
    page = path.read_bytes().decode("utf-8", "strict")
    reader = read(page)
    assert page.count("<script") == 1
    assert "<img" not in page
    assert not any(name.startswith("on") for _, found in reader.elements for name in found)
    assert "\"'><script>alert(1)</script>" in reader.text
    assert "{{ 7 * 7 }}" in reader.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800]", page)


@pytest.mark.slower
def test_megabytes_of_text_are_cut_with_a_note() -> None:
    page = render(everything("<b>" * 700_000))
    assert len(page) < 2_000_000
    assert "… [cut here; 2,100,000 characters in all]" in page


def test_long_lists_are_cut_with_a_note() -> None:
    crashed = [
        ItemResult(id=f"item {number}", outcome="timeout", scenarios=0, steps=0, duration_s=1)
        for number in range(5000)
    ]
    environment = {f"name {number}": "value" for number in range(5000)}
    long = counterexample([({"step": "idle", "channel": 0}, [], [])] * 5000)
    rules = [rule(1, "fail", counterexample=long, sources=["E1"] * 5000)]
    page = render(results(rules, items=crashed, environment=environment))
    assert len(page) < 500_000
    assert "and 4800 more without a result" in page
    assert "and 4700 more steps" in page


def test_a_full_run_in_which_all_fails_takes_less_than_2_megabytes() -> None:
    page = render(many_failures(150, steps=60))
    reader = read(page)
    assert len(page.encode()) < 2_000_000
    drawn = len(reader.with_class("timeline"))
    assert 20 < drawn < 150
    assert len(reader.with_class("counterexample")) == 150
    assert f"{150 - drawn} failures are shown without all details" in reader.text
    assert reader.text.count("Without a picture, to keep this page small.") + reader.text.count(
        "60 steps, the first difference at step 60. To keep this page small they are not shown here: they are in"
    ) == 150 - drawn  # fmt: skip
    assert [found["id"] for found in reader.with_class("rule") if "open" in found] == ["VALVE-1"]


def test_what_is_at_the_root_is_shown_more_fully_than_what_is_affected() -> None:
    page = render(many_failures(600, steps=30))
    whole = {number for number in range(1, 61) if f'aria-label="Timeline of VALVE-{number}"' in page}
    assert whole == set(range(1, 61)) or 'aria-label="Timeline of PART' not in page
    assert page.count('class="rule brief fail affected"') > 100
    for number in range(1, 10):
        assert f"counterexamples/PART{number}-60.jsonl" in page


def test_ids_that_come_again_and_again_get_short_anchors() -> None:
    page = render(results([rule(1, id="A") for _ in range(300)]))
    assert max(len(found.get("id") or "") for _, found in read(page).elements) < 80


def test_addresses_on_the_web_become_links_and_no_others() -> None:
    assert linked("see https://example.org/a?b=1&c=2.") == (
        'see <a href="https://example.org/a?b=1&amp;c=2" rel="noopener noreferrer">'
        "https://example.org/a?b=1&amp;c=2</a>."
    )
    assert "<a" not in linked("javascript:alert(1) data:text/html,x ftp://x file:///etc http:x")
    assert linked('https://a.b/"x').count('"') == 4


def test_a_rule_may_fail_without_a_counterexample() -> None:
    reader = read(render(results([rule(1, "fail", counterexample=None, suspects=[])])))
    assert "FAILED: 1 of 1 rule" in reader.text
    assert "VALVE-1 Title of rule 1 reason of rule 1" in reader.text
    assert reader.with_class("counterexample") == []


def test_an_unknown_component_has_the_table_only() -> None:
    other = counterexample(
        [({"step": "pour", "cups": 5}, [{"output": "tea", "value": 5, "to": "table"}], [])],
        scenario={"component": "teapot", "id": "teapot/1"},
    )
    reader = read(render(results([rule(1, "fail", counterexample=other)])))
    assert reader.with_class("timeline") == []
    assert re.search(r"pour .*5 ◀ first difference tea .*5 .*table nothing", reader.text)


def job_run(**fields: Any) -> Results:
    """A run on all components in which one rule fails in a job."""
    rules = [
        rule(1, id="ALIGN-1", component="coordinator"),
        rule(1, "fail", id="SOURCE-1", component="source", counterexample=job_counterexample()),
        rule(1),
    ]
    pictures = [literal_picture(), literal_picture(False), job_picture(blocks=False), job_picture(False)]
    return results(rules, **{"jobs": pictures, **fields})


def test_each_job_has_a_figure_with_its_control_beside_it() -> None:
    page = render(job_run())
    reader = read(page)
    assert [found["id"] for found in reader.with_class("job")] == ["job-flip-182", "job-flip-182-literal"]
    assert len(reader.with_class("job-timeline")) == 4
    figures = page[page.index('id="job-flip-182"') :]
    assert figures.index("with alignment, drift 30 s") < figures.index("without alignment")
    assert "Jobs How far each subtask got" in reader.text
    assert "The FLIP-182 job Subtask 0 is slow; with alignment the others run into" in reader.text
    assert "With alignment: No subtask is blocked. Unfinished subtasks are at most" in reader.text


def test_a_known_deviation_does_not_look_like_a_pass() -> None:
    page = render(results([rule(1), known_deviation(2), rule(3, "fail")]))
    cells = [found["class"] for found in read(page).with_class("cell") if "href" in found]
    assert cells == ["cell pass", "cell known_deviations", "cell fail root"]
    assert "badge known_deviations" in page


def test_the_list_of_pictures_says_in_which_a_rule_fails() -> None:
    pictures = read(render(job_run())).text.partition("Pictures:")[2].partition("Rules")[0]
    assert pictures.split(" · ")[0].strip() == "The FLIP-182 job (SOURCE-1 fails)"
    assert "fails" not in pictures.split(" · ")[1]


def test_how_often_a_rule_was_exercised_is_said_even_where_no_scenario_decided_it() -> None:
    found = [rule(1, scenarios=1200), rule(2, scenarios=0), rule(3, "not-tested", scenarios=0)]
    page = read(render(results(found))).text
    parts = page.split("How often exercised ")[1:]
    assert [part.split(" Layer")[0].split(", 1")[0].strip() for part in parts][1:] == [
        "only in checks of properties",
        "never",
    ]
    assert parts[0].startswith("decided in 1,200 scenarios")


def test_without_jobs_there_is_no_section_of_jobs() -> None:
    reader = read(render(job_run(jobs=[])))
    assert reader.with_class("jobs") == []
    assert "Pictures:" not in reader.text
    assert "See its picture" not in reader.text
    assert read(render(job_run(jobs=[job_picture(subtasks=[])]))).with_class("jobs") == []


def test_a_rule_that_fails_in_a_job_leads_to_its_picture_and_has_no_steps() -> None:
    reader = read(render(job_run()))
    assert reader.with_class("steps") == []
    assert ("a", {"href": "#job-flip-182"}) in reader.elements
    for expected in (
        "The job that breaks the rule (found by the property job-spread-bounded )",
        "Expected The watermarks are within the drift.",
        "See its picture: The FLIP-182 job",
        "SOURCE-1 fails here: at 4450 ms subtask 1 is 40050 ms ahead",
        "Scenario: counterexamples/SOURCE-1.jsonl . Found as job:flip-182 .",
    ):
        assert expected in reader.text


def test_jobs_and_rules_of_one_name_have_places_of_their_own() -> None:
    run = results(
        [rule(1, id="job-a"), rule(2, id="jobs")], jobs=[job_picture(job=name) for name in ("a", "<")]
    )
    ids = [found["id"] for _, found in read(render(run)).elements if "id" in found]
    assert len(ids) == len(set(ids))


def test_a_job_nobody_knows_goes_by_its_name() -> None:
    text = read(render(results(jobs=[job_picture(job="a-<b>-job"), job_picture(job="")]))).text
    assert "Job a <b> job The event time of each subtask over processing time." in text
    assert "A job without a name" in text


def test_chapters_say_what_they_are_about() -> None:
    text = read(render(job_run())).text
    assert "ALIGN: The source coordinator Component coordinator : 1 pass." in text
    assert "SOURCE: The source subtask under alignment Component source : 1 fail." in text
    assert "X: The component teapot" in read(render(results([rule(1, id="X-1", component="teapot")]))).text


def test_chapters_that_do_not_apply_are_closed() -> None:
    rules = [rule(number, "not-applicable", id=f"JOB-{number}", component="job") for number in (1, 2)]
    reader = read(render(results([*rules, rule(1), rule(2, "not-applicable")])))
    (closed,) = (found for found in reader.with_class("fold") if found.get("id") == "chapter-JOB")
    assert "open" not in closed
    assert "JOB: Whole jobs – not applicable Component job : 2 not applicable." in reader.text


def test_properties_stand_by_component() -> None:
    found = [property_result(), msgspec.structs.replace(property_result(), name="other", component="job")]
    text = read(render(results(properties=found))).text
    assert "Component valve P pass valve-output-increases" in text
    assert "Component job P pass other" in text
    assert "Component valve P pass" not in read(render(results())).text


def test_a_changing_answer_and_a_property_are_said() -> None:
    example = missing_minimum(deterministic=False, property="valve-idle-order")
    text = read(render(results([rule(1, "fail", counterexample=example)]))).text
    assert "Not deterministic:" in text
    assert "found by the property valve-idle-order" in text
    assert "In 1 failing rule the engine gave another answer in a second run" in text


def test_the_notes_of_the_adapter_are_prominent() -> None:
    engine = Implementation(
        name="reference", version="1", capabilities=("valve",), remark="This proves nothing."
    )
    reader = read(render(results(implementation=engine)))
    assert "Adapter notes This proves nothing." in reader.text
    assert read(render(results())).with_class("remark") == []


CONCLUSIONS: dict[str, tuple[Results, str, str]] = {
    "all pass": (results(), "conforms", "Conforms: all 5 claimed rules pass"),
    "one claimed": (
        results([rule(1), rule(2, "not-applicable")]),
        "conforms",
        "Conforms: the one claimed rule passes",
    ),
    "a known deviation": (
        results([rule(1), rule(2), known_deviation(3), rule(4, "not-applicable")]),
        "deviates",
        "Deviates as known: 1 of 3 claimed rules is not kept, the others pass",
    ),
    "known deviations": (
        results([*(known_deviation(number) for number in range(2000)), rule(2000)]),
        "deviates",
        "Deviates as known: 2,000 of 2,001 claimed rules are not kept, the other one passes",
    ),
    "only known deviations": (
        results([known_deviation(1), known_deviation(2)]),
        "deviates",
        "Deviates as known: none of the 2 claimed rules is kept",
    ),
    "one claimed, a known deviation": (
        results([known_deviation(1)]),
        "deviates",
        "Deviates as known: the one claimed rule is not kept",
    ),
    "a known deviation and a failure": (
        results([rule(1, "fail"), known_deviation(2)]),
        "fails",
        "FAILED: 1 of 2 rules",
    ),
    "a known deviation and no verdict": (
        results([rule(1, "not-tested"), known_deviation(2)]),
        "open",
        "NOT TESTED: 1 of 2 rules",
    ),
    "only a flaky rule": (
        results([rule(1), rule(2, "fail", flaky="a race")]),
        "deviates",
        "Deviates as known: 1 of 2 claimed rules is not kept, the other one passes",
    ),
    "a flaky rule and a failure": (
        results([rule(1), rule(2, "fail", flaky="a race"), rule(3, "fail")]),
        "fails",
        "FAILED: 2 of 3 rules",
    ),
    "only flaky suspects": (
        results([rule(1), *suspects(2, 3, flaky="a race")]),
        "deviates",
        "Deviates as known: 2 of 3 claimed rules are not kept or suspect, the other one passes",
    ),
    "flaky suspects and a known deviation": (
        results([known_deviation(1), *suspects(2, 3, flaky="a race")]),
        "deviates",
        "Deviates as known: 3 of 3 claimed rules are not kept or suspect",
    ),
    "flaky suspects and others": (
        results([rule(1), *suspects(2, 3, flaky="a race"), *suspects(4, 5)]),
        "fails",
        "FAILED: one of VALVE-4, VALVE-5 is broken",
    ),
    "rules in error": (
        results([rule(1), rule(2, "error"), rule(3, "error"), rule(4, "not-applicable")]),
        "errors",
        "ERRORS: 2 of 3 rules",
    ),
    "errors lead failures": (
        results([rule(1, "fail"), rule(2, "error"), rule(3)], errors=[engine_error()]),
        "errors",
        "ERRORS: 1 of 3 rules; FAILED: 1 of 3 rules",
    ),
    "errors that leave every rule its verdict": (
        results(errors=[engine_error()]),
        "errors",
        "ERRORS: no answer in 863 of 2,954 scenarios",
    ),
    "a property in error": (results(properties=[property_result("error")]), "errors", "ERRORS: 1 property"),
    "an item that crashed": (
        results(items=[ItemResult(id="a", outcome="crashed", scenarios=0, steps=0, duration_s=0)]),
        "errors",
        "ERRORS: 1 test item gave no result",
    ),
    "many": (
        results([rule(number, "fail", counterexample=None) for number in range(5000)]),
        "fails",
        "FAILED: 5,000 of 5,000 rules",
    ),
    "two fail": (failing(), "fails", "FAILED: 2 of 5 rules"),
    "fails and ended early": (failing(complete=False), "fails", "FAILED: 2 of 5 rules"),
    "property": (
        results(properties=[property_result("fail", 3)]),
        "fails",
        "FAILED: 1 property is violated",
    ),
    "nobody to blame": (
        results(counts={"failing_scenarios": 1}),
        "fails",
        "FAILED: outputs differ from the specification, but no rule could be named",
    ),
    "no verdict": (
        results([rule(1), rule(2, "not-tested")]),
        "open",
        "NOT TESTED: 1 of 2 rules",
    ),
    "ended early": (results(complete=False), "open", "INCOMPLETE: the run ended early"),
    "ended early, rules open": (
        results([rule(1), rule(2, "not-tested"), rule(3, "not-tested")], complete=False),
        "open",
        "INCOMPLETE: the run ended early, 2 of 3 rules not tested",
    ),
    "nothing claimed": (
        results([rule(1, "not-applicable")]),
        "open",
        "NOT TESTED: the engine claims none of the rules",
    ),
    "no rules": (results([]), "open", "NOT TESTED: the engine claims none of the rules"),
    "an item without a result": (
        results(items=[ItemResult(id="a", outcome="timeout", scenarios=0, steps=0, duration_s=0)]),
        "errors",
        "ERRORS: 1 test item gave no result",
    ),
    "an open property": (
        results(properties=[property_result("not-tested")]),
        "open",
        "NOT TESTED: 1 property",
    ),
    "exit code": (results(exit_code=3), "open", "INCOMPLETE: the run ended with exit code 3"),
}


@pytest.mark.parametrize("case", CONCLUSIONS.values(), ids=CONCLUSIONS.keys())
def test_the_headline(case: tuple[Results, str, str]) -> None:
    run, kind, headline = case
    found = conclude(run)
    assert (found.kind, found.headline) == (kind, headline)
    assert headline in read(render(run)).text


def test_what_qualifies_the_headline() -> None:
    run = results(
        [rule(1, policy="by policy x = y; core says z"), rule(2, "not-applicable")],
        profile="flink-2.3",
        complete=False,
        selection={"components": "valve", "rules": ""},
    )
    assert conclude(run).remarks == (
        "The run ended early. What it did not reach is not tested, and rules that pass were exercised less "
        "than planned.",
        "Only a part was tested: components valve.",
        "1 rule is not applicable: not claimed by this engine.",
        "1 rule passes in the reading of the profile flink-2.3, which differs from the sentence of the rule.",
    )
    assert "P*" in read(render(run)).text


def test_known_deviations_never_look_like_a_success() -> None:
    page = render(results([rule(1), known_deviation(2)]))
    assert '<header class="banner deviates">' in page
    assert ".banner.deviates {" in page
    assert "†</span> Deviates as known" in page
    assert conclude(results([rule(1), known_deviation(2)])).remarks == (
        "1 rule fails as a known deviation, counted apart: the engine is documented to differ.",
    )


@pytest.mark.parametrize(
    ("affected", "said"),
    [
        ([["VALVE-1"]], "Start with VALVE-1: 1 failing rule belongs to a part that builds on it."),
        (
            [["VALVE-1"], ["VALVE-1", "CLOCK-2"]],
            "Start with CLOCK-2, VALVE-1: 2 failing rules belong to parts that build on them.",
        ),
    ],
)
def test_where_to_begin_is_a_remark_unless_the_banner_says_so(affected: list[list[str]], said: str) -> None:
    rules = [rule(number, "fail", affected_by=roots) for number, roots in enumerate(affected, start=2)]
    found = conclude(results([rule(1, "fail"), *rules]))
    assert (found.begin, found.remarks) == (said, (said,))
    assert said not in read(render(results([rule(1, "fail"), *rules]))).text
    assert conclude(results()).begin == ""


def themes() -> Iterator[dict[str, str]]:
    """The colours of both themes by name."""
    style = files("tidegauge_reports").joinpath("pages/base.css").read_text(encoding="utf-8")
    for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL):
        yield dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))


def luminance(colour: str) -> float:
    """The relative luminance of a colour, as WCAG 2 defines it."""
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, as WCAG 2 defines it."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", list(themes()), ids=["light", "dark"])
def test_texts_have_the_contrast_of_wcag_aa(theme: dict[str, str]) -> None:
    grounds = {
        "ink": "paper panel pass-ground fail-ground error-ground open-ground none-ground difference shade band",
        "muted": "paper panel difference shade",
        "link": "paper panel",
        "pass": "pass-ground paper",
        "fail": "fail-ground paper difference band",
        "open": "open-ground paper",
        "paper": "fail error",
        "error": "error-ground paper",
        "expected": "paper difference shade",
        "got": "paper difference shade",
        "band-ink": "band",
        **{f"series-{letter}": "paper band" for letter in "abcd"},
    }
    assert contrast(theme["band-edge"], theme["paper"]) >= 3
    for colour, names in grounds.items():
        for ground in names.split():
            assert contrast(theme[colour], theme[ground]) >= 4.5, (colour, ground)


def test_names_in_the_texts_of_rules_are_set_apart() -> None:
    assert prose("from `MIN` to `<b>`, `open") == "from <code>MIN</code> to <code>&lt;b&gt;</code>, `open"


def test_texts_are_cleaned_and_durations_said() -> None:
    assert shown("a\tb\nc\rd\x00\x85e") == "a\tb\ncde"
    assert shown("x" * LONGEST) == "x" * LONGEST
    assert shown("a\u061cb\u202ec") == short("a\u061cb\u202ec", 9) == "abc"
    assert [duration(seconds) for seconds in (0.04, 59.94, 83.4, 3600)] == [
        "0.0 s", "59.9 s", "1 min 23 s", "1 h 0 min"
    ]  # fmt: skip


def test_marks_do_not_pile_up() -> None:
    pile = "Z" + "\u0336\u0489\u200d" * 400
    assert [shown(text).count("\u0336") + shown(text).count("\u0489") for text in (pile, 2 * pile)] == [5, 10]
    assert short(pile, 2000).count("\u0336") == 3
    for told in ("בְּרֵאשִׁ֖ית", "กิ๊ก" * 40, "e\u0301" * 99, "日本語のテキスト" * 9, "प्रत्यक्षीकरण", "👩🏽‍🚀" * 9):
        assert shown(told) == told


def copied(page: str) -> list[str]:
    """What the buttons of a page copy."""
    return [
        unescape(text)
        for text in re.findall(r'<pre class="command"><code>(.*?)</code></pre>', page, re.DOTALL)
    ]


def test_a_command_to_copy_is_never_cut() -> None:
    command = f"tidegauge replay --options '{'<x> ' * 4000}' end"
    example = missing_minimum(replay=command, message=f"{'m' * 1900}\nReplay: {command}")
    page = render(
        results([rule(1, "fail", counterexample=example)], command=["tidegauge", "y" * 9000, *"z" * 300])
    )
    assert command in copied(page)
    assert shlex.join(["tidegauge", "y" * 9000, *"z" * 300]) in copied(page)
    assert any(text.endswith(f"Replay: {command}") for text in copied(page))
    page = render(results([rule(1, "fail", counterexample=missing_minimum(replay="r" * 20_001))]))
    assert "A command of 20,001 characters, too long to be shown here; it is in results.json." in page
    assert "rrrr" not in page


def test_what_fails_as_a_known_deviation_is_counted_apart() -> None:
    banner = read(render(results([rule(1), rule(2), known_deviation(3, "known for long")]))).text
    assert "P 2 pass" in banner
    assert "F† 1 known deviation" in banner
    assert "F 1 fail" not in banner


def test_errors_stand_before_all_else_with_their_traceback_once() -> None:
    again = engine_error(component="clock", scenarios=3, of=40, scenario="clock/seed-7/1")
    crash = engine_error(component="splits", kind="crashed", text="exit code -11", scenarios=1, traceback="")
    page = render(results([rule(1, "error"), rule(2, "fail")], errors=[engine_error(), again, crash]))
    text = read(page).text
    banner = text.partition("All rules at a glance")[0]
    assert banner.index("ERRORS: 1 of 2 rules; FAILED: 1 of 2 rules") < banner.index("no answer")
    assert banner.index("no answer") < banner.index("What fails")
    for said in (
        "valve raised ConnectionError in 863 of 2,954 scenarios : lost connection",
        "First in scenario valve/seed-7/12 . Rules that decide there: VALVE-1 , VALVE-2 .",
        "clock raised ConnectionError in 3 of 40 scenarios",
        "splits crashed in 1 of 2,954 scenarios : exit code -11",
    ):
        assert said in banner
    assert page.count("Traceback (most recent call last)") == 1
    assert page.count("<details><summary>Traceback</summary>") == 1
    assert read(render(results())).with_class("errors") == []


def test_a_traceback_is_escaped_and_longer_than_other_texts_may_be() -> None:
    trace = "\n".join(f"  File <b>{number}</b>" for number in range(200)) + "\nlast line"
    page = render(results(errors=[engine_error(traceback=trace)]))
    assert "last line" in page
    assert "<b>7</b>" not in page
    assert "cut here" in render(results(errors=[engine_error(traceback="x" * 100_000)]))


def test_the_diagnosis_is_a_table_of_defects_and_choices() -> None:
    model = [
        Term(name="valve-stalled", kind="mutant", rules=["VALVE-10", "VALVE-2"], sentence="It stalls."),
        Term(
            name="valve_x=y",
            kind="policy",
            rules=["VALVE-3"],
            sentence="Whether x. Here: y.",
            bugs=["FLINK-1", "FLINK-2"],
            links=["https://example.org/1", "javascript:alert(1)"],
        ),
    ]
    fits = [component_result(9, explained=7, model=model, unexplained="valve-1")]
    reader = read(render(results([rule(1, "fail")], components=fits)))
    assert (
        "Kind What the engine does Rules Known as "
        "choice Whether x. Here: y. valve: valve_x = y VALVE-3 FLINK-1 , FLINK-2 "
        "defect It stalls. valve: valve-stalled VALVE-2, VALVE-10 –"
    ) in reader.text
    assert "valve: 2 of 9 scenarios unexplained; the smallest unexplained one is valve-1" in reader.text
    assert "https://example.org/1" in reader.links
    assert not [link for link in reader.links if "javascript" in link]
    assert "Kind What the engine does" not in read(render(results(components=[component_result(3)]))).text


def test_what_components_share_is_one_row_and_the_eleventh_row_is_folded() -> None:
    shared = fitted("valve-stalled", *(f"valve-{number}" for number in range(10)))
    fits = [shared, msgspec.structs.replace(shared, component="splits")]
    text = read(render(results([rule(1, "fail")], components=fits))).text
    assert text.count("valve, splits: valve-stalled") == 1
    assert "1 more difference" in text


def test_the_code_of_the_reference_is_no_reason() -> None:
    code = "valve.Valve.idle: return [IDLE] -> return []"
    term = Term(name=code, kind="small-change", rules=["VALVE-1"], sentence=f"As if it said: {code}.")
    tied = Term(name="valve-no-flush", kind="mutant", rules=["VALVE-2"], sentence="No flush.", ties=[code])
    failing_rule = rule(1, "fail", reason=f"the engine behaves as {code}")
    page = render(results([failing_rule], components=[component_result(9, explained=9, model=[term, tied])]))
    text = read(page).text
    assert "return []" not in text
    assert "unknown The engine behaves as a small change of the reference. This reproduces" in text
    assert "The engine behaves as the profile core with a small change of the reference and" in text


def test_names_of_small_changes_that_are_not_code_leave_reasons_alone() -> None:
    # "a small change of the reference" contains "a" three times: replaced again for each term, the text of
    # a reason would triple with each.
    letters = [Term(name=letter, kind="small-change", rules=[]) for letter in "aaaaaaae"]
    page = render(results([rule(2, "fail")], components=[component_result(9, explained=9, model=letters)]))
    assert "Fail: reason of rule 2" in read(page).text
    arrows = [Term(name=name, kind="small-change", rules=[]) for name in ("a -> b", "f: a -> b", "x" * 9)]
    fits = [component_result(9, explained=9, model=arrows)]
    text = read(render(results([rule(2, "fail", reason="as f: a -> b (a -> b)")], components=fits))).text
    assert "Fail: as a small change of the reference (a small change of the reference)" in text


def test_the_diagnosis_pairs_bugs_with_links_only_if_each_has_one() -> None:
    term = Term(
        name="valve-x",
        kind="mutant",
        rules=["VALVE-2"],
        bugs=["FLINK-1", "FLINK-2"],
        links=["https://example.org/2"],
    )
    page = render(results([rule(2, "fail")], components=[component_result(9, model=[term])]))
    assert "FLINK-1, FLINK-2, " in page
    assert ">https://example.org/2</a>" in page


def test_a_difference_of_several_components_has_the_ties_of_all() -> None:
    fits = [
        component_result(
            9,
            component=component,
            model=[Term(name="valve-x", kind="mutant", rules=["VALVE-2"], ties=["valve-y", tie])],
        )
        for component, tie in (("valve", "valve-z"), ("splits", "valve-w"))
    ]
    text = read(render(results([rule(2, "fail")], components=fits))).text
    assert "valve, splits: valve-x ; as likely: valve-y, valve-z, valve-w" in text


def first_screen(run: Results) -> str:
    """Return the text above the table of failures, in which the first counterexample is."""
    return read(render(run)).text.partition("What fails")[0]


def test_the_first_counterexample_is_qualified_as_the_entry_of_its_rule_is() -> None:
    qualified = rule(
        2,
        "fail",
        policy="twice here",
        by_adapter="buffers",
        suspected=True,
        also_in=["job"],
        affected_by=["A-1"],
    )
    first = first_screen(results([qualified]))
    for words in (
        "In this profile: twice here",
        "By the adapter, not by the engine: buffers",
        "Downstream failure; root cause: A-1. Start there.",
        "The failure also shows in job",
        "VALVE-2 stands out, not proven",
    ):
        assert words in first


@pytest.mark.parametrize("others", [[rule(2, "fail", affected_by=["JOB-1"])], suspects(2, 9)])
def test_the_first_counterexample_is_of_a_root_cause_if_any_has_one(others: list[RuleResult]) -> None:
    job = rule(1, "fail", id="JOB-1", component="job", counterexample=job_counterexample())
    assert "First broken rule: Title of rule 1 JOB-1" in first_screen(results([job, *others]))
    silent = msgspec.structs.replace(job, counterexample=None)
    assert "First broken rule: Title of rule 1" not in first_screen(results([silent, *others]))
    drawn = results([job, *others, rule(7, "fail")])
    assert "First broken rule: Title of rule 7 VALVE-7" in first_screen(drawn), "it has steps"


def test_the_banner_says_that_a_run_ended_early_and_leads_to_the_notes() -> None:
    run = results([rule(1, "fail"), rule(2, "not-applicable")], complete=False)
    assert "The run ended early. 12,345 scenarios" in first_screen(run)
    assert re.search(r'<a href="#remarks">\d+ notes on this verdict</a>', render(run))
    assert "The run ended early" not in read(render(failing())).text
    assert "#remarks" not in render(results())
    incomplete = results([rule(1, "not-tested")], complete=False)
    assert read(render(incomplete)).text.partition("12,345")[0].lower().count("the run ended early") == 2, (
        "in the title of the page and in the headline"
    )


def test_the_rule_that_leads_does_not_count_as_one_without_a_counterexample() -> None:
    page = build_page(results([rule(1, "fail"), rule(2), rule(3)]))
    sizes = Sizes((Form("whole", 0), Form("brief", None, brief=True)))
    written = write_rules(page, lambda *_: Markup("x"), sizes)
    assert (written.others_in_brief, written.shortened) == (2, {"brief": 1}), "VALVE-2 and VALVE-3"


def test_ids_are_in_natural_order() -> None:
    builds_on = rule(9, "fail", affected_by=["VALVE-10", "VALVE-2", "CLOCK-3"])
    text = read(render(results([rule(10, "fail"), rule(2, "fail"), builds_on]))).text
    assert "root cause: CLOCK-3, VALVE-2 , VALVE-10 . Start there." in text
    assert text.index("VALVE-2 Title") < text.index("VALVE-10 Title")
    assert in_natural_order(["VALVE-10", "VALVE-2", "VALVE-02x", "B" + "9" * 5000, "B1", "", "A"]) == [
        "", "A", "B1", "B" + "9" * 5000, "VALVE-2", "VALVE-02x", "VALVE-10"
    ]  # fmt: skip


def test_the_head_has_date_duration_budget_seed_and_selection() -> None:
    run = results(started="2026-01-01T13:00:00+01:00", selection={"components": "valve,clock"})
    head = read(render(run)).text.partition("Notes on this verdict")[0]
    assert (
        "12,345 scenarios, 67,890 steps. Started 2026-01-01 12:00 UTC, took 1 min 23 s; budget default, "
        "seed 20260101; only components valve, clock." in head
    )
    assert "Started some day, took" in read(render(results(started="some day"))).text


def test_a_start_without_a_zone_is_the_same_on_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        page = render(results(started="2026-01-01T13:00:00"))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert "Started 2026-01-01 13:00 UTC, took" in read(page).text


def test_the_page_is_in_the_order_of_its_readers() -> None:
    page = render(of_three_chapters())
    parts = (
        "<h1>",
        'id="first-counterexample"',
        'id="failures"',
        'id="diagnosis"',
        'id="remarks"',
        'id="map"',
        'id="chapter-VALVE" open',
        'id="VALVE-2"',
        'id="VALVE-1"',
        'id="chapter-CLOCK">',
        'id="chapter-JOB">',
    )
    places = [page.index(part) for part in parts]
    assert places == sorted(places)


def of_three_chapters() -> Results:
    """A run in which the first chapter is not claimed, the second passes, and the last fails."""
    return results(
        [
            rule(1, "not-applicable", id="JOB-1", component="job"),
            rule(1, id="CLOCK-1", component="clock"),
            rule(1),
            rule(2, "fail"),
        ],
        components=[fitted("valve-stalled")],
    )


def test_a_pass_says_what_it_excludes_and_when_that_is_little() -> None:
    names = ["valve-no-flush", "valve-guarded-flush", "<b>"]
    page = render(results([rule(1, excludes=names), rule(2, excludes=names[:1], thin=True), rule(3)]))
    text = read(page).text
    assert "Excludes 3 mutants of this rule valve-no-flush , valve-guarded-flush , <b>" in text
    assert "Excludes 1 mutant of this rule (thin evidence: fewer than three mutants) valve-no-flush" in text
    assert text.count("Excludes") == 2
    assert "Excludes" not in render(results([rule(1, "fail", excludes=names)]))
    assert not [link for link in read(page).links if "valve-no-flush" in link]
    linked = read(
        render(results([rule(1, excludes=names)]), Surroundings({"valve-no-flush": "x.html#y"}.get))
    )
    assert "x.html#y" in linked.links


def test_a_suspected_failure_says_that_it_is_not_proven() -> None:
    said = "stands out, not proven"
    text = read(render(results([rule(1, "fail", suspected=True)]))).text
    assert text.count(said) == 3, "at the top, in the table and in the entry of the rule"
    assert said not in render(results([rule(1, "fail")]))


def test_what_stands_in_the_way_of_a_verdict_is_named() -> None:
    text = read(render(results([rule(1, "not-tested", stands_in_the_way="valve/seed-7/4711")]))).text
    assert "Not tested: reason of rule 1" in text
    assert "Smallest unexplained scenario: valve/seed-7/4711" in text


def test_what_did_not_run_did_not_fail() -> None:
    items = [ItemResult(id="valve-fuzz", outcome="not-run", scenarios=0, steps=0, duration_s=0)]
    run = results(
        [rule(1), rule(2, "not-tested", reason="its items did not run")], items=items, complete=False
    )
    text = read(render(run)).text
    assert "INCOMPLETE: the run ended early, 1 of 2 rules not tested" in text
    assert "not run valve-fuzz" in text
    for never in ("FAILED", "ERRORS", "F 1 fail", "E 1 error"):
        assert never not in text


def test_the_head_says_what_the_engine_is() -> None:
    engine = msgspec.structs.replace(
        results([rule(1)]).implementation, remark="A mutant, e.g. a faulty engine. It loses data."
    )
    text = read(render(results([rule(1)], implementation=engine))).text
    head = text.partition("What was tested")[0]
    assert "A mutant, e.g. a faulty engine." in head
    assert "It loses data." not in head.partition("Notes on this verdict")[0]
