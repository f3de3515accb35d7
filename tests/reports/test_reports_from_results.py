"""Reports are made from `results.json` alone: those of the run are those that are made of it later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command, others_slower

from tidegauge.components.registry import COMPONENTS, load_mutants

REPORTS = ("report.html", "junit.xml", "summary.md", "badge.svg")

OF_TUPLES = {
    "coordinator": "coordinator-someone-elses-drift",
    "low_watermark": "low-watermark-echo-counts",
    "source": "source-idle-split-is-paused",
    "window": "window-expires-a-millisecond-early",
}
"""Mutants of the components whose scenarios hold tuples, which JSON does not know."""

OTHERS = {
    name: next(mutant.name for mutant in component.mutants if not mutant.name.endswith("-does-nothing"))
    for name, component in COMPONENTS.items()
    if name not in OF_TUPLES
} | {"job": "job-ignores-other-sources"}
"""The first mutant of every other component; of jobs one that breaks a rule in the few jobs of a smoke run."""


def test_the_mutants_are_of_their_components() -> None:
    assert {load_mutants()[name].component: name for name in OF_TUPLES.values()} == OF_TUPLES


@pytest.mark.parametrize("component", others_slower(COMPONENTS, ("clock",)))
def test_reports_made_of_the_document_are_those_of_the_run(
    tidegauge: Command, tmp_path: Path, component: str
) -> None:
    mutant = (OF_TUPLES | OTHERS)[component]
    chosen = ("--component", component, "--budget", "smoke", "-n", "1", "--out", "out", "--quiet")
    ended = tidegauge("run", "--adapter", f"mutant:{mutant}", *chosen)
    assert (ended.returncode, ended.stderr) == (1, "")
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert [rule["id"] for rule in results["rules"] if rule["counterexample"] is not None]
    again = tidegauge("report", "out/results.json", "--out", "other", "--quiet")
    assert (again.returncode, again.stderr) == (1, "")
    for name in REPORTS:
        made_later = (tmp_path / "other" / name).read_bytes()
        assert made_later == (tmp_path / "out" / name).read_bytes(), name
    assert again.stdout.replace("other/", "out/") in ended.stdout
