"""Versions of the specification: which there are, and that all that names one names one of them."""

from __future__ import annotations

import pytest
from conftest import Command

from tidegauge.components.job.jobs import JOBS
from tidegauge_spec import (
    FIRST_VERSION,
    RELEASED,
    SPEC_VERSION,
    in_order,
    is_version,
    load_registry,
    vector_versions,
)

KNOWN = {*RELEASED, SPEC_VERSION}


def test_versions_are_compared_as_numbers() -> None:
    assert in_order(["1.10", "1.9", "1.9", "1.0"]) == ("1.0", "1.9", "1.10")


def test_a_version_is_numbers_with_dots() -> None:
    assert is_version("1.10")
    for text in ("", "1.", "v1", "1.0-rc"):
        assert not is_version(text)


def test_nothing_is_released_yet_and_the_first_version_is_in_preparation() -> None:
    """With a release, its number goes into `RELEASED`, and what is added later names the next version."""
    assert (RELEASED, FIRST_VERSION, SPEC_VERSION) == ((), "1.0", "1.0")


def test_rules_vectors_and_jobs_name_a_version_that_exists() -> None:
    rules = load_registry().rules.values()
    assert rules
    assert {rule.since for rule in rules} <= KNOWN
    assert set(vector_versions()) <= KNOWN
    assert {job.spec for job in JOBS.values()} <= KNOWN


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_the_option_that_chose_the_scored_version_is_refused_with_the_remedy(
    tidegauge: Command, version: str
) -> None:
    ended = tidegauge("run", "--adapter", "reference", "--suite", version)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "tidegauge: --suite is gone, since every check is scored: leave it out\n"
    assert "--suite" not in tidegauge("run", "--help").stdout
