"""`tidegauge expect`, and the names of scenarios that it and `tidegauge replay` take."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command
from engines import valve_scenario
from test_command_line_bad_input import complaint

from tidegauge.components.job.jobs import JOBS
from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.histories import draw_history
from tidegauge.run.named_scenarios import scenario_named
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.scenario import encode_scenario
from tidegauge_reference import CORE


def rows(said: str) -> list[list[str]]:
    """The numbered rows of a table."""
    return [line.split() for line in said.splitlines() if line[:1].isdigit()]


def test_expect_prints_what_the_reference_outputs(tidegauge_here: Command, tmp_path: Path) -> None:
    scenario = valve_scenario(2, "w0=5", "w1=7", "i1", "i0", id="mine")
    (tmp_path / "mine.jsonl").write_bytes(encode_scenario(scenario))
    ended = tidegauge_here("expect", "mine.jsonl")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("mine: a valve with channels=2, profile core\n")
    assert [row[-1] for row in rows(ended.stdout)] == ["nothing", "5", "nothing", "IDLE"]


def test_expect_measures_against_the_profile(tidegauge_here: Command, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_bytes(encode_scenario(valve_scenario(2, "w0=MAX", "i1", id="one")))
    core = tidegauge_here("expect", "one.jsonl")
    flink = tidegauge_here("expect", "one.jsonl", "--profile", "flink-2.3")
    assert (core.returncode, flink.returncode) == (0, 0)
    assert rows(core.stdout) != rows(flink.stdout)


def test_expect_has_nothing_to_say_of_a_whole_job(tidegauge_here: Command) -> None:
    assert "is a whole job, which is judged by its event log" in complaint(
        tidegauge_here, "expect", "job:flip-182"
    )


def test_scenarios_have_names() -> None:
    vector = load_vectors("valve")[3].scenario
    assert scenario_named(vector.id, CORE) == scenario_named(vector.id.upper(), CORE) == vector
    assert scenario_named("job:flip-182", CORE) == JOBS["flip-182"]
    assert scenario_named("valve:seed:7:17", CORE) == draw_history(COMPONENTS["valve"], 7, 17, CORE)
    covered = scenario_named("valve:cover:2-channels-1-timestamp-and-end:5", CORE)
    assert covered is not None
    assert covered.id == "valve:cover:2-channels-1-timestamp-and-end:5"


@pytest.mark.parametrize(
    "name",
    [
        "valve:seed:1",
        "valve:seed:1:²",
        "valve:seed:1:" + "9" * 30,
        "valve:seed:-1:1",
        "job:seed:1:1",
        "valve:cover:no-scope:1",
        "valve:cover:2-channels-1-timestamp-and-end:999999999",
        "nothing:seed:1:1",
        "",
    ],
)
def test_what_is_no_name_is_no_scenario(name: str) -> None:
    assert scenario_named(name, CORE) is None


def test_a_misspelled_name_is_answered_by_the_name_that_was_meant(tidegauge_here: Command) -> None:
    assert complaint(tidegauge_here, "expect", "clock/any-orign") == (
        "'clock/any-orign' is no file, and neither the name of a scenario nor a rule; "
        "did you mean 'clock/any-origin'?"
    )


def test_a_drawn_scenario_is_replayed_by_seed_and_index(tidegauge_here: Command) -> None:
    ended = tidegauge_here("replay", "valve:seed:7:17", "--adapter", "reference")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("valve:seed:7:17: a valve with ")


def test_the_golden_vectors_of_a_rule_are_replayed(tidegauge_here: Command) -> None:
    ended = tidegauge_here("replay", "valve-15", "--adapter", "mutant:valve-guarded-flush")
    assert ended.returncode == 1
    shown = [one.id for one in load_vectors("valve") if "VALVE-15" in one.rules]
    assert [name for name in shown if f"{name}: a valve" in ended.stdout.replace("\n", " ")] == shown
    assert ended.stdout.count("differs from the specification") == 2


@pytest.mark.slower
def test_names_are_known_in_any_case(tidegauge_here: Command, tmp_path: Path) -> None:
    run = ("run", "--adapter", "reference", "--component", "CLOCK", "--rule", "clock-1", "--budget", "Smoke")
    assert tidegauge_here(*run, "-n", "1", "--out", "out").returncode == 0
    selection = json.loads((tmp_path / "out" / "results.json").read_bytes())["selection"]
    assert (selection["components"], selection["rules"]) == ("clock", "CLOCK-1")
    for name in ("valve-3", "e46", "flink-7721", "mutant:VALVE-no-flush"):
        assert tidegauge_here("explain", name).returncode == 0
