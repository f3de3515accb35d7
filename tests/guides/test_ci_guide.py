"""The workflow of the guide on CI: every command in it exists, and it does what the guide says of it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml
from conftest import PATIENCE, ROOT, plain_environment
from guide_pictures import pictures
from played_page import Edit, NewFile, steps_of

from tidegauge.__main__ import application
from tidegauge.wire.results import read_results

GUIDE = (ROOT / "guides" / "ci.md").read_text(encoding="utf-8")
ENGINE = (ROOT / "guides" / "adapter.md").read_text(encoding="utf-8")


def workflow() -> dict[str, Any]:
    """The workflow, as a YAML reader has it; `on` is a word of YAML's own."""
    (file,) = (step for step in steps_of(GUIDE) if isinstance(step, NewFile))
    assert file.file == ".github/workflows/conformance.yml"
    read = yaml.safe_load(file.text)
    assert read[True] == ["push", "pull_request"]
    return dict(read)


def scripts(job: str) -> list[str]:
    """The script of each step of a job that has one, but for the installation."""
    steps = workflow()["jobs"][job]["steps"]
    return [step["run"] for step in steps if "run" in step and not step["run"].startswith("pip install ")]


def artifact_of(job: str, deed: str) -> dict[str, str]:
    """Name and path of the artifact that a job uploads or downloads."""
    steps = workflow()["jobs"][job]["steps"]
    (step,) = (step for step in steps if step.get("uses", "").startswith(f"actions/{deed}-artifact@"))
    return dict(step["with"])


def run_scripts(job: str, folder: Path, summary: Path) -> list[int]:
    """The exit codes of the scripts of a job, run as GitHub runs them, also after one has failed."""
    environment = {
        **plain_environment(),
        "PATH": f"{Path(sys.executable).parent}:{plain_environment()['PATH']}",
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    return [
        subprocess.run(
            ["bash", "-e", "-c", script], cwd=folder, env=environment, check=False, timeout=PATIENCE
        ).returncode
        for script in scripts(job)
    ]


def git(folder: Path, *arguments: str) -> str:
    """What a command of git prints."""
    author = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    command = ["git", *author, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def test_only_the_job_that_runs_no_engine_may_write() -> None:
    assert workflow()["permissions"] == {"contents": "read"}
    may_write = [name for name, job in workflow()["jobs"].items() if "permissions" in job]
    assert may_write == ["badge"]
    assert not any("tidegauge run" in script for script in scripts("badge"))


def test_every_command_of_the_workflow_exists() -> None:
    known = typer.main.get_command(application())
    jobs = workflow()["jobs"]
    lines = [shlex.split(line) for job in jobs for script in scripts(job) for line in script.splitlines()]
    for line in lines:
        assert shutil.which(line[0]) or (Path(sys.executable).parent / line[0]).exists(), line
        if line[0] == "tidegauge":
            known.commands[line[1]].make_context(line[1], line[2:])  # type: ignore[attr-defined]
    assert [line[1] for line in lines if line[0] == "tidegauge"] == ["run"]


@pytest.mark.slower
def test_the_workflow_judges_the_engine_shows_the_summary_and_publishes_the_badge(tmp_path: Path) -> None:
    origin, clone, summary = tmp_path / "origin.git", tmp_path / "clone", tmp_path / "summary.md"
    of_badge = tmp_path / "badge"
    git(tmp_path, "init", "--quiet", "--bare", str(origin))
    git(tmp_path, "clone", "--quiet", str(origin), str(clone))
    for step in steps_of(ENGINE):
        if isinstance(step, NewFile | Edit):
            step.make(clone)
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "-m", "An engine")
    git(clone, "push", "--quiet", "origin", "HEAD")
    assert run_scripts("conformance", clone, summary) == [0, 0]
    git(tmp_path, "clone", "--quiet", str(origin), str(of_badge))
    artifact = artifact_of("conformance", "upload")
    assert artifact_of("badge", "download") == artifact
    shutil.copytree(clone / artifact["path"], of_badge / artifact["path"])
    assert run_scripts("badge", of_badge, summary) == [0]
    assert summary.read_text(encoding="utf-8").startswith("## ✅ Conforms: all 4 claimed rules pass")
    assert git(origin, "ls-tree", "--name-only", "badges") == "badge.svg\n"
    assert "conforms" in git(origin, "show", "badges:badge.svg").lower()


@pytest.mark.slower
def test_the_pictures_of_the_guides_are_those_of_a_run(tmp_path: Path) -> None:
    run = next(one for one in steps_of(GUIDE) if getattr(one, "text", "").startswith("tidegauge run"))
    subprocess.run(
        [sys.executable, "-m", *shlex.split(run.text)],
        cwd=tmp_path,
        env=plain_environment(),
        check=False,
        timeout=PATIENCE,
        capture_output=True,
    )
    drawn = pictures(read_results(tmp_path / "tidegauge-results" / "results.json"))
    kept = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "guides/pictures").iterdir()}
    assert drawn == kept
