"""Counterexamples run once more in a fresh process: an engine whose instances share state is found out."""

from __future__ import annotations

from pathlib import Path

from conftest import Command, run_module

from tidegauge.wire.results import read_results

SHARED = """
from tidegauge import ComponentAdapter
from tidegauge_reference import CORE, Valve


class SharingValve(Valve):
    largest = [0]

    def watermark(self, channel, timestamp):
        outputs = super().watermark(channel, timestamp)
        self.largest[0] += len(outputs)
        return [("idle",)] if outputs and self.largest[0] > 500 else outputs


class SharingAdapter(ComponentAdapter):
    name = "valves that share a counter"

    def valve(self, setup):
        return SharingValve(setup.channels, CORE)
"""


def test_an_answer_that_depends_on_what_ran_before_is_no_proof(tmp_path: Path) -> None:
    (tmp_path / "sharing.py").write_text(SHARED, encoding="utf-8")
    tidegauge: Command = run_module(tmp_path, "tidegauge")
    tidegauge("run", "--adapter", "sharing:SharingAdapter", "--budget", "smoke", "-n", "1", "--out", "out")
    failing = [
        rule for rule in read_results(tmp_path / "out" / "results.json").rules if rule.verdict == "fail"
    ]
    assert failing
    for rule in failing:
        assert rule.counterexample is not None
        assert not rule.counterexample.deterministic
        assert "a process of its own" in rule.counterexample.got


def test_a_defect_repeats_in_a_fresh_process(tmp_path: Path) -> None:
    tidegauge: Command = run_module(tmp_path, "tidegauge")
    tidegauge("run", "--adapter", "mutant:valve-no-flush", "--budget", "smoke", "-n", "1", "--out", "out")
    failing = [
        rule for rule in read_results(tmp_path / "out" / "results.json").rules if rule.verdict == "fail"
    ]
    assert [rule.id for rule in failing] == ["VALVE-15"]
    assert failing[0].counterexample is not None
    assert failing[0].counterexample.deterministic
