"""`tidegauge run`: exit codes, results, and what is written where."""

from __future__ import annotations

import json
import subprocess
from datetime import datetime
from pathlib import Path

import pytest
from conftest import Command, results_in, run_module
from engines import VALVE_RULES

from tidegauge.wire.results import ACCUSED, decode_results
from tidegauge_spec import load_registry

BROKEN_IN_2_3 = {"VALVE-6", "VALVE-12", "VALVE-15", "VALVE-17", "VALVE-18", "VALVE-20", "VALVE-21"}

Finished = tuple[subprocess.CompletedProcess[str], Path]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("valve", "clock"), id="two components"),
        pytest.param((), id="every component", marks=pytest.mark.slower),
    ],
)
def reference_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A smoke run of the reference with all warnings turned into errors, and its folder."""
    folder = tmp_path_factory.mktemp("reference-run")
    command = run_module(folder, "tidegauge")
    strict = {"PYTHONWARNINGS": "error"}
    chosen = [part for name in request.param for part in ("--component", name)]
    smoke = ("--budget", "smoke", "--seed", "3", "-n", "2", "--progress", "none")
    return command("run", "--adapter", "reference", *chosen, *smoke, environment=strict), folder


def verdicts_in(folder: Path, component: str = "valve") -> dict[str, str]:
    """The verdict on each rule of a component."""
    return {
        rule["id"]: rule["verdict"] for rule in results_in(folder)["rules"] if rule["component"] == component
    }


def test_the_reference_passes_without_a_word_of_complaint(reference_run: Finished) -> None:
    ended, _ = reference_run
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stderr == ""


def test_the_summary_counts_and_names_the_report(reference_run: Finished) -> None:
    ended, _ = reference_run
    assert "profile core: " in ended.stdout
    assert "seed 3" in ended.stdout
    assert "report: tidegauge-results/report.html" in ended.stdout
    assert "agrees with itself by construction: its passing proves nothing" in ended.stdout


def test_the_results_stand_in_the_default_folder_with_a_report(reference_run: Finished) -> None:
    folder = reference_run[1] / "tidegauge-results"
    assert {"results.json", "journal.jsonl", "engine.log", "report.html"} <= {
        path.name for path in folder.iterdir()
    }
    assert [path.name for path in reference_run[1].iterdir()] == ["tidegauge-results"], (
        "and nothing else is left"
    )
    assert not list(folder.glob("running-*"))
    assert not list(folder.glob("results.json.*"))


def test_results_have_the_published_fields(reference_run: Finished) -> None:
    results = results_in(reference_run[1] / "tidegauge-results")
    assert {
        "schema",
        "tidegauge",
        "spec",
        "profile",
        "implementation",
        "environment",
        "seed",
        "budget",
        "started",
        "duration_s",
        "counts",
        "rules",
    } <= set(results)
    assert (results["schema"], results["spec"], results["profile"]) == ("tidegauge-results/3", "1.0", "core")
    assert (results["seed"], results["budget"], results["complete"], results["exit_code"]) == (
        3,
        "smoke",
        True,
        0,
    )
    assert results["implementation"]["name"] == "tidegauge reference"
    assert "proves nothing" in results["implementation"]["remark"]
    assert {"python", "platform", "pytest"} <= set(results["environment"])
    assert results["duration_s"] > 0
    assert datetime.fromisoformat(results["started"]).tzinfo is not None


def test_every_rule_is_in_the_results_with_its_text(reference_run: Finished) -> None:
    results = results_in(reference_run[1] / "tidegauge-results")
    registry = load_registry()
    chosen = set((results["selection"].get("components") or ",".join(registry.chapters)).split(","))
    of_those = [rule.id for rule in registry.rules.values() if rule.component in chosen]
    assert [rule["id"] for rule in results["rules"]] == of_those
    for found in results["rules"]:
        rule = registry.rules[found["id"]]
        assert {"layer", "policy", "scenarios", "steps", "suspects", "counterexample", "reason"} <= set(found)
        assert (found["level"], found["component"], found["title"]) == (
            rule.level,
            rule.component,
            rule.title,
        )
        assert (found["sentence"], found["intent"]) == (rule.sentence, rule.intent)
        assert found["verdict"] in ("pass", "not-applicable")
        assert found["counterexample"] is None


def test_every_rule_of_the_valve_passes_with_enough_evidence(reference_run: Finished) -> None:
    results = results_in(reference_run[1] / "tidegauge-results")
    valve = [rule for rule in results["rules"] if rule["component"] == "valve"]
    assert [rule["id"] for rule in valve] == VALVE_RULES
    for rule in valve:
        assert (rule["verdict"], rule["layer"], rule["policy"]) == ("pass", "in-process", None)
        assert rule["scenarios"] >= 10
        assert rule["steps"] >= rule["scenarios"]


def test_counts_add_up(reference_run: Finished) -> None:
    results = results_in(reference_run[1] / "tidegauge-results")
    verdicts = [rule["verdict"] for rule in results["rules"]]
    for name in ("pass", "fail", "error", "not-tested", "not-applicable"):
        assert results["counts"][name] == verdicts.count(name)
    assert results["counts"]["scenarios"] == sum(item["scenarios"] for item in results["items"])
    assert results["counts"]["steps"] == sum(item["steps"] for item in results["items"])
    assert results["counts"]["scenarios"] > 3000
    assert results["counts"]["failing_scenarios"] == 0


def test_every_suite_took_part(reference_run: Finished) -> None:
    items = results_in(reference_run[1] / "tidegauge-results")["items"]
    assert {item["outcome"] for item in items} == {"judged"}
    ids = " ".join(item["id"] for item in items)
    for suite in ("vectors", "state-cover", "random-histories", "properties", "fuzz", "interactive"):
        assert f"valve-{suite}" in ids
    assert len({item["id"] for item in items}) == len(items)


def test_results_are_read_again_as_they_were_written(reference_run: Finished) -> None:
    document = (reference_run[1] / "tidegauge-results" / "results.json").read_bytes()
    assert decode_results(document, "results.json").exit_code == 0


SMOKE = ("--budget", "smoke", "-n", "1", "--component", "valve", "--out", "out")


@pytest.mark.slower
def test_flink_2_3_conforms_to_its_own_profile(tidegauge: Command, tmp_path: Path) -> None:
    ended = tidegauge(
        "run", "--adapter", "reference", "--option", "policies=flink-2.3", "--profile", "flink-2.3", *SMOKE
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["profile"] == "flink-2.3"
    assert results["implementation"]["options"] == {"policies": "flink-2.3"}
    policies = {rule["id"]: rule["policy"] for rule in results["rules"]}
    assert policies["VALVE-12"] == "by policy valve_minimum_when_active = deferred; core says derived"
    of_the_valve = {rule: policy for rule, policy in policies.items() if rule.startswith("VALVE-")}
    assert {rule for rule, policy in of_the_valve.items() if policy is not None} == BROKEN_IN_2_3
    not_held = {p["name"] for p in results["properties"] if p["verdict"] == "not-applicable"}
    assert {"valve-nothing-pending", "valve-end-of-time", "valve-idle-order"} <= not_held


@pytest.mark.slower
def test_what_flink_2_3_does_not_have_does_not_apply(tidegauge: Command, tmp_path: Path) -> None:
    chosen = [part for name in ("backlog", "low_watermark") for part in ("--component", name)]
    engine = ("--adapter", "reference", "--option", "policies=flink-2.3")
    ended = tidegauge("run", *engine, *chosen, "--budget", "smoke", "-n", "1", "--out", "out")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    reasons = {rule["id"]: rule["reason"] for rule in results_in(tmp_path / "out")["rules"]}
    absent = {rule for rule, reason in reasons.items() if reason == "the profile flink-2.3 has no such thing"}
    assert {"LOW-1", "LOW-16", "BACKLOG-1"} <= absent
    assert "BACKLOG-8" not in absent


@pytest.mark.slower
def test_an_engine_suggests_its_profile(tidegauge: Command, tmp_path: Path) -> None:
    ended = tidegauge(
        "run", "--adapter", "reference", "--option", "policies=flink-2.3", "--rule", "VALVE-12", *SMOKE
    )
    assert ended.returncode == 0, ended.stdout
    assert results_in(tmp_path / "out")["profile"] == "flink-2.3"
    assert verdicts_in(tmp_path / "out") == {"VALVE-12": "pass"}


@pytest.fixture(scope="module")
def flink_against_core(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """The valve of Flink 2.3.0 measured against the profile `core`."""
    folder = tmp_path_factory.mktemp("flink-against-core")
    command = run_module(folder, "tidegauge")
    engine = ("--adapter", "reference", "--option", "policies=flink-2.3", "--profile", "core")
    smoke = ("--component", "valve", "--budget", "smoke", "-n", "2", "-v", "--out", "out")
    ended = command("run", *engine, *smoke)
    return ended, folder


@pytest.mark.slower
def test_flink_2_3_fails_the_core_profile_where_it_is_known_to(flink_against_core: Finished) -> None:
    ended, folder = flink_against_core
    assert ended.returncode == 1, ended.stdout + ended.stderr
    failed = {rule for rule, verdict in verdicts_in(folder / "out").items() if verdict == "fail"}
    assert "VALVE-15" in failed
    assert failed & {"VALVE-17", "VALVE-18", "VALVE-20"}
    explains_as_well = {"VALVE-8", "VALVE-9"}
    assert failed <= BROKEN_IN_2_3 | explains_as_well, "the latter since a smoke run has few such histories"


@pytest.mark.slower
def test_a_failing_rule_has_a_counterexample_that_a_stranger_understands(
    flink_against_core: Finished,
) -> None:
    ended, folder = flink_against_core
    rules = [rule for rule in results_in(folder / "out")["rules"] if rule["verdict"] in ACCUSED]
    assert "fail" in {rule["verdict"] for rule in rules}
    for rule in rules:
        shown = rule["counterexample"]
        assert shown["file"] == f"counterexamples/{rule['id']}.jsonl"
        assert json.loads((folder / "out" / shown["file"]).read_text(encoding="utf-8")) == shown["scenario"]
        assert len(shown["steps"]) == len(shown["scenario"]["history"]) <= 8
        last = shown["steps"][shown["diverges_at"]]
        assert last["expected"] != last["got"]
        if rule["verdict"] == "suspect" or rule["suspected"]:
            assert rule["suspects"][0]["score"] >= rule["suspects"][-1]["score"] > 0
        else:
            assert rule["suspects"] == [], "the model proves it"
        for part in (rule["id"], rule["sentence"], shown["expected"], shown["got"], shown["replay"]):
            assert part in shown["message"]
        card = shown["message"].partition("\nReplay: ")[0]
        again = f"{card.splitlines()[0]}: the first difference above"
        assert card in ended.stdout or again in ended.stdout
        assert f"Replay: {shown['replay']}\n" in ended.stdout


@pytest.mark.slower
def test_the_replay_command_of_a_counterexample_shows_the_difference(flink_against_core: Finished) -> None:
    _, folder = flink_against_core
    shown = next(rule for rule in results_in(folder / "out")["rules"] if rule["verdict"] == "fail")[
        "counterexample"
    ]
    words = shown["replay"].split()
    assert words[:2] == ["tidegauge", "replay"]
    ended = run_module(folder, "tidegauge")(*words[1:])
    assert ended.returncode == 1
    assert "differs from the specification" in ended.stdout


@pytest.mark.slower
def test_properties_that_need_no_reference_fail_too(flink_against_core: Finished) -> None:
    _, folder = flink_against_core
    properties = {p["name"]: p["verdict"] for p in results_in(folder / "out")["properties"]}
    assert properties["valve-end-of-time"] == "fail"
    assert properties["valve-idle-order"] == "fail"
    assert properties["valve-output-increases"] == "pass"


@pytest.mark.slower
def test_one_rule_is_judged_alone(tidegauge: Command, tmp_path: Path) -> None:
    ended = tidegauge("run", "--adapter", "reference", "--rule", "VALVE-10", "--rule", "VALVE-3", *SMOKE)
    assert ended.returncode == 0, ended.stdout
    assert verdicts_in(tmp_path / "out") == {"VALVE-3": "pass", "VALVE-10": "pass"}
    assert results_in(tmp_path / "out")["selection"]["rules"] == "VALVE-10,VALVE-3"


@pytest.mark.slower
def test_a_second_run_into_the_same_folder_leaves_nothing_of_the_first(
    tidegauge: Command, tmp_path: Path
) -> None:
    assert tidegauge("run", "--adapter", "mutant:valve-no-flush", *SMOKE).returncode == 1
    assert list((tmp_path / "out" / "counterexamples").iterdir())
    assert tidegauge("run", "--adapter", "reference", "--rule", "VALVE-3", *SMOKE).returncode == 0
    assert not list((tmp_path / "out" / "counterexamples").iterdir())
    assert results_in(tmp_path / "out")["implementation"]["name"] == "tidegauge reference"
    assert not list((tmp_path / "out").glob(".last-run-*"))


def test_refused_input_leaves_the_old_results_where_they_are(tidegauge: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "results.json").write_text("old", encoding="utf-8")
    assert tidegauge("run", "--adapter", "nope", "--out", "out").returncode == 2
    assert (out / "results.json").read_text(encoding="utf-8") == "old"
    assert not list(out.glob(".last-run-*"))


@pytest.mark.slower
def test_the_first_failure_is_shown_at_once_and_may_end_the_run(tidegauge: Command, tmp_path: Path) -> None:
    ended = tidegauge(
        *("run", "--adapter", "mutant:valve-no-flush", "--component", "valve", "--budget", "smoke"),
        *("--fail-fast", "-n", "1", "--out", "out"),
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert ended.stdout.startswith("First difference, in valve-")
    first, _, _ = ended.stdout.partition("Replay: ")
    assert "expected: " in first
    results = results_in(tmp_path / "out")
    assert not results["complete"]
    outcomes = [item["outcome"] for item in results["items"]]
    assert "failed" in outcomes
    assert "not-run" in outcomes
