"""Flink's jars, for the tests that cannot do without."""

import os
from pathlib import Path

import pytest

from tidegauge_adapters.flink.jars import flink_jars

JARS = "TIDEGAUGE_FLINK_JARS"
"""The variable that names the folder with a subfolder of jars for each version."""

OLDER = ("2.2.1", "2.1.3", "2.0.2", "1.20.5")
"""The versions whose jars `tox -e flink` fetches."""


def flink_jar() -> Path:
    """The jar with Flink's runtime. Without it the test fails, and says what to do."""
    try:
        return Path(flink_jars({}).class_path)
    except ValueError as error:
        pytest.fail(f"{error}; tox -e flink installs them", pytrace=False)


def jars_of(version: str) -> Path:
    """Return the folder with the jars of a version. Without them, the test fails with the remedy."""
    folder = Path(os.environ.get(JARS, "")) / version
    if not (folder / f"flink-runtime-{version}.jar").is_file():
        pytest.fail(
            f"no jars of Flink {version} in {str(folder)!r}, named by {JARS}: tox -e flink fetches them, with "
            f"mvn -f tests/flink/pom.xml dependency:copy-dependencies -Dflink.version={version} "
            "-DoutputDirectory=FOLDER",
            pytrace=False,
        )
    return folder
