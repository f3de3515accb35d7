"""`--json`: commands print their document to stdout, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command, results_in, run_module

ENGINE = ("--adapter", "mutant:clock-milliseconds", "--component", "clock", "--budget", "smoke", "-n", "1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that has printed its results as JSON into `stdout.json`."""
    folder = tmp_path_factory.mktemp("json")
    ended = run_module(folder, "tidegauge")("run", *ENGINE, "--out", "out", "--json")
    assert (ended.returncode, ended.stderr) == (1, "")
    (folder / "stdout.json").write_text(ended.stdout, encoding="utf-8")
    return folder


def test_a_run_prints_its_results(folder: Path) -> None:
    printed = (folder / "stdout.json").read_bytes()
    assert printed == (folder / "out" / "results.json").read_bytes()
    assert json.loads(printed)["counts"]["fail"] > 0


def test_a_report_prints_the_results_that_it_is_made_of(folder: Path) -> None:
    ended = run_module(folder, "tidegauge")("report", "out/results.json", "--out", "again", "--json")
    assert (ended.returncode, ended.stderr) == (1, "")
    assert json.loads(ended.stdout) == results_in(folder / "out")
    assert (folder / "again" / "report.html").is_file()


def test_a_diagnosis_is_the_sentence_and_the_components(folder: Path) -> None:
    ended = run_module(folder, "tidegauge")("diagnose", "out", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    diagnosis = json.loads(ended.stdout)
    assert "clock-milliseconds" in diagnosis["diagnosis"]
    assert diagnosis["components"] == results_in(folder / "out")["components"]


def test_a_checked_log_is_printed_as_it_is_written(tmp_path: Path, tidegauge_here: Command) -> None:
    row = {"job": "shop", "source": "orders", "subtask": 0, "kind": "watermark", "processing_time": 1}
    times = [{**row, "sequence": place, "event_time": time} for place, time in enumerate((9, 4))]
    (tmp_path / "log.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in times), encoding="utf-8")
    ended = tidegauge_here("check-log", "log.jsonl", "--out", "out", "--json")
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout == (tmp_path / "out" / "log-results.json").read_text(encoding="utf-8")
    assert json.loads(ended.stdout)["rows"] == 2


def test_a_checked_log_is_printed_when_its_page_is_made_again(
    tmp_path: Path, tidegauge_here: Command
) -> None:
    row = {"job": "shop", "source": "orders", "subtask": 0, "kind": "watermark", "processing_time": 1}
    line = json.dumps({**row, "sequence": 0, "event_time": 9})
    (tmp_path / "log.jsonl").write_text(f"{line}\n", encoding="utf-8")
    assert tidegauge_here("check-log", "log.jsonl", "--out", "out").returncode == 0
    ended = tidegauge_here("report", "out/log-results.json", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == (tmp_path / "out" / "log-results.json").read_text(encoding="utf-8")


def test_changes_of_the_known_deviations_are_no_part_of_the_document(
    tidegauge: Command, tmp_path: Path
) -> None:
    ended = tidegauge(
        "run", *ENGINE, "--out", "out", "--json", "--deviations", "known.toml", "--update-deviations"
    )
    assert ended.returncode == 1
    assert json.loads(ended.stdout) == results_in(tmp_path / "out")
    assert "known.toml: put in: " in ended.stderr


def test_a_run_that_is_repeated_prints_no_document(tidegauge_here: Command) -> None:
    ended = tidegauge_here("run", *ENGINE, "--watch", "--json")
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)
    assert "leave one of them out" in ended.stderr
