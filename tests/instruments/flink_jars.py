"""Flink's jars, for the tests that cannot do without."""

import os
from pathlib import Path

import pytest

from tidegauge_adapters.flink.jars import flink_dist

JARS_1_20 = "TIDEGAUGE_FLINK_1_20_JARS"


def flink_jar() -> Path:
    """The jar with Flink's runtime. Without it the test fails, and says what to do."""
    try:
        return flink_dist({})
    except ValueError as error:
        pytest.fail(f"{error}; tox -e flink installs them", pytrace=False)


def flink_1_20_jars() -> Path:
    """The folder of the jars of Flink 1.20. Without them the test fails, and says what to do."""
    given = os.environ.get(JARS_1_20, "")
    if not given or not any(Path(given).glob("flink-runtime-1.20.*.jar")):
        pytest.fail(
            f"no jars of Flink 1.20 in {JARS_1_20} = {given!r}: tox -e flink fetches them, with "
            "mvn -f tests/flink/monitored/pom.xml dependency:copy-dependencies -DoutputDirectory=FOLDER",
            pytrace=False,
        )
    return Path(given)
