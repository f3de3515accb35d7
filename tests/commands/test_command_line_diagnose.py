"""`tidegauge diagnose`: what the engine of a run behaves as."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command, results_in


@pytest.mark.slower
def test_the_engine_of_a_run_is_diagnosed_without_running_it_again(
    tidegauge: Command, tmp_path: Path
) -> None:
    run = (
        "run",
        "--adapter",
        "mutant:valve-guarded-flush",
        "--component",
        "valve",
        "--budget",
        "smoke",
        "-n",
        "1",
    )
    ended = tidegauge(*run, "--out", "out")
    told = tidegauge("diagnose", "out")
    assert (told.returncode, told.stderr) == (0, "")
    assert "The engine behaves as the profile core with FLINK-40475a: this explains all" in told.stdout
    assert "valve behaves as FLINK-40475a (valve-guarded-flush): explains" in told.stdout
    assert "The valve flushes only if the channel that became idle last stood at the output" in told.stdout
    assert "tidegauge replay out/counterexamples/valve-term-1.jsonl" in told.stdout
    assert told.stdout.splitlines()[-1] in ended.stdout, "the run says the same"
    (term,) = results_in(tmp_path / "out")["components"][0]["model"]
    assert (term["name"], term["bugs"]) == ("valve-guarded-flush", ["FLINK-40475a"])
    replayed = tidegauge("replay", "out/counterexamples/valve-term-1.jsonl", "--adapter", run[2])
    assert replayed.returncode == 1
    assert "differs from the specification" in replayed.stdout
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert page.index("What fails") < page.index("The engine behaves as the profile core with FLINK-40475a")

    searched = tidegauge("diagnose", "out", "--diagnose-steps", "1000000")
    assert searched.stdout == told.stdout
    not_searched = tidegauge("diagnose", "out", "--diagnose-steps", "0")
    assert not_searched.returncode == 1
    assert "Nothing that is known explains the" in not_searched.stdout
    assert "the search for an explanation ended early" in not_searched.stdout


@pytest.mark.slower
def test_an_engine_that_agrees_has_no_diagnosis(tidegauge: Command) -> None:
    run = ("run", "--adapter", "reference", "--component", "clock", "--budget", "smoke", "-n", "1")
    assert "Diagnosis" not in tidegauge(*run, "--out", "out").stdout
    told = tidegauge("diagnose", "out/results.json")
    assert (told.returncode, told.stdout) == (0, "Diagnosis: Nothing differs from the specification.\n")


def test_what_cannot_be_diagnosed_is_refused_in_a_line(tidegauge_here: Command, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(json.dumps({"schema": "other"}), encoding="utf-8")
    for arguments, said in (
        (("nowhere",), "nowhere/results.json: No such file or directory; give the results.json of a run"),
        (("results.json",), "is JSON, but no results document"),
        (("results.json", "--diagnose-steps", "9"), "results.json is no folder; --diagnose-steps needs"),
        ((".", "--diagnose-steps", "9"), "holds no run; give the --out folder of one"),
    ):
        ended = tidegauge_here("diagnose", *arguments)
        assert ended.returncode == 2, arguments
        assert said in ended.stderr, ended.stderr
    ended = tidegauge_here("run", "--adapter", "reference", "--diagnose-steps", "-1")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "--diagnose-steps -1 is below 0; 0 searches for no model" in ended.stderr
