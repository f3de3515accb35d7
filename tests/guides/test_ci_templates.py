"""The action for GitHub and the template for GitLab: their scripts run step by step, as the services run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import PATIENCE, ROOT, plain_environment

ENGINE = "mutant:valve-guarded-flush"
ONLY_VALVE = "--component\nvalve\n"


def action() -> dict[str, Any]:
    """Return the action, as GitHub reads it."""
    return dict(yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8")))


@pytest.fixture(name="environment", scope="module")
def _environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment that has what the kit requires, and builds without a network."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    (site,) = folder.glob("lib/python*/site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    (site / "requirements-of-the-kit.pth").write_text("\n".join(here) + "\n", encoding="utf-8")
    return folder


@dataclass
class Runner:
    """Runs the steps of a composite action in order.

    inputs: what the workflow gives; the defaults are the action's. outputs: those of each step, by its id.
    """

    folder: Path
    environment: Path
    inputs: Mapping[str, str]
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)

    def run(self, step: Mapping[str, Any]) -> subprocess.CompletedProcess[str]:
        """Run a step that has a script."""
        output, summary = self.folder / f"output-{step['id']}", self.folder / "summary"
        output.touch()
        own = {name: self.expanded(text) for name, text in step.get("env", {}).items()}
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.folder / self.expanded(step.get("working-directory", ".")),
            env={
                **plain_environment(),
                **own,
                "PATH": f"{self.environment / 'bin'}{os.pathsep}{plain_environment()['PATH']}",
                "PIP_NO_BUILD_ISOLATION": "false",  # pip's name for it is the wrong way round
                "PIP_NO_DEPS": "true",
                "GITHUB_ACTION_PATH": str(ROOT),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(summary),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        lines = output.read_text(encoding="utf-8").splitlines()
        self.outputs[step["id"]] = dict(line.split("=", 1) for line in lines)
        self.codes[step["id"]] = ended.returncode
        return ended

    def expanded(self, text: str) -> str:
        """Return a text with the values of its expressions."""
        inputs = {name: given.get("default", "") for name, given in action()["inputs"].items()} | self.inputs

        def value(match: re.Match[str]) -> str:
            words = match[1].strip().split(".")
            if words[0] == "inputs":
                return inputs[words[1]]
            assert (words[0], words[2]) == ("steps", "outputs")
            return self.outputs[words[1]][words[3]]

        return re.sub(r"\$\{\{(.*?)\}\}", value, text)


def test_no_script_has_an_expression_that_would_run_as_code() -> None:
    for step in action()["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), step["id"]
        assert "uses" not in step or re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])


def test_the_action_installs_the_kit_runs_it_and_shows_the_summary(tmp_path: Path, environment: Path) -> None:
    runner = Runner(tmp_path, environment, {"adapter": ENGINE, "budget": "smoke", "arguments": ONLY_VALVE})
    install, run, summary, upload = action()["runs"]["steps"]
    ended = runner.run(install)
    assert ended.returncode == 0, ended.stderr
    assert (environment / "bin" / "tidegauge").is_file()
    ended = runner.run(run)
    assert ended.returncode == 1, ended.stderr
    assert runner.outputs["run"]["exit-code"] == "1"
    assert "FAILED: 1 of 23 rules" in ended.stdout
    assert summary["if"] == upload["if"] == "always()"
    assert runner.run(summary).returncode == 0
    assert "VALVE-15" in (tmp_path / "summary").read_text(encoding="utf-8")
    results = Path(runner.expanded(upload["with"]["path"]))
    assert {"results.json", "report.html", "junit.xml", "badge.svg", "badge.json"} <= {
        path.name for path in results.iterdir()
    }


def test_the_action_says_what_is_wrong_with_its_inputs(tmp_path: Path, environment: Path) -> None:
    _, run, summary, _ = action()["runs"]["steps"]
    hostile = 'engine"; touch created; echo "'
    for inputs in ({}, {"adapter": hostile}, {"adapter": ENGINE, "budget": "$(touch created)"}):
        runner = Runner(tmp_path, environment, inputs)
        ended = runner.run(run)
        assert (ended.returncode, runner.outputs["run"]["exit-code"]) == (2, "2"), inputs
        assert runner.run(summary).returncode == 0
    assert not (tmp_path / "created").exists()


def test_the_template_for_gitlab_runs_the_kit(tmp_path: Path, environment: Path) -> None:
    header, template = yaml.safe_load_all((ROOT / "conformance/ci/gitlab.yml").read_text(encoding="utf-8"))
    inputs = header["spec"]["inputs"]
    given = {"kit": ROOT.as_uri(), "engine": f"--adapter {ENGINE} --component valve", "budget": "smoke"}
    assert {name for name, about in inputs.items() if "default" not in about} <= set(given)
    job = template["tidegauge"]
    (tmp_path / ".tidegauge-environment").symlink_to(environment)
    codes = []
    for line in job["script"]:
        script = re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda match: given[match[1]], line)
        ended = subprocess.run(
            ["bash", "-e", "-c", script.replace("python -m venv .tidegauge-environment", "true")],
            cwd=tmp_path,
            env={
                **plain_environment(),
                "TIDEGAUGE": given["kit"],
                "PIP_NO_BUILD_ISOLATION": "false",
                "PIP_NO_DEPS": "true",
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        codes.append(ended.returncode)
    assert codes == [0, 0, 1], ended.stderr
    assert (tmp_path / job["artifacts"]["reports"]["junit"]).is_file()
    assert job["artifacts"]["paths"] == ["tidegauge-results"]
