"""Allure: one result for each rule, none lost, none of anybody else's touched."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import Command, run_module
from engines import VALVE_RULES
from hostile_results import HOSTILE, hostile_results
from markdown_it import MarkdownIt
from msgspec.structs import replace
from report_samples import (
    counterexample,
    engine_error,
    job_counterexample,
    known_deviation,
    missing_minimum,
    property_result,
    results,
    rule,
)

from tidegauge.wire.results import Results, encode_results, read_results
from tidegauge.wire.scenario import BadInput
from tidegauge_reports.machines.allure import write
from tidegauge_reports.machines.cases import FAILING, cases_of

Json = dict[str, Any]

SUITES = ("--pyargs", "tidegauge.run.suites", "-p", "no:cacheprovider")
WRONG = "mutant:valve-guarded-flush"


def written(folder: Path, framework: str = "tidegauge") -> dict[str, Json]:
    """The results of a framework in a folder, by their history ids."""
    found = [json.loads(path.read_bytes()) for path in folder.glob("*-result.json")]
    chosen = [one for one in found if isinstance(one, dict) and labels(one).get("framework") == framework]
    by_id = {result["historyId"]: result for result in chosen}
    assert len(by_id) == len(chosen), "Allure would show fewer"
    return by_id


def labels(result: Json) -> dict[str, str]:
    """The labels of a result by their names."""
    return {label["name"]: label["value"] for label in result.get("labels", [])}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the results go."""
    return tmp_path / "allure-results"


def test_each_rule_and_property_is_a_result_under_its_own_id(folder: Path) -> None:
    assert write(results([rule(1), rule(2, "fail"), rule(3)]), folder) == folder
    found = written(folder)
    assert set(found) == {"VALVE-1", "VALVE-2", "VALVE-3", "property:valve-output-increases", "run"}
    for history_id, result in found.items():
        assert result["testCaseId"] == history_id
        assert result["fullName"] == f"tidegauge.{history_id}"
        assert "parameters" not in result
    assert len({result["uuid"] for result in found.values()}) == 5
    assert {path.name for path in folder.glob("*-result.json")} == {
        f"{result['uuid']}-result.json" for result in found.values()
    }


def test_two_results_of_one_id_are_an_error_and_nothing_is_written(folder: Path) -> None:
    twice = results([rule(1), rule(2), rule(1, title="Another")])
    with pytest.raises(BadInput, match=r"'VALVE-1' for 2: Allure would show one of each"):
        write(twice, folder)
    with pytest.raises(BadInput):
        write(results([rule(1), rule(2, id="VALVE-1\x00")]), folder)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("found", "status", "message"),
    [
        (rule(1), "passed", None),
        (rule(1, "fail"), "failed", "Broken: expected watermark 20; got nothing"),
        (rule(1, "not-tested"), "unknown", "Not tested: reason of rule 1"),
        (rule(1, "error"), "broken", "Error: reason of rule 1"),
        (rule(1, "not-applicable"), "skipped", "Not applicable: reason of rule 1"),
        (known_deviation(1, "as D: why"), "skipped", "Known deviation: as D: why"),
        (
            rule(1, "fail", flaky="a race"),
            "skipped",
            "Known to be flaky, so not held against the engine: a race",
        ),
    ],
)
def test_a_verdict_becomes_a_status_with_its_reason(
    folder: Path, found: Any, status: str, message: str | None
) -> None:
    write(results([found, rule(2)]), folder)
    result = written(folder)["VALVE-1"]
    assert (result["status"], result.get("statusDetails", {}).get("message")) == (status, message)
    details = result.get("statusDetails", {})
    assert details.get("flaky", False) == (found.flaky is not None)
    assert details.get("known", False) == (found.deviation is not None or found.flaky is not None)


