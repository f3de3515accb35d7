"""The parts of a release agree: versions, the classifiers of both distributions, what CI runs, the forms on GitHub."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT
from packed_folders import LIBRARY

PROJECTS = (ROOT, LIBRARY)
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def project_of(folder: Path) -> dict[str, Any]:
    """The table `project` of a distribution."""
    read: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    return dict(read["project"])


def loaded(file: Path) -> Any:
    """A file of YAML; the key `on` of a workflow is read as the truth value that YAML 1.1 makes of it."""
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def assigned(file: str) -> str:
    """The version that a module assigns."""
    found = re.search(r'^__version__ = "(.+)"$', (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    return found[1]


def newest_change() -> tuple[str, str]:
    """The version and the date, or `unreleased`, of the newest part of the changelog."""
    found = re.search(
        r"^## (\S+) \((.+)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert found
    return found[1], found[2]


def test_the_tests_of_a_release_need_nothing_but_pytest() -> None:
    """They try what would be uploaded in environments of its own, and have none of it themselves."""
    program = (
        "import sys, pytest; known = set(sys.modules); import conftest; "
        "print(*{name.partition('.')[0] for name in {*sys.modules} - known} - {*sys.stdlib_module_names})"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT / "tests", capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["conftest"]


def test_versions_agree() -> None:
    citation = loaded(ROOT / "CITATION.cff")
    versions = {
        "kit": project_of(ROOT)["version"],
        "kit's module": assigned("conformance/tidegauge/version.py"),
        "library": assigned("adapters/tidegauge_spark/__init__.py"),
        "CITATION.cff": str(citation["version"]),
        "CHANGELOG.md": newest_change()[0],
    }
    assert len(set(versions.values())) == 1, versions
    date = newest_change()[1]
    assert str(citation.get("date-released", "unreleased")) == date


def test_a_tag_names_the_version_and_the_changelog_says_the_date() -> None:
    tag = os.environ.get("TIDEGAUGE_TAG")
    if tag is not None:
        assert tag == f"v{project_of(ROOT)['version']}"
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", newest_change()[1]), "CHANGELOG.md: the date of the release"


def python_of_everything() -> str:
    """Return the version of Python that CI runs everything with."""
    (version,) = re.findall(r"python(3\.\d+) -m venv", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    return str(version)


def pythons_of_pairs() -> set[str]:
    """Return the versions of Python that CI runs in turn, each with a version of PySpark."""
    assert "tox list -m versions" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    settings = ConfigParser(interpolation=None)
    settings.read(ROOT / "tox.ini", encoding="utf-8")
    return {f"3.{minor}" for minor in re.findall(r"\bpy3(\d+)-pyspark", settings["tox"]["labels"])}


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
def test_classifiers_claim_the_pythons_that_ci_runs(folder: Path) -> None:
    project = project_of(folder)
    pattern = r"Programming Language :: Python :: (3\.\d+)"
    claimed = {found[1] for line in project["classifiers"] if (found := re.fullmatch(pattern, line))}
    assert claimed == {python_of_everything(), *pythons_of_pairs()}
    assert project["requires-python"].startswith(f">={min(claimed)}")
    assert project["classifiers"] == sorted(project["classifiers"])


def test_the_workflow_of_ci_runs_what_ci_runs_on_its_python() -> None:
    (job,) = loaded(ROOT / ".github" / "workflows" / "ci.yml")["jobs"].values()
    commands = [step.get("run", "") for step in job["steps"]]
    assert ".ci/run" in commands
    assert any("openjdk-17-jdk" in command for command in commands), "tests compile Java"
    assert job["container"]["image"] == f"python:{python_of_everything()}-bookworm"
    further = sorted(pythons_of_pairs() - {python_of_everything()})
    assert f"uv python install {' '.join(further)}" in commands


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_actions_are_pinned_and_workflows_may_only_read(file: Path) -> None:
    workflow = loaded(file)
    assert workflow["permissions"] == {"contents": "read"}
    used = [step["uses"] for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step]
    assert used
    assert not [name for name in used if not re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", name)]
    assert all(job["timeout-minutes"] for job in workflow["jobs"].values())


def test_only_the_job_that_publishes_may_ask_for_an_identity() -> None:
    workflow = loaded(ROOT / ".github" / "workflows" / "release.yml")
    asking = {name for name, job in workflow["jobs"].items() if "id-token" in job.get("permissions", {})}
    assert asking == {"publish"}
    publish = workflow["jobs"]["publish"]
    assert (publish["needs"], publish["environment"]) == ("build", "pypi")
    assert "tox -e release" in [step.get("run") for step in workflow["jobs"]["build"]["steps"]]
    assert not re.search(r"secrets\.|password", (ROOT / ".github/workflows/release.yml").read_text("utf-8"))


@pytest.mark.parametrize(
    "file", [file for file in FORMS if file.stem != "config"], ids=lambda file: file.stem
)
def test_a_form_names_itself_and_each_of_its_fields_once(file: Path) -> None:
    form = loaded(file)
    assert form["name"]
    assert form["description"]
    kinds = {"input", "textarea", "dropdown", "checkboxes", "markdown"}
    assert {field["type"] for field in form["body"]} <= kinds
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids))
    assert all(field["attributes"]["label"] for field in form["body"])
    assert any(field.get("validations", {}).get("required") for field in form["body"])


def test_who_doubts_a_verdict_is_asked_for_results_and_replay() -> None:
    fields = {field["id"]: field for field in loaded(ROOT / ".github/ISSUE_TEMPLATE/verdict.yml")["body"]}
    for name in ("results", "replay"):
        assert fields[name]["validations"]["required"]
    assert "results.json" in fields["results"]["attributes"]["label"]
    assert fields["replay"]["attributes"]["placeholder"].startswith("tidegauge replay ")
