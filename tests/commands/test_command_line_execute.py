"""`tidegauge execute` and `replay`: scenarios from files, transcripts and differences to people."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from conftest import Command
from engines import histories, valve_scenario

from tidegauge.wire.scenario import encode_scenario
from tidegauge.wire.transcript import Transcript

LOUD = """
import os, sys
print("loading")
from tidegauge import ComponentAdapter
from tidegauge_reference import Valve

class LoudValve(Valve):
    def watermark(self, channel, timestamp):
        print("a watermark", timestamp)
        sys.stdout.write("without a line end")
        os.write(1, b"straight to the descriptor\\n")
        os.system("echo from a child process")
        return super().watermark(channel, timestamp)

class Loud(ComponentAdapter):
    extras = ("snapshot", "int64")
    def valve(self, setup):
        return LoudValve(setup.channels)
"""

SCENARIOS = [
    valve_scenario(2, "w0=5", "w1=7", "i1", "i0", id="first"),
    valve_scenario(1, "w0=1", "w3=9", "w0=MAX", id="second"),
]
TEXT = "".join(encode_scenario(scenario).decode() + "\n" for scenario in SCENARIOS)

WATERMARK_5 = {"output": "watermark", "timestamp": 5, "to": "downstream"}


def transcripts(text: str) -> list[Transcript]:
    """The transcripts that a command wrote, each a line."""
    return [msgspec.json.decode(line, type=Transcript) for line in text.splitlines()]


def test_scenarios_in_transcripts_out_in_the_same_order(tidegauge: Command) -> None:
    ended = tidegauge("execute", "--adapter", "reference", input=TEXT)
    assert (ended.returncode, ended.stderr) == (0, "")
    first, second = map(json.loads, ended.stdout.splitlines())
    assert first["scenario"] == "first"
    assert first["outputs"][:2] == [[], [WATERMARK_5]]
    assert first["outputs"][3] == [
        {"output": "watermark", "timestamp": 7, "to": "downstream"},
        {"output": "idle", "to": "downstream"},
    ]
    assert second["outputs"][1] == [{"output": "error", "error": "illegal-argument", "to": "caller"}]
    assert second["outputs"][2] == [{"output": "watermark", "timestamp": "MAX", "to": "downstream"}]


def test_nothing_in_nothing_out(tidegauge: Command) -> None:
    ended = tidegauge("execute", "--adapter", "reference", input="\n")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_an_engine_that_prints_disturbs_nothing(
    tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    engine_module("loud", LOUD)
    loud = tidegauge("execute", "--adapter", "loud:Loud", input=TEXT)
    quiet = tidegauge("execute", "--adapter", "reference", input=TEXT)
    assert loud.returncode == 0, loud.stderr
    assert loud.stdout == quiet.stdout
    for words in ("loading", "a watermark 5", "straight to the descriptor", "from a child process"):
        assert words in loud.stderr


def test_many_scenarios_give_as_many_transcripts(tidegauge: Command) -> None:
    drawn = histories(500)
    text = "".join(encode_scenario(scenario).decode() + "\n" for scenario in drawn)
    ended = tidegauge("execute", "--adapter", "reference", input=text)
    assert [transcript.scenario for transcript in transcripts(ended.stdout)] == [s.id for s in drawn]


def test_what_an_engine_raises_is_a_failure_in_its_transcript(
    tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    source = LOUD.replace('print("loading")', "").replace(
        'print("a watermark", timestamp)', "raise KeyError(timestamp)"
    )
    engine_module("raising", source)
    ended = tidegauge("execute", "--adapter", "raising:Loud", input=TEXT)
    assert ended.returncode == 0
    first, _ = transcripts(ended.stdout)
    assert first.outputs == ()
    assert first.failure is not None
    assert (first.failure.kind, first.failure.text) == ("exception", "KeyError: 5")


def test_the_engine_s_options_and_profile_are_used(tidegauge: Command) -> None:
    text = encode_scenario(valve_scenario(2, "w0=MAX", "i1")).decode()
    core, flink = (
        tidegauge("execute", "--adapter", "reference", "--option", f"policies={policies}", input=text)
        for policies in ("core", "flink-2.3")
    )
    assert (core.returncode, flink.returncode) == (0, 0)
    assert '"timestamp":"MAX"' in flink.stdout
    assert '"timestamp":"MAX"' not in core.stdout


@pytest.fixture
def file(tmp_path: Path) -> str:
    """The scenarios in a file."""
    (tmp_path / "scenarios.jsonl").write_text(TEXT, encoding="utf-8")
    return "scenarios.jsonl"


def test_replay_shows_every_step_of_an_engine_that_agrees(tidegauge: Command, file: str) -> None:
    ended = tidegauge("replay", file, "--adapter", "reference")
    assert (ended.returncode, ended.stderr) == (0, "")
    for part in (
        "first: a valve with channels=2",
        "watermark(channel=0, timestamp=5)",
        "idle(channel=0)",
        "watermark 7, then IDLE",
        "error illegal-argument",
        "tidegauge reference agrees with the specification",
    ):
        assert part in ended.stdout


def test_replay_points_at_the_step_that_differs(tidegauge: Command, file: str) -> None:
    ended = tidegauge("replay", file, "--adapter", "mutant:valve-no-flush")
    assert ended.returncode == 1
    (pointed,) = [line for line in ended.stdout.splitlines() if line.startswith("->")]
    assert pointed.split() == ["->", "idle(channel=0)", "watermark", "7,", "then", "IDLE", "IDLE"]
    assert "mutant valve-no-flush differs from the specification" in ended.stdout
    assert "mutant valve-no-flush agrees with the specification" in ended.stdout, "the second scenario"


def test_replay_measures_against_the_profile_asked_for(tidegauge: Command, tmp_path: Path) -> None:
    text = encode_scenario(valve_scenario(2, "w0=MAX", "i1")).decode()
    (tmp_path / "one.jsonl").write_text(text, encoding="utf-8")
    assert tidegauge("replay", "one.jsonl", "--adapter", "reference").returncode == 0
    ended = tidegauge("replay", "one.jsonl", "--adapter", "reference", "--profile", "flink-2.3")
    assert ended.returncode == 1
    assert "watermark MAX" in ended.stdout


def test_replay_shows_texts_as_they_are(tidegauge: Command, tmp_path: Path) -> None:
    setup = {"vertices": [{"name": "[/nothing]", "tasks": 1, "partitions": 1}]}
    step = {"step": "watermark", "vertex": "[/nothing]", "task": 0, "timestamp": 5}
    line = {"component": "low_watermark", "id": "[bold]", "setup": setup, "history": [step]}
    (tmp_path / "named.jsonl").write_text(json.dumps(line), encoding="utf-8")
    shown = tidegauge("replay", "named.jsonl", "--adapter", "reference")
    assert "[/nothing]" in shown.stdout
    assert shown.returncode == 0, shown.stderr


@pytest.mark.slower
def test_a_counterexample_of_a_run_is_replayed(tidegauge: Command) -> None:
    arguments = ("--adapter", "mutant:valve-heard-while-idle")
    smoke = ("--budget", "smoke", "--component", "valve", "-n", "1", "--out", "out")
    assert tidegauge("run", *arguments, *smoke).returncode == 1
    wrong = tidegauge("replay", "out/counterexamples/VALVE-5.jsonl", *arguments)
    assert wrong.returncode == 1
    assert [line for line in wrong.stdout.splitlines() if line.startswith("->")]
    right = tidegauge("replay", "out/counterexamples/VALVE-5.jsonl", "--adapter", "reference")
    assert right.returncode == 0