def test_a_category_stands_for_each_kind_of_message_and_takes_no_others(folder: Path) -> None:
    found = [
        rule(1, "fail"),
        rule(6, "suspect"),
        rule(2, "not-tested"),
        rule(3, "error"),
        rule(4, "not-applicable"),
        known_deviation(5),
    ]
    write(results(found, errors=[engine_error()]), folder)
    categories = json.loads((folder / "categories.json").read_text(encoding="utf-8"))
    for result in written(folder).values():
        if result["status"] == "passed":
            continue
        message, status = result["statusDetails"]["message"], result["status"]
        fitting = [
            category["name"]
            for category in categories
            if status in category["matchedStatuses"] and re.fullmatch(category["messageRegex"], message)
        ]
        assert len(fitting) == 1
    assert not any(re.fullmatch(category["messageRegex"], "assert 1 == 2") for category in categories)


def test_labels_file_a_rule_under_what_people_look_for(folder: Path) -> None:
    write(results([rule(1, level="SHOULD", layer="tester"), rule(2)]), folder)
    found = labels(written(folder)["VALVE-1"])
    assert (
        found
        | {
            "framework": "tidegauge",
            "epic": "Event time, profile core",
            "feature": "The status-watermark valve",
            "story": "rules",
            "parentSuite": "sample-engine 4.2",
            "suite": "valve",
            "component": "valve",
            "rule": "VALVE-1",
            "level": "SHOULD",
            "layer": "tester",
            "severity": "normal",
        }
        == found
    )
    assert labels(written(folder)["VALVE-2"])["severity"] == "critical"


def test_a_rule_links_to_its_issues_and_tells_the_text_of_the_specification(folder: Path) -> None:
    write(
        results([rule(1, sources=["E29", "FLINK-5017", "https://x.example/a", "javascript:alert(1)"])]),
        folder,
    )
    result = written(folder)["VALVE-1"]
    assert [(link["type"], link["url"]) for link in result["links"]] == [
        ("issue", "https://issues.apache.org/jira/browse/FLINK-5017"),
        ("link", "https://x.example/a"),
    ]
    for part in ("The valve MUST follow rule 1.", "Intent of rule 1.", "`tidegauge explain VALVE-1`"):
        assert part in result["description"]


def test_the_steps_are_those_of_the_history_and_the_first_difference_fails(folder: Path) -> None:
    found = missing_minimum(diverges_at=1)
    write(results([rule(2, "fail", counterexample=found)]), folder)
    steps = written(folder)["VALVE-2"]["steps"]
    assert [step["status"] for step in steps] == ["passed", "failed", "skipped", "skipped"]
    assert steps[1]["name"] == "step 2: channel 1: watermark 20 → watermark 10"
    assert steps[3]["name"] == "step 4: channel 0: idle → expected watermark 20; got nothing"
    assert steps[1]["statusDetails"]["message"] == "expected: watermark 20\ngot: nothing"


def test_a_job_fails_by_its_property(folder: Path) -> None:
    write(results([rule(2, "fail", counterexample=job_counterexample())]), folder)
    (step,) = written(folder)["VALVE-2"]["steps"]
    assert (step["status"], step["name"]) == ("failed", "The watermarks are within the drift.")
    assert step["statusDetails"]["message"] == "at 4450 ms subtask 1 is 40050 ms ahead"


def test_history_picture_and_message_are_attached(folder: Path) -> None:
    write(results([rule(2, "fail")]), folder)
    attachments = written(folder)["VALVE-2"]["attachments"]
    bodies = {found["type"]: (folder / found["source"]).read_bytes() for found in attachments}
    assert set(bodies) == {"application/json", "image/svg+xml", "text/plain"}
    assert bodies["application/json"].count(b"\n") == 1
    assert json.loads(bodies["application/json"]) == missing_minimum().scenario
    assert ElementTree.fromstring(bodies["image/svg+xml"]).tag.endswith("svg")
    assert b"Replay: tidegauge replay" in bodies["text/plain"]
    listed = {found["source"] for found in attachments}
    assert {path.name for path in folder.glob("*-attachment.*")} == listed


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_same_results_give_the_same_files(tmp_path: Path) -> None:
    sample = results([rule(1), rule(2, "fail")])
    assert contents(write(sample, tmp_path / "a")) == contents(write(sample, tmp_path / "b"))
    later = replace(sample, started="2026-01-02T12:00:00+00:00")
    names = {path.name for path in write(later, tmp_path / "c").glob("*-result.json")}
    assert not names & set(contents(tmp_path / "a")), "another run, other results"


