"""What the playground answers, without a browser: the same as the command line."""

from __future__ import annotations

import json
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from subprocess import run

import msgspec
import pytest
from conftest import Command

from tidegauge.components.registry import COMPONENTS
from tidegauge.judging.reference.oracle import expect
from tidegauge.vectors.published import every_vector, published_outputs
from tidegauge_reference import PROFILES
from tidegauge_reports.playground import driver
from tidegauge_reports.playground.bundle import kit_archive

FLUSH = "valve/FLINK-40475-flush"


@pytest.mark.parametrize("profile", PROFILES)
def test_it_outputs_what_the_golden_vectors_demand(profile: str) -> None:
    for vector in every_vector():
        played = json.loads(driver.play(driver.golden_vector(vector.id), profile))
        demanded = published_outputs(vector, PROFILES[profile])
        assert demanded is not None
        assert played["id"] == vector.id
        assert [step["outputs"] for step in played["steps"]] == json.loads(msgspec.json.encode(demanded))


def test_it_says_what_the_command_line_says(tidegauge: Command) -> None:
    for name in (FLUSH, "window/essay-retraction", "coordinator/two-groups"):
        found = json.loads(driver.golden_vector(name))
        printed = tidegauge("expect", name).stdout
        for step in json.loads(driver.play(json.dumps(found), "core"))["steps"]:
            assert step["text"] in printed


def test_it_names_the_rules_of_each_step_and_the_policies_behind_a_difference() -> None:
    played = json.loads(driver.play(driver.golden_vector(FLUSH), "core", "flink-2.3"))
    assert [rule["id"] for rule in played["steps"][-1]["rules"]] == ["VALVE-14", "VALVE-15", "VALVE-16"]
    assert [step["beside"] for step in played["steps"]] == [*[""] * 7, "IDLE"]
    assert "valve_flush_when_all_idle" in [policy["name"] for policy in played["policies"]]
    assert json.loads(driver.play(driver.golden_vector(FLUSH), "core"))["policies"] == []


def test_a_scenario_of_ones_own_can_be_read_by_the_command_line(tidegauge: Command, tmp_path: Path) -> None:
    history = [
        {"step": "watermark", "channel": 0, "timestamp": 4},
        {"step": "snapshot"},
        {"step": "idle", "channel": 0},
        {"step": "restore"},
        {"step": "watermark", "channel": 0, "timestamp": str(2**60)},
    ]
    given = json.dumps({"component": "valve", "setup": {"channels": 1}, "history": history})
    played = json.loads(driver.play(given, "core"))
    assert json.loads(played["line"])["needs"] == ["snapshot", "int64"]
    file = tmp_path / "scenario.jsonl"
    file.write_text(played["line"], encoding="utf-8")
    printed = tidegauge("expect", str(file)).stdout
    for step in played["steps"]:
        assert step["text"] in printed


def test_every_kind_of_step_is_offered_with_values_that_can_be_added() -> None:
    offered = json.loads(driver.offered())
    assert {one["name"] for one in offered["components"]} == COMPONENTS.keys() - {"job"}
    assert offered["profiles"] == list(PROFILES)
    for component in offered["components"]:
        assert component["setups"]
        for step in component["steps"]:
            if step["step"] == "restore":
                continue
            values = {field["name"]: field["value"] for field in step["fields"]}
            given = {"component": component["name"], "history": [{"step": step["step"], **values}]}
            answers = [
                json.loads(driver.play(json.dumps({**given, "setup": one["setup"]}), "core"))
                for one in component["setups"]
            ]
            assert any("problem" not in answer for answer in answers), (
                component["name"],
                step["step"],
                answers[0],
            )


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"component": "valve", "setup": {"channels": "x"}, "history": []}, "`$.setup.channels`"),
        (
            {"component": "valve", "setup": {"channels": 1}, "history": [{"step": "idl"}]},
            "`$.history[0].step`",
        ),
        (
            {"component": "valve", "setup": {"channels": 1}, "history": [{"step": "restore"}]},
            "without a snapshot",
        ),
        (
            {"component": "splits", "setup": {"parts": "inputs", "inputs": 1}, "history": [{"step": "tick"}]},
            "this setup has no such step, but input-watermark, input-idle, input-active",
        ),
        ({"component": "tap", "setup": {}, "history": []}, "tap"),
        ([], ""),
    ],
)
def test_what_cannot_be_played_is_one_line_that_names_the_place(given: object, problem: str) -> None:
    said = json.loads(driver.play(json.dumps(given), "core"))["problem"]
    assert problem in said
    assert "\n" not in said


def test_lines_are_steps_or_scenarios() -> None:
    steps = '{"step":"idle","channel":0}\n\n{"step":"active","channel":0}\n'
    read = json.loads(driver.pasted(steps, "valve", '{"channels":2}'))
    assert [step["step"] for step in read["history"]] == ["idle", "active"]
    assert read["setup"] == {"channels": 2}
    whole = json.loads(driver.pasted(driver.golden_vector(FLUSH), "clock", "{}"))
    assert (whole["component"], len(whole["history"])) == ("valve", 8)
    for bad in (
        *("{", "[]", "[" * 100_000, '{"what": 1}', '{"step":"idl"}'),
        '{"component":"valve","setup":{"channels":2}}\n{"step":"idle","channel":0}',
        '{"component":"valve","setup":{"channels":2},"history":{"a":1}}\n{"step":"idle","channel":0}',
        '{"component":"window","setup":{"assigner":{"assigner":"sliding","size":200000,"slide":1,"offset":0}},"history":[]}',
    ):
        assert "problem" in json.loads(driver.pasted(bad, "valve", '{"channels":2}'))


def test_a_line_to_be_pasted_into_a_terminal_holds_no_control_characters() -> None:
    name = "a\u007f\u202e\u009b\u2028'"
    steps = [{"step": "add-split", "split": name}]
    given = json.dumps(
        {"component": "splits", "setup": {"parts": "splits"}, "history": steps}, ensure_ascii=False
    )
    read = driver.pasted(given, "valve", "{}")
    played = json.loads(driver.play(read, "core"))
    assert played["line"].isascii()
    assert played["line"].isprintable()
    assert json.loads(played["line"])["history"][0]["split"] == name


def test_the_archive_is_enough_for_a_python_with_msgspec_alone(tmp_path: Path) -> None:
    """As in the browser: nothing but the archive, msgspec and the standard library can be imported."""
    assert kit_archive() == kit_archive()
    with zipfile.ZipFile(BytesIO(kit_archive())) as archive:
        archive.extractall(tmp_path)
    program = (
        "import sys; sys.path[:] = [*[p for p in sys.path if 'site-packages' not in p], sys.argv[1], sys.argv[2]]\n"
        "from tidegauge_reports.playground import driver\n"
        f"assert driver.__file__.startswith(sys.argv[1]); print(driver.play(driver.golden_vector({FLUSH!r}), 'core'))"
    )
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "msgspec").symlink_to(Path(msgspec.__file__).parent)
    ran = run(
        [sys.executable, "-I", "-S", "-c", program, str(tmp_path), str(tmp_path / "only")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    vector = next(vector for vector in every_vector() if vector.id == FLUSH)
    expected = json.loads(msgspec.json.encode(expect(vector.scenario, PROFILES["core"]).outputs))
    assert [step["outputs"] for step in json.loads(ran.stdout)["steps"]] == expected
