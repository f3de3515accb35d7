"""`tidegauge init`: a project that runs at once, whose engine has every method of its components."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
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