def test_results_stand_in_the_order_of_the_document_by_their_times(folder: Path) -> None:
    write(results([rule(number) for number in (3, 1, 2)]), folder)
    found = sorted(written(folder).values(), key=lambda result: int(result["start"]))
    assert [result["historyId"] for result in found][:3] == ["VALVE-3", "VALVE-1", "VALVE-2"]
    assert found[0]["start"] == 1_767_268_800_000


THEIRS = {
    "0b6c7f8e-result.json": {"name": "test_mine", "labels": [{"name": "framework", "value": "pytest"}]},
    "1c-result.json": ["not", "a", "result"],
    "2d-container.json": {"children": []},
    "3e-result.json": {"name": "unlabelled", "attachments": [{"source": "4f-attachment.txt"}]},
    "4f-attachment.txt": "x",
}


def test_another_run_takes_the_place_of_ours_and_leaves_what_is_others(folder: Path) -> None:
    folder.mkdir()
    for name, content in THEIRS.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    (folder / "categories.json").write_text('[{"name": "Their own"}]', encoding="utf-8")
    (folder / "environment.properties").write_text("browser = none\n", encoding="utf-8")
    theirs = contents(folder)
    write(results([rule(1, "fail"), rule(2, "fail"), rule(3)], started="2025-01-01"), folder)
    write(results([rule(2)]), folder)
    assert len(written(folder)) == 3
    left = contents(folder)
    assert {name: left[name] for name in THEIRS} == {name: theirs[name] for name in THEIRS}
    assert not [name for name in left if "-attachment." in name and name not in THEIRS]
    names = [category["name"] for category in json.loads(left["categories.json"])]
    assert names[0] == "Their own"
    assert len(names) == len(set(names)) == 8
    lines = left["environment.properties"].decode().splitlines()
    assert lines[0] == "browser = none"
    assert lines.count("tidegauge.engine = sample-engine 4.2") == 1


def test_the_environment_is_told_in_ascii_as_files_of_properties_are(folder: Path) -> None:
    write(results(profile="Zürich 😀\\"), folder)
    lines = (folder / "environment.properties").read_bytes().splitlines()
    assert rb"tidegauge.profile = Z\u00fcrich \ud83d\ude00\\" in lines


def test_what_is_taken_out_lies_in_the_folder(tmp_path: Path, folder: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("x", encoding="utf-8")
    write(results([rule(1, "fail")]), folder)
    (path,) = (found for found in folder.glob("*-result.json") if b'"VALVE-1"' in found.read_bytes())
    result = json.loads(path.read_bytes())
    result["attachments"] = [{"source": "../outside.txt"}, {"source": str(outside)}, {"source": None}, 7]
    path.write_text(json.dumps(result), encoding="utf-8")
    write(results(), folder)
    assert outside.exists()


def test_categories_that_are_none_are_complained_about(folder: Path) -> None:
    folder.mkdir()
    (folder / "categories.json").write_text("{", encoding="utf-8")
    with pytest.raises(BadInput, match=r"categories\.json is not a list of Allure's categories; mend it"):
        write(results(), folder)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BadInput, match=r"file cannot be written: File exists; choose another"):
        write(results(), tmp_path / "file")


def texts(value: object) -> list[str]:
    """All texts of a JSON document."""
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize(
    "text", [HOSTILE, pytest.param("x" * 3_000_000, marks=pytest.mark.slower), "\ud800" * 9]
)
def test_hostile_texts_are_only_texts(folder: Path, text: str) -> None:
    write(hostile_results(text), folder)
    found = written(folder)
    assert len(found) == 18
    for result in found.values():
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", "".join(texts(result)))
        assert len(json.dumps(result)) < 100_000
        page = MarkdownIt("commonmark", {"html": True}).render(result.get("description", ""))
        assert set(re.findall(r"<([a-z0-9]+)", page)) <= {"p", "strong", "code"}
        assert all(link["url"].startswith("https://") for link in result.get("links", []))
        for attachment in result.get("attachments", []):
            body = (folder / attachment["source"]).read_bytes()
            if attachment["type"] == "image/svg+xml":
                tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(body).iter()}
                assert not tags & {"script", "foreignObject", "image", "a"}
    assert all(line.isascii() for line in (folder / "environment.properties").read_text().splitlines())


