"""`tidegauge init`: a project that runs at once, whose engine has every method of its components."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from component_scenarios import DRAWN, drawn
from conftest import Command, results_in

from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.runner import run

ALL = [argument for name in DRAWN for argument in ("--component", name)]


def loaded(file: Path) -> ModuleType:
    """A module from its file."""
    specification = importlib.util.spec_from_file_location("written_engine", file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["written_engine"] = module
    specification.loader.exec_module(module)
    return module


def test_what_is_written_has_all_methods_and_does_nothing(tidegauge: Command, tmp_path: Path) -> None:
    ended = tidegauge("init", "my engine", *ALL)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith(
        "Now: cd 'my engine' && tidegauge run --adapter engine:Engine --budget smoke\n"
    )
    adapter = loaded(tmp_path / "my engine" / "engine.py").Engine({})
    assert set(DRAWN) == set(adapter.describe().capabilities)
    for name in DRAWN:
        scenarios = [one for one in drawn(name, 100) if "snapshot" not in one.needs]
        for kind in {type(one.setup): one.setup for one in scenarios}.values():
            assert adapter.method_problems(kind) == []
        for transcript in run(adapter, scenarios):
            assert transcript is not None
            assert transcript.failure is None or "has no attribute" in transcript.failure.text, name
            assert not any(transcript.outputs)


def test_it_runs_at_once_and_every_rule_fails(tidegauge: Command, tmp_path: Path) -> None:
    assert tidegauge("init", "mine").returncode == 0
    ended = tidegauge("run", "--adapter", "mine.engine:Engine", "--budget", "smoke", "--out", "out")
    assert ended.returncode == 1, ended.stderr
    rules = {rule["id"]: rule["verdict"] for rule in results_in(tmp_path / "out")["rules"]}
    assert {rules[rule] for rule in ("VALVE-1", "VALVE-2", "VALVE-14", "VALVE-22")} == {"fail"}
    files = {
        str(path.relative_to(tmp_path / "mine")) for path in (tmp_path / "mine").rglob("*") if path.is_file()
    }
    assert files >= {"engine.py", "tox.ini", "README.md", ".github/workflows/conformance.yml"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("mine", "--component", "vavle"), "unknown component 'vavle'; did you mean 'valve'?"),
        (("mine", "--component", "job"), "unknown component 'job'"),
        (("../mine",), "name '../mine' has other signs than"),
        (("full",), "full exists and is not empty; choose another name, or empty it"),
        (("mine.py",), "mine.py is a file; choose another name"),
        (("",), "the name is empty; give the engine one"),
        (("mine", "--processor", "my_job:Dedup"), "--processor my_job:Dedup: it needs --language pyspark"),
        (
            ("mine", "--language", "pyspark", "--component", "valve"),
            "--component: a processor has none; leave",
        ),
    ],
)
def test_bad_input_is_one_line(
    arguments: tuple[str, ...], said: str, tidegauge: Command, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    (tmp_path / "mine.py").touch()
    ended = tidegauge("init", *arguments)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"full", "mine.py"}


def test_every_step_has_its_method() -> None:
    """Also where a component has several kinds of setup: each step belongs to one of them."""
    for name in DRAWN:
        component = COMPONENTS[name]
        assert not component.kinds or {step for steps in component.kinds.values() for step in steps} == set(
            component.calls
        )


def test_setups_and_outputs_are_described_in_full(tidegauge: Command, tmp_path: Path) -> None:
    """An author with the chapters alone cannot know how the kinds are spelled, nor what a vertex has."""
    tidegauge("init", "own", "--component", "low_watermark", "--component", "generator")
    written = (tmp_path / "own" / "engine.py").read_text(encoding="utf-8")
    assert "vertices: JobVertex with name, tasks, partitions, source, cooperating, listening" in written
    assert '("notify-new-low-watermark", low_watermark, timestamp, to)' in written
    assert 'place: one of "source", "mid-pipeline"' in written


@pytest.mark.parametrize("language", ["python", "process", "pyspark"])
def test_a_project_installs_the_kit_from_an_address(
    tidegauge_here: Command, tmp_path: Path, language: str
) -> None:
    (tmp_path / "kit.whl").touch()
    extra = "[spark]" if language == "pyspark" else ""
    for name, given in (("web", "git+https://example.org/kit@v1"), ("folder", "kit.whl")):
        ended = tidegauge_here("init", name, "--language", language, "--kit", given)
        assert ended.returncode == 0, ended.stderr
    here = (tmp_path / "kit.whl").as_uri()
    for name, address, everywhere in (
        ("web", "git+https://example.org/kit@v1", "git+https://example.org/kit@v1"),
        ("folder", here, "${{ vars.TIDEGAUGE }}"),
    ):
        tox = (tmp_path / name / "tox.ini").read_text(encoding="utf-8")
        assert f"deps = tidegauge{extra} @ {{env:TIDEGAUGE:{address}}}\n" in tox
        assert f'pip install "tidegauge{extra} @ {address}"' in (tmp_path / name / "README.md").read_text()
        (file,) = (tmp_path / name / ".github" / "workflows").iterdir()
        workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
        assert workflow["env"] == {"TIDEGAUGE": everywhere}
        assert workflow["permissions"] == {"contents": "read"}
        (job,) = workflow["jobs"].values()
        assert job["timeout-minutes"] == 30
        used = [step["uses"] for step in job["steps"] if "uses" in step]
        assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", action) for action in used), used
        (script,) = (step["run"] for step in job["steps"] if step.get("run", "").startswith("pip"))
        assert f"tidegauge{extra} @ " in script


def test_the_workflow_without_an_address_says_what_to_set(tidegauge_here: Command, tmp_path: Path) -> None:
    (tmp_path / "kit.whl").touch()
    assert tidegauge_here("init", "mine", "--kit", "kit.whl").returncode == 0
    workflow = yaml.safe_load(
        (tmp_path / "mine/.github/workflows/conformance.yml").read_text(encoding="utf-8")
    )
    (script,) = (
        step["run"]
        for step in workflow["jobs"]["conformance"]["steps"]
        if step.get("run", "").startswith("pip")
    )
    ended = subprocess.run(
        ["bash", "-e", "-c", script], env={"TIDEGAUGE": ""}, capture_output=True, text=True, check=False
    )
    assert ended.returncode != 0
    assert "set the variable TIDEGAUGE of the repository to the address of the kit" in ended.stderr


def test_a_kit_that_is_nowhere_is_refused_in_one_line(tidegauge_here: Command, tmp_path: Path) -> None:
    for given in ("nowhere", "http://example.org/kit.whl", "https://exa mple.org", "git+https://x/$(id)"):
        ended = tidegauge_here("init", "mine", "--kit", given)
        assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)
        assert f"--kit {given}" in ended.stderr
    assert not (tmp_path / "mine").exists()
