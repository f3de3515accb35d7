"""Engines in JavaScript: the sample of `examples/`, and what `tidegauge init` writes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from component_scenarios import DRAWN
from conftest import ROOT, Command, results_in

pytestmark = pytest.mark.slower

SAMPLE = ROOT / "examples" / "javascript" / "engine.js"


@pytest.fixture(autouse=True)
def node() -> None:
    """Node, or what to do about it."""
    assert shutil.which("node"), "no Node.js found: .ci/node installs Debian's"


def test_the_sample_is_short_and_conforms(tidegauge: Command, tmp_path: Path) -> None:
    assert len(SAMPLE.read_text(encoding="utf-8").splitlines()) < 200
    ended = tidegauge("run", "--command", f"node {SAMPLE}", "--budget", "smoke", "--out", "out")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["counts"]["pass"] == 31
    isolated = [one for one in results["properties"] if one["name"].endswith("-interleaved")]
    assert [one["verdict"] for one in isolated] == ["pass"] * 3


def test_the_sample_speaks_the_protocol(tidegauge: Command) -> None:
    ended = tidegauge("smoke", "--command", f"node {SAMPLE}")
    assert ended.returncode == 0, ended.stdout


def test_what_init_writes_speaks_the_protocol_and_does_nothing(tidegauge: Command, tmp_path: Path) -> None:
    components = [argument for name in DRAWN for argument in ("--component", name)]
    assert tidegauge("init", "mine", "--language", "process", *components).returncode == 0
    command = f"node {tmp_path / 'mine' / 'engine.js'}"
    ended = tidegauge("smoke", "--command", command)
    assert ended.returncode == 0, ended.stdout
    ended = tidegauge(
        "run", "--command", command, "--budget", "smoke", "--component", "splits", "--component", "valve"
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "FAILED" in ended.stdout