def test_long_histories_are_cut_in_steps_and_whole_in_the_attachment(folder: Path) -> None:
    steps = [({"step": "idle", "channel": index}, [], []) for index in range(3000)]
    found = counterexample(steps, diverges_at=2999)
    write(results([rule(1, "fail", counterexample=found)]), folder)
    result = written(folder)["VALVE-1"]
    assert len(result["steps"]) == 500
    (history,) = (one for one in result["attachments"] if one["type"] == "application/json")
    assert len(json.loads((folder / history["source"]).read_bytes())["history"]) == 3000


def saved(folder: Path, document: Results) -> None:
    """A results document where `tidegauge` is run."""
    (folder / "results.json").write_bytes(encode_results(document))


def test_the_report_is_written_on_request_only(tmp_path: Path, tidegauge: Command) -> None:
    saved(tmp_path, results(properties=[property_result()]))
    assert tidegauge("report", "results.json").returncode == 0
    assert not (tmp_path / "allure-results").exists()
    ended = tidegauge("report", "results.json", "--report", "allure")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1].endswith(
        "beside it badge.svg, junit.xml, summary.md, allure-results"
    )
    assert len(written(tmp_path / "allure-results")) == 7


def test_a_missing_extra_is_one_line_with_the_remedy_before_anything_is_done(
    tmp_path: Path, engine_module: Callable[[str, str], None], tidegauge: Command
) -> None:
    saved(tmp_path, results())
    hidden = "raise ModuleNotFoundError(\"No module named 'allure_commons'\", name='allure_commons')"
    engine_module("allure_commons", hidden)
    for command in (("report", "results.json"), ("run", "--adapter", "reference", "--out", "out")):
        ended = tidegauge(*command, "--report", "allure")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == (
            "tidegauge: report 'allure' does not import: ModuleNotFoundError: No module named 'allure_commons'; "
            "pip install 'tidegauge[allure]'\n"
        )
    assert {path.name for path in tmp_path.iterdir()} <= {"results.json", "allure_commons.py", "__pycache__"}
    assert tidegauge("report", "results.json").returncode == 0, "the others need no extra"


ATTACHING = """
import allure
import pytest

@pytest.fixture(autouse=True)
def attaching():
    allure.attach("of any test", "note")
"""

MINE = """
import pytest

@pytest.fixture(scope="session", autouse=True)
def always():
    yield

@pytest.fixture
def mine():
    print("set up")
    yield

@pytest.mark.parametrize("number", [1, 2])
def test_mine(number, mine):
    pass

def test_bad():
    print("said before it failed")
    assert 1 == 2
"""


