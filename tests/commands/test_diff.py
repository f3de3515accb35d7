"""`tidegauge diff`: two engines beside each other."""

from __future__ import annotations

import re
from collections.abc import Callable

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
