"""An adapter explains a counterexample in its own words: the sentences are in the results, the terminal and the reports."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from conftest import Command

from tidegauge.wire.results import ACCUSED, read_results

ENGINE = """
import os
from tidegauge import ComponentAdapter
from tidegauge_reference.clock import PausableClock


class Hasty(PausableClock):
    def pause(self, reason="backpressure"):
        return None


class Mine(ComponentAdapter):
    def clock(self, setup):
        return Hasty(setup.nanoseconds)

    def hints(self, scenario):
        HINTS
"""
SMOKE = ("--component", "clock", "--budget", "smoke", "-n", "1", "--out", "out")
HINT = "The clock of Mine has no pause: look at timer 7."


def source(hints: str) -> str:
    return ENGINE.replace("HINTS", hints)


def test_hints_are_shown_wherever_the_counterexample_is(
    tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    engine_module("mine", source(f'return ["{HINT.replace(" look", chr(92) + "n look")}"]'))
    ended = tidegauge("run", "--adapter", "mine:Mine", *SMOKE)
    assert (ended.returncode, ended.stderr) == (1, "")
    accused = [
        rule for rule in read_results(tmp_path / "out" / "results.json").rules if rule.verdict in ACCUSED
    ]
    examples = [rule.counterexample for rule in accused if rule.counterexample is not None]
    assert examples
    assert all(example.hints == [HINT] for example in examples)
    assert HINT in ended.stdout
    for report in ("junit.xml", "summary.md", "report.html"):
        assert HINT in unescape((tmp_path / "out" / report).read_text(encoding="utf-8")), report
    replayed = tidegauge("replay", f"out/{examples[0].file}", "--adapter", "mine:Mine")
    assert HINT in replayed.stdout


@pytest.mark.slower
@pytest.mark.parametrize("raises", ["raise OSError('no tester')", "os._exit(3)"])
def test_hints_that_fail_change_no_verdict(
    raises: str, tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    verdicts = []
    for hints in ("return []", raises):
        engine_module("mine", source(hints))
        ended = tidegauge("run", "--adapter", "mine:Mine", *SMOKE, "--force")
        assert ended.returncode == 1
        results = read_results(tmp_path / "out" / "results.json")
        verdicts.append([(rule.id, rule.verdict) for rule in results.rules])
    assert verdicts[0] == verdicts[1]
    assert ("There are no hints: OSError: no tester" in ended.stdout) == raises.startswith("raise")
