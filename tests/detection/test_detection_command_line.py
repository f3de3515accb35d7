"""`tidegauge mutants`: what it prints, its exit codes, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import Command

SMOKE = ("mutants", "--budget", "smoke", "--workers", "1")
SURVIVOR = "valve.Valve._output_minimum: channel.watermark > MIN -> channel.watermark >= MIN"


def scored(tidegauge: Command, *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON."""
    ran = tidegauge(*SMOKE, "--json", *arguments)
    return ran.returncode, json.loads(ran.stdout)


def test_json_has_what_others_compute_with(tidegauge_here: Command) -> None:
    code, found = scored(tidegauge_here, "--component", "valve", "--name", "no-flush")
    assert code == 0
    assert (found["total"], found["killed"], found["survivors"]) == (1, 1, [])
    (mutant,) = found["mutants"]
    assert mutant["name"] == "valve-no-flush"
    assert mutant["rules"] == ["VALVE-15"]
    assert mutant["killed_by"] == "valve-vectors"
    assert mutant["rank"] == 1
    assert mutant["scenarios"] > 1
    assert mutant["seconds"] > 0
    assert mutant["shrunk_steps"] == 3
    assert "seeds" not in mutant


@pytest.mark.slower
def test_each_seed_has_its_own_entry(tidegauge_here: Command) -> None:
    code, found = scored(tidegauge_here, "--name", "valve-restored-aligned", "--seeds", "2")
    assert code == (0 if found["killed"] == 1 else 1)
    assert [one["seed"] for one in found["mutants"][0]["seeds"]] == [1, 2]
    assert found["seeds"] == 2


@pytest.mark.slower
def test_a_survivor_fails_the_command_unless_that_is_allowed(tidegauge_here: Command) -> None:
    """An equivalent one, for others do not survive."""
    chosen = (
        "--ast",
        "--component",
        "valve",
        "--name",
        "valve.Valve._output_minimum: channel.watermark > MIN",
    )
    code, found = scored(tidegauge_here, *chosen)
    assert found["equivalent"] == [SURVIVOR]
    assert code == 0
    assert found["killed"] == found["total"] == 1


@pytest.mark.slower
def test_the_table_counts_by_component_and_names_survivors(tidegauge_here: Command) -> None:
    ran = tidegauge_here(*SMOKE, "--name", "valve-no-flush")
    assert ran.returncode == 0
    assert ran.stdout.splitlines()[0].split()[:3] == ["component", "mutants", "killed"]
    assert ran.stdout.splitlines()[1].split()[:3] == ["valve", "1", "1"]
    assert "1 of 1 mutants killed (100.0 %)" in ran.stdout
    assert ran.stderr == ""


REFUSED = {
    ("--component", "valves"): "tidegauge: unknown component 'valves'; did you mean 'valve'? known are clock",
    ("--budget", "large"): "tidegauge: unknown budget 'large'; known are smoke, default, thorough",
    ("--ast", "--seeds", "2"): "tidegauge: --seeds is for the named mutants; those of --ast are tried with",
    ("--name", "no-such-mutant"): "tidegauge: there is no such mutant; without --component, --name and",
    ("--ast", "--name", "no-such-mutant"): "tidegauge: there is no such mutant; without --component",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_bad_input_is_one_line_that_says_what_is_known(
    tidegauge_here: Command, arguments: tuple[str, ...]
) -> None:
    ran = tidegauge_here("mutants", *arguments)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith(REFUSED[arguments])
    assert len(ran.stderr.splitlines()) == 1


def test_numbers_that_make_no_sense_are_refused(tidegauge_here: Command) -> None:
    for option in ("--seeds", "--every", "--workers"):
        assert tidegauge_here("mutants", option, "0").returncode == 2
