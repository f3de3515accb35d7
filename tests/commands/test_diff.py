"""`tidegauge diff`: two engines beside each other."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Command

MUTANT = "mutant:valve-no-flush"


def test_the_smallest_difference_is_shown_and_written(tidegauge: Command) -> None:
    sides = ("--left", "reference", "--right", MUTANT)
    ended = tidegauge("diff", *sides, "--scenarios", "300", "--out", "found.jsonl")
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.startswith("valve: differs in ")
    assert "mutant valve-no-flush" in ended.stdout
    assert "-> " in ended.stdout
    again = tidegauge("replay", "found.jsonl", "--adapter", MUTANT)
    assert again.returncode == 1
    assert "differs from the specification" in again.stdout


def test_an_engine_is_the_same_as_itself(tidegauge: Command) -> None:
    ended = tidegauge("diff", "--left", "reference", "--right", "reference", "--scenarios", "20")
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert len(lines) == 10
    assert all(": the same in 20 scenarios, " in line for line in lines)


def test_several_processes_find_what_one_does(tidegauge: Command) -> None:
    sides = ("--left", "reference", "--right", MUTANT, "--scenarios", "1100", "--seed", "3")
    ended = [tidegauge("diff", *sides, "-n", number, "--out", f"{number}.jsonl") for number in ("1", "2")]
    assert [one.returncode for one in ended] == [1, 1], ended
    one, two = (re.sub(r"[\d,]+ steps/s", "", each.stdout) for each in ended)
    assert one == two


def test_options_stand_behind_the_name_of_an_engine(tidegauge: Command) -> None:
    sides = ("--left", "reference,policies=flink-2.3", "--right", "reference", "--component", "valve")
    ended = tidegauge("diff", *sides, "--scenarios", "300")
    assert ended.returncode == 1
    assert re.search(r"^ +step +reference,policies=flink-2\.3 +reference\s*$", ended.stdout, re.MULTILINE)


ENGINE = """
from dataclasses import replace
from pathlib import Path

import msgspec

from tidegauge import ComponentAdapter
from tidegauge.wire.transcript import joined, spans
from tidegauge_reference import CORE
from tidegauge_reference.valve import Valve


class Declared(ComponentAdapter):
    profile_file = str(Path(__file__).with_name("own.toml"))

    def describe(self):
        return msgspec.structs.replace(super().describe(), observes="group")

    def run(self, scenarios):
        for scenario in scenarios:
            (transcript,) = super().run([scenario])
            outputs = joined(list(transcript.outputs), spans(scenario, "group"))
            yield msgspec.structs.replace(transcript, outputs=tuple(outputs))

    def valve(self, setup):
        return Valve(setup.channels, policies=replace(CORE, valve_finished_channel="counts"))


class Beyond(Declared):
    def valve(self, setup):
        policies = replace(CORE, valve_finished_channel="counts", valve_returning_channel="holds-back")
        return Valve(setup.channels, policies=policies)
"""

PROFILE = """
name = "own"

[[choice]]
policy = "valve_finished_channel"
value = "counts"
reason = "an input that ends counts as the end of time"
"""


def test_the_declared_reference_shows_what_an_adapter_does_not_declare(
    tidegauge: Command, tmp_path: Path
) -> None:
    """An engine that is observed by groups of steps is compared, too."""
    (tmp_path / "engine.py").write_text(ENGINE, encoding="utf-8")
    (tmp_path / "own.toml").write_text(PROFILE, encoding="utf-8")
    for name, code in (("engine:Declared", 0), ("engine:Beyond", 1)):
        ended = tidegauge(
            "diff", "--left", f"declared:{name}", "--right", name, "--scenarios", "1100", "-n", "2"
        )
        assert ended.returncode == code, ended.stdout + ended.stderr
    assert "as declared" in ended.stdout
    against_core = ("diff", "--left", "reference", "--right", "engine:Declared", "--scenarios", "300")
    assert tidegauge(*against_core).returncode == 1


def test_a_declared_reference_of_an_unknown_adapter_is_refused(tidegauge: Command) -> None:
    ended = tidegauge("diff", "--left", "declared:nothing", "--right", "reference")
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert "unknown adapter 'nothing'" in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--component", "valv"], "did you mean 'valve'?"),
        (["--component", "clock"], "component 'clock' is not claimed by both engines; both claim valve"),
        (["--profile", "flink"], "unknown profile 'flink'"),
    ],
)
def test_bad_input_is_one_line(tidegauge: Command, arguments: list[str], words: str) -> None:
    ended = tidegauge("diff", "--left", "reference", "--right", MUTANT, *arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert words in line


def test_engines_that_have_nothing_in_common_are_not_compared(tidegauge: Command) -> None:
    ended = tidegauge("diff", "--left", MUTANT, "--right", "mutant:clock-runs-while-blocked")
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1


ENDS = """
import os
from tidegauge import ComponentAdapter
from tidegauge_reference import Valve

class Ends(ComponentAdapter):
    def valve(self, setup):
        return Ending(setup.channels)

class Ending(Valve):
    def watermark(self, channel, timestamp):
        os._exit(3)
"""


def test_an_engine_that_ends_its_process_is_named_with_the_scenario(
    tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    engine_module("ends", ENDS)
    ended = tidegauge(
        "diff", "--left", "ends:Ends", "--right", "reference", "-n", "2", "--component", "valve"
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert "the process of the engine ended with exit status 3 in scenario valve:" in line