@pytest.mark.slower
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "two workers"])
def test_plain_pytest_writes_rules_for_the_suites_and_leaves_the_user_s_tests_to_allure(
    tmp_path: Path,
    tidegauge: Command,
    engine_module: Callable[[str, str], None],
    workers: tuple[str, ...],
) -> None:
    engine_module("attaching", ATTACHING)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (tmp_path / "test_mine.py").write_text(MINE, encoding="utf-8")
    smoke = ("--tidegauge-adapter", WRONG, "--tidegauge-budget", "smoke", "--tidegauge-component", "valve")
    arguments = (
        *SUITES,
        "-p",
        "attaching",
        "test_mine.py",
        *smoke,
        "--alluredir",
        "found",
        *workers,
        "-W",
        "error",
    )
    ended = run_module(tmp_path, "pytest")(*arguments, environment={"TMPDIR": str(scratch)})
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED, ended.stdout + ended.stderr
    assert "tidegauge: results for Allure in found" in ended.stdout
    folder = tmp_path / "found"
    ours, theirs = written(folder), written(folder, "pytest")
    statuses = Counter(result["status"] for result in ours.values())
    assert statuses.keys() == {"passed", "failed"}
    assert statuses["failed"] == 2
    assert {name for name in ours if name.startswith("VALVE-")} == set(VALVE_RULES)
    assert ours["VALVE-15"]["status"] == "failed"
    assert sorted(result["name"] for result in theirs.values()) == [
        "test_bad",
        "test_mine[1]",
        "test_mine[2]",
    ]
    children = [
        child
        for path in folder.glob("*-container.json")
        for child in json.loads(path.read_bytes()).get("children", [])
    ]
    known = {result["uuid"] for result in theirs.values()}
    assert set(children) == known, "what fixtures did is told for the user's tests, and for them alone"
    documents = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.json"))
    there = {path.name for path in folder.glob("*-attachment.*")}
    assert there == set(re.findall(r'"source": "([^"]+)"', documents)), (
        "nothing is missing, nothing left over"
    )
    assert sum(name.endswith(".attach") for name in there) == 3, "what was attached to the user's tests"
    assert [path.name for path in scratch.iterdir() if not path.name.startswith("pytest-of-")] == []
    (history,) = (one for one in ours["VALVE-15"]["attachments"] if one["type"] == "application/json")
    for file in (f"found/{history['source']}", "found/tidegauge/counterexamples/VALVE-15.jsonl"):
        assert tidegauge("replay", file, "--adapter", WRONG).returncode == 1
    assert "found/tidegauge/counterexamples/VALVE-15.jsonl" in ours["VALVE-15"]["statusDetails"]["trace"]


@pytest.mark.slower
def test_what_plain_pytest_writes_is_what_the_command_writes(tmp_path: Path, tidegauge: Command) -> None:
    smoke = ("--tidegauge-adapter", WRONG, "--tidegauge-budget", "smoke", "--tidegauge-component", "clock")
    pytest_command = run_module(tmp_path, "pytest")
    ended = pytest_command(
        *SUITES, *smoke, "--tidegauge-adapter", "reference", "--alluredir", "d", "--tidegauge-out", "out"
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert not (tmp_path / "d" / "tidegauge").exists()
    assert tidegauge("report", "out", "--report", "allure").returncode == 0
    assert contents(tmp_path / "d") == contents(tmp_path / "out" / "allure-results")
    statuses = {result["status"] for result in written(tmp_path / "d").values()}
    assert (statuses & set(FAILING), read_results(tmp_path / "out" / "results.json").exit_code) == (set(), 0)


@pytest.mark.parametrize(
    "arguments", [("test_mine.py",), pytest.param((*SUITES, "--collect-only"), marks=pytest.mark.slower)]
)
def test_a_session_that_ran_no_item_of_the_suites_says_nothing_of_rules(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "test_mine.py").write_text("def test_mine(): pass", encoding="utf-8")
    smoke = ("--tidegauge-adapter", "reference", "--tidegauge-budget", "smoke", "--alluredir", "d")
    ended = run_module(tmp_path, "pytest")(*arguments, *smoke, "-p", "no:cacheprovider")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert written(tmp_path / "d") == {}


@pytest.mark.slower
def test_a_view_that_fails_is_one_line_and_no_success(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "categories.json").write_text("{", encoding="utf-8")
    smoke = (
        "--tidegauge-adapter",
        "reference",
        "--tidegauge-budget",
        "smoke",
        "--tidegauge-component",
        "clock",
    )
    ended = run_module(tmp_path, "pytest")(*SUITES, *smoke, "--alluredir", "d")
    assert ended.returncode == pytest.ExitCode.INTERNAL_ERROR
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith("tidegauge: ")]
    assert line.startswith("tidegauge: report 'allure' failed: ")
    assert "categories.json is not a list" in line


def test_statuses_that_fail_are_there_exactly_if_the_run_failed(folder: Path) -> None:
    for sample in (results(), results([rule(1, "fail")]), results(complete=False, exit_code=1)):
        write(sample, folder)
        statuses = {str(result["status"]) for result in written(folder).values()}
        assert bool(statuses & set(FAILING)) == (sample.exit_code != 0)
        assert len(cases_of(sample)) == len(written(folder))
