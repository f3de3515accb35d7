"""`requirements-dev.lock` and `tox.ini` have versions that both distributions accept."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packed_folders import LIBRARY

NAMED_BY_TOX = {"pyspark", "pandas"}
OWN = {"tidegauge"}
OTHER_FLINKS = {"flink-2.2", "flink-2.1", "flink-2.0", "flink-1.20"}
"""Extras that conflict with the extra `flink`, whose version is locked."""


def requirements_of(folder: Path) -> Iterator[Requirement]:
    """Yield what a distribution, its extras and its dependency groups require, and what builds it."""
    read = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    project = read["project"]
    groups = (
        read["build-system"]["requires"],
        project["dependencies"],
        *(lines for extra, lines in project["optional-dependencies"].items() if extra not in OTHER_FLINKS),
        *read.get("dependency-groups", {}).values(),
    )
    for group in groups:
        for line in group:
            yield Requirement(line)


def pinned(lines: Iterator[str]) -> dict[str, set[str]]:
    """Return the versions of each name: several if they depend on the version of Python."""
    versions: dict[str, set[str]] = {}
    for line in lines:
        requirement = Requirement(line)
        (specifier,) = requirement.specifier
        versions.setdefault(canonicalize_name(requirement.name), set()).add(specifier.version)
    return versions


@pytest.mark.parametrize("folder", [ROOT, LIBRARY], ids=lambda folder: folder.name)
def test_dependencies_are_pinned_to_versions_that_both_distributions_accept(folder: Path) -> None:
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8").splitlines()
    locked = pinned(line for line in lock if not line.startswith("#"))
    assert not NAMED_BY_TOX & set(locked), "the environments of tox name these"
    tox = (ROOT / "tox.ini").read_text(encoding="utf-8")
    named = pinned(iter(re.findall(r"\b(?:pyspark|pandas)==[\d.]+", tox)))
    assert set(named) == NAMED_BY_TOX
    for requirement in requirements_of(folder):
        name = canonicalize_name(requirement.name)
        if name in OWN:
            continue
        versions = (locked | named).get(name)
        assert versions, f"requirements-dev.lock lacks {name}: tox -e lock"
        for version in versions:
            assert requirement.specifier.contains(version), (
                f"{name} {version} is not {requirement}: tox -e lock"
            )
