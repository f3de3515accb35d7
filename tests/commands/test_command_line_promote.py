"""`tidegauge promote`: a counterexample becomes a vector with a stable id, which later runs judge."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import PATIENCE, ROOT, Command, plain_environment, run_module
from msgspec.structs import replace

from tidegauge.components.job.jobs import JOBS
from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.histories import draw_history
from tidegauge.judging.reference.oracle import expect
from tidegauge.run.items import find_scenario
from tidegauge.run.journal import JournalReader, Started
from tidegauge.run.promotion import content_id, promoted
from tidegauge.vectors.layout import vectors_laid_out
from tidegauge.vectors.published import load_vectors, published_outputs, read_vector_file, vector_problems
from tidegauge.wire.scenario import encode_scenario, read_scenario_file
from tidegauge_reference import CORE, PROFILES
from tidegauge_spec import load_registry

WRONG = "mutant:valve-no-flush"
SMOKE = ("--component", "valve", "--budget", "smoke", "-n", "1", "--out", "out")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The counterexample that a run of a wrong engine found."""
    folder = tmp_path_factory.mktemp("found")
    ended = run_module(folder, "tidegauge")("run", "--adapter", WRONG, *SMOKE)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    return folder / "out" / "counterexamples" / "VALVE-15.jsonl"


@pytest.fixture
def line(found: Path) -> dict[str, Any]:
    """It, to be changed by a test."""
    return dict(json.loads(found.read_text(encoding="utf-8")))


@pytest.fixture
def clone(tmp_path: Path) -> dict[str, str]:
    """The environment in which the specification is another clone, `spec/` in the test's own folder."""
    shutil.copytree(ROOT / "spec" / "tidegauge_spec", tmp_path / "spec" / "tidegauge_spec")
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    folders = [str(tmp_path / "spec"), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, folders))}


def written(folder: Path, *lines: dict[str, Any], name: str = "VALVE-15.jsonl") -> str:
    """A file of scenarios; its name."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / name).write_text(text, encoding="utf-8")
    return name


def test_a_promoted_counterexample_is_a_vector(tidegauge_here: Command, found: Path, tmp_path: Path) -> None:
    ended = tidegauge_here("promote", str(found), "--into", "mine")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["valve.json"]
    (vector,) = read_vector_file(tmp_path / "mine" / "valve.json")
    (scenario,) = read_scenario_file(found)
    assert re.fullmatch(r"valve/found-[0-9a-f]{10}", vector.id)
    assert vector.scenario.id == vector.id == content_id(scenario)
    assert (vector.scenario.setup, vector.scenario.history) == (scenario.setup, scenario.history)
    assert vector.scenario.origin.kind == "vector"
    assert vector.rules == ("VALVE-15",)
    assert len(vector.expected) > 1, "a history on which policies differ"
    assert vector.title == load_registry().rules["VALVE-15"].title
    assert vector.reason == f"An engine broke VALVE-15 here. {load_registry().rules['VALVE-15'].intent}"
    assert scenario.origin.of is not None
    assert scenario.origin.of in vector.source
    for part in (vector.id, "VALVE-15", "mine/valve.json", "--vectors mine"):
        assert part in ended.stdout


@pytest.mark.slower
@pytest.mark.parametrize(("adapter", "outcome"), [(WRONG, "failed"), ("reference", "judged")])
def test_a_later_run_judges_it(
    tidegauge: Command, found: Path, tmp_path: Path, adapter: str, outcome: str
) -> None:
    tidegauge("promote", str(found), "--into", "mine", "--id", "valve/mine")
    ended = tidegauge("run", "--adapter", adapter, "--vectors", "mine", *SMOKE)
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    (item,) = [item for item in results["items"] if item["id"] == "valve-vectors-own"]
    assert (item["outcome"], item["scenarios"]) == (outcome, 1)
    assert ended.returncode == {"failed": 1, "judged": 0}[outcome], ended.stdout + ended.stderr


def test_promoting_again_changes_nothing_whatever_the_scenario_is_called(
    tidegauge_here: Command, line: dict[str, Any], tmp_path: Path
) -> None:
    file = written(tmp_path, line)
    tidegauge_here("promote", file, "--into", "mine")
    before = (tmp_path / "mine" / "valve.json").read_bytes()
    renamed = {**line, "id": "another", "origin": {"kind": "own"}, "groups": []}
    for again in (line, renamed):
        written(tmp_path, again)
        ended = tidegauge_here("promote", file, "--into", "mine", "--id", "valve/other")
        assert ended.returncode == 0
        assert f"{again['id']} is a vector already: valve/found-" in ended.stdout
        assert (tmp_path / "mine" / "valve.json").read_bytes() == before


def test_what_is_published_already_is_not_promoted(tidegauge_here: Command, tmp_path: Path) -> None:
    published = load_vectors("valve")[0]
    (tmp_path / "x.jsonl").write_bytes(encode_scenario(published.scenario))
    ended = tidegauge_here("promote", "x.jsonl", "--into", "mine")
    assert ended.returncode == 0
    assert f"is a vector already: {published.id}" in ended.stdout
    assert not (tmp_path / "mine").exists()


def test_the_id_depends_on_what_is_done_only(line: dict[str, Any], tmp_path: Path) -> None:
    changed = {**line, "history": line["history"][1:]}
    wider = {**line, "setup": {"channels": 5}}
    renamed = {**line, "id": "other", "origin": {"kind": "own"}}
    ids = []
    for one in (line, renamed, changed, wider):
        (scenario,) = read_scenario_file(tmp_path / written(tmp_path, {**one, "groups": []}))
        ids.append(content_id(scenario))
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3


def test_all_that_people_read_can_be_chosen(tidegauge_here: Command, found: Path, tmp_path: Path) -> None:
    texts = ("--id", "valve/my-name", "--title", "A", "--reason", "B", "--source", "BUG-7")
    ended = tidegauge_here(
        "promote", str(found), "--into", "mine", *texts, "--rule", "VALVE-14", "--rule", "VALVE-15"
    )
    assert ended.returncode == 0, ended.stderr
    (vector,) = read_vector_file(tmp_path / "mine" / "valve.json")
    assert (vector.id, vector.title, vector.reason, vector.source) == ("valve/my-name", "A", "B", "BUG-7")
    assert vector.scenario.id == "valve/my-name"
    assert vector.rules == ("VALVE-14", "VALVE-15")


@pytest.mark.parametrize(
    ("rule", "part"),
    [("VALVE-99", "unknown rule 'VALVE-99'"), ("GEN-1", "GEN-1 decides nothing in 'valve/found-")],
)
def test_a_rule_that_the_scenario_does_not_show_is_refused(
    tidegauge_here: Command, found: Path, tmp_path: Path, rule: str, part: str
) -> None:
    assert part in refused(tidegauge_here, "promote", str(found), "--into", "mine", "--rule", rule)
    assert not (tmp_path / "mine").exists()


def test_without_a_rule_in_the_name_the_rules_that_act_in_the_last_step_are_shown(
    tidegauge_here: Command, line: dict[str, Any], tmp_path: Path
) -> None:
    tidegauge_here("promote", written(tmp_path, line, name="mine.jsonl"), "--into", "mine")
    tidegauge_here(
        "promote", written(tmp_path, {**line, "setup": {"channels": 3}}, name="GEN-1.jsonl"), "--into", "mine"
    )
    for vector in read_vector_file(tmp_path / "mine" / "valve.json"):
        last = expect(vector.scenario, CORE).cited[-1]
        assert set(vector.rules) == {decision for decision in last if not decision.endswith("!")}
        assert "VALVE-22!" in last


def test_where_no_rule_acts_in_the_last_step_those_that_decide_there_are_shown() -> None:
    scenario = draw_history(COMPONENTS["idleness"], 1, 3, CORE)
    assert set(expect(scenario, CORE).cited[-1]) == {"IDLE-5!", "GEN-4!"}
    assert promoted(scenario).rules == ("GEN-4", "IDLE-5")


def test_several_scenarios_go_each_to_the_file_of_its_component(
    tidegauge_here: Command, line: dict[str, Any], tmp_path: Path
) -> None:
    clock = json.loads(encode_scenario(load_vectors("clock")[0].scenario))
    clock["history"] = clock["history"][:-1]
    clock["groups"] = []
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "valve.json").write_bytes(b"[]\n")
    other = {**line, "id": "other", "setup": {"channels": 3}}
    ended = tidegauge_here("promote", written(tmp_path, line, clock, other), "--into", "mine")
    assert ended.returncode == 0, ended.stderr
    assert [len(read_vector_file(tmp_path / "mine" / f"{name}.json")) for name in ("valve", "clock")] == [
        2,
        1,
    ]


@pytest.mark.slower
def test_in_a_clone_it_joins_the_vectors_of_the_specification(
    tidegauge: Command, clone: dict[str, str], found: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "spec" / "tidegauge_spec" / "vectors" / "1.0"
    before = read_vector_file(folder / "valve.json")
    ended = tidegauge("promote", str(found), environment=clone)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Every run judges it from now on" in ended.stdout
    vectors = read_vector_file(folder / "valve.json")
    assert vectors[:-1] == before
    assert (folder / "valve.json").read_bytes() == vectors_laid_out(vectors)
    assert vectors[-1].rules == ("VALVE-15",)
    tidegauge("run", "--adapter", "reference", *SMOKE, environment=clone)
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    (item,) = [item for item in results["items"] if item["id"] == "valve-vectors"]
    assert (item["outcome"], item["scenarios"]) == ("judged", len(vectors))


@pytest.mark.slower
def test_under_plain_pytest_vectors_of_your_own_fail(tidegauge: Command, found: Path, tmp_path: Path) -> None:
    tidegauge("promote", str(found), "--into", "mine")
    options = ["--tidegauge-adapter", WRONG, "--tidegauge-component", "valve", "--tidegauge-budget", "smoke"]
    arguments = ("--pyargs", "tidegauge.run.suites", "-p", "no:cacheprovider", "-q", *options)
    vectors = ("--tidegauge-vectors", "mine", "-k", "vectors-own")
    ended = run_module(tmp_path, "pytest")(*arguments, *vectors)
    assert "1 failed" in ended.stdout.splitlines()[-1]
    assert ended.returncode == 1


def test_an_installed_specification_is_not_changed(
    tidegauge: Command, clone: dict[str, str], found: Path, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").unlink()
    vectors = tmp_path / "spec" / "tidegauge_spec" / "vectors"
    before = {file: file.read_bytes() for file in vectors.rglob("*.json*")}
    ended = tidegauge("promote", str(found), environment=clone)
    assert ended.returncode == 2
    assert "name a folder of your own, promote --into FOLDER" in ended.stderr
    assert {file: file.read_bytes() for file in vectors.rglob("*.json*")} == before


def refused(tidegauge_here: Command, *arguments: str) -> str:
    """The one line with which the command refuses; nothing is said otherwise."""
    ended = tidegauge_here(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    (complaint,) = ended.stderr.splitlines()
    return complaint


TWINS = {"name": "job/vertex", "tasks": 1, "partitions": 1}
BAD_LINES: dict[str, tuple[dict[str, Any], str]] = {
    "no scenario": ({"component": "valve"}, "line 1: not a scenario: Object missing required field `id`"),
    "no steps": ({"history": [], "groups": []}, "has no steps and therefore no outputs to compare"),
    "a step of another component": (
        {"history": [{"step": "tick"}], "groups": []},
        "line 1: not a scenario: Invalid value 'tick'",
    ),
    "nothing the reference can run": (
        {
            "component": "low_watermark",
            "id": "twins",
            "setup": {"vertices": [TWINS, TWINS]},
            "history": [{"step": "trigger", "timestamp": 1}],
        },
        "the reference cannot run 'twins': IllegalArgument: vertices must be given, each with a name of its own",
    ),
    "restored without a snapshot": (
        {"history": [{"step": "restore"}], "groups": [], "needs": ["snapshot"]},
        "restore without a snapshot before it",
    ),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_scenarios_that_cannot_be_vectors_are_refused(
    tidegauge_here: Command, line: dict[str, Any], tmp_path: Path, case: str
) -> None:
    change, part = BAD_LINES[case]
    wrong = change if "component" in change else {**line, **change}
    good = {**line, "id": "good", "setup": {"channels": 7}}
    file = written(tmp_path, wrong, good)
    assert part in refused(tidegauge_here, "promote", file, "--into", "mine")
    assert not (tmp_path / "mine").exists()


def test_a_whole_job_is_refused_with_the_reason(tidegauge_here: Command, tmp_path: Path) -> None:
    (tmp_path / "JOB-1.jsonl").write_bytes(encode_scenario(next(iter(JOBS.values()))))
    complaint = refused(tidegauge_here, "promote", "JOB-1.jsonl", "--into", "mine")
    assert "is a whole job, which is judged by its event log" in complaint
    assert "components/job/jobs.py" in complaint


@pytest.mark.parametrize(
    ("id", "part"),
    [
        ("valve", "the id of this vector is valve/NAME"),
        ("clock/x", "the id of this vector is valve/NAME"),
        ("valve/a b", "the id of this vector is valve/NAME"),
        (load_vectors("valve")[0].id, "another vector is called"),
    ],
)
def test_an_id_that_cannot_be_is_refused(
    tidegauge_here: Command, found: Path, tmp_path: Path, id: str, part: str
) -> None:
    assert part in refused(tidegauge_here, "promote", str(found), "--into", "mine", "--id", id)
    assert not (tmp_path / "mine").exists()


def test_one_id_is_not_for_several_scenarios(
    tidegauge_here: Command, line: dict[str, Any], tmp_path: Path
) -> None:
    file = written(tmp_path, line, {**line, "id": "other", "setup": {"channels": 3}})
    complaint = refused(tidegauge_here, "promote", file, "--into", "mine", "--id", "valve/x")
    assert "holds 2 scenarios, which cannot all be 'valve/x'" in complaint


def test_folders_that_cannot_take_it_are_refused(
    tidegauge_here: Command, found: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    assert "folder file cannot be written" in refused(tidegauge_here, "promote", str(found), "--into", "file")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "valve.json").write_text("{}\n", encoding="utf-8")
    complaint = refused(tidegauge_here, "promote", str(found), "--into", "broken")
    assert "broken/valve.json: not an array of vectors" in complaint
    assert [path.read_bytes() for path in (tmp_path / "broken").iterdir()] == [b"{}\n"]
    assert "absent.jsonl cannot be read" in refused(
        tidegauge_here, "promote", "absent.jsonl", "--into", "mine"
    )


@pytest.mark.parametrize("into", [True, False])
def test_released_vectors_do_not_change(
    tidegauge: Command, clone: dict[str, str], found: Path, tmp_path: Path, into: bool
) -> None:
    versions = tmp_path / "spec" / "tidegauge_spec" / "versions.py"
    source = versions.read_text(encoding="utf-8")
    unreleased = "RELEASED: tuple[str, ...] = ()"
    assert unreleased in source
    versions.write_text(source.replace(unreleased, 'RELEASED = ("1.0",)'), encoding="utf-8")
    released = tmp_path / "spec" / "tidegauge_spec" / "vectors" / "1.0"
    before = {path.name: path.read_bytes() for path in released.iterdir()}
    chosen = ("--into", str(released)) if into else ()
    ended = tidegauge("promote", str(found), *chosen, environment=clone)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "released" in ended.stderr
    assert "do not change" in ended.stderr
    assert {path.name: path.read_bytes() for path in released.iterdir()} == before


@pytest.mark.parametrize("name", [name for name, component in COMPONENTS.items() if component.drawn])
def test_scenarios_of_every_component_become_vectors(name: str) -> None:
    for index in range(5):
        scenario = draw_history(COMPONENTS[name], 1, index, CORE)
        vector = promoted(scenario)
        assert list(vector_problems(vector)) == []
        assert vector.id.startswith(f"{name.replace('_', '-')}/found-")
        assert set(vector.rules) <= set(load_registry().rules)
        for policies in PROFILES.values():
            assert published_outputs(vector, policies) == expect(scenario, policies).outputs


def test_a_folder_that_is_gone_after_the_run_spoils_no_report(found: Path) -> None:
    (started,) = [one for one in JournalReader(found.parents[1]).new_events() if isinstance(one, Started)]
    gone = replace(started, request=replace(started.request, vectors=("gone",)))
    published = load_vectors("valve")[0]
    assert find_scenario(published.id, gone, CORE) == published.scenario
    assert find_scenario("valve/found-0000000000", gone, CORE) is None


OWN_VECTORS = {
    "no folder": (lambda folder: None, "folder of vectors mine cannot be read"),
    "an empty folder": (lambda folder: folder.mkdir(), "holds no vectors; `tidegauge promote FILE --into"),
}


@pytest.mark.parametrize("case", OWN_VECTORS)
def test_a_folder_without_vectors_is_refused(tidegauge_here: Command, tmp_path: Path, case: str) -> None:
    make, part = OWN_VECTORS[case]
    make(tmp_path / "mine")
    complaint = refused(tidegauge_here, "run", "--adapter", "reference", "--vectors", "mine", *SMOKE)
    assert part in complaint
    assert part in refused(tidegauge_here, "vectors", "mine")


BROKEN_VECTORS: dict[str, tuple[dict[str, Any], str]] = {
    "another id": ({"id": "valve/other"}, "is not 'valve/other' - at `$.scenario.id`"),
    "an unknown rule": ({"rules": ["VALVE-99"]}, "unknown rule 'VALVE-99'"),
    "outputs of too few steps": (
        {"expected": [{"policies": {}, "outputs": [[]]}]},
        "outputs of 1 steps, not of",
    ),
    "an unknown field": ({"colour": "red"}, "not an array of vectors"),
    "no reason": (
        {"reason": ""},
        "not an array of vectors: Expected `str` of length >= 1 - at `$[0].reason`",
    ),
}


@pytest.mark.parametrize("case", BROKEN_VECTORS)
def test_a_vector_that_is_none_is_refused(
    tidegauge_here: Command, found: Path, tmp_path: Path, case: str
) -> None:
    change, part = BROKEN_VECTORS[case]
    tidegauge_here("promote", str(found), "--into", "mine")
    file = tmp_path / "mine" / "valve.json"
    (vector,) = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps([{**vector, **change}]), encoding="utf-8")
    complaint = refused(tidegauge_here, "run", "--adapter", "reference", "--vectors", "mine", *SMOKE)
    assert "mine/valve.json" in complaint
    assert part in complaint


def test_a_vector_twice_is_refused(tidegauge_here: Command, found: Path, tmp_path: Path) -> None:
    tidegauge_here("promote", str(found), "--into", "mine")
    shutil.copytree(tmp_path / "mine", tmp_path / "yours")
    folders = ("--vectors", "mine", "--vectors", "yours")
    complaint = refused(tidegauge_here, "run", "--adapter", "reference", *folders, *SMOKE)
    assert "is there twice: leave one out" in complaint


def test_vectors_of_which_none_is_judged_are_refused(tidegauge: Command, found: Path) -> None:
    tidegauge("promote", str(found), "--into", "mine")
    ended = tidegauge("run", "--adapter", "reference", "--vectors", "mine", "--component", "clock", "-n", "1")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "is for a component that the engine claims and that the run selects" in ended.stderr


@pytest.mark.slower
def test_promotions_at_the_same_time_lose_none(tmp_path: Path, line: dict[str, Any]) -> None:
    command = [sys.executable, "-m", "tidegauge", "promote", "--into", "mine"]
    names = [f"valve/together-{number}" for number in range(20)]
    for number in range(len(names)):
        last = {"step": "watermark", "channel": 0, "timestamp": 1_000 + number}
        longer = {"history": [*line["history"], last], "groups": [*line["groups"], 1]}
        written(tmp_path, line | longer, name=f"{number}.jsonl")
    running = [
        subprocess.Popen(
            [*command, f"{number}.jsonl", "--id", name],
            cwd=tmp_path,
            env=plain_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number, name in enumerate(names)
    ]
    complaints = [process.communicate(timeout=PATIENCE)[1] for process in running]
    assert complaints == [""] * len(names)
    assert sorted(one.id for one in read_vector_file(tmp_path / "mine" / "valve.json")) == sorted(names)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["valve.json"]


def test_a_promotion_that_is_refused_leaves_no_folder(
    tmp_path: Path, line: dict[str, Any], tidegauge: Command
) -> None:
    written(tmp_path, line)
    refused = tidegauge("promote", "VALVE-15.jsonl", "--into", "mine", "--id", "not of a valve")
    assert refused.returncode == 2
    assert not (tmp_path / "mine").exists()
