"""Flink's jars, for the tests that cannot do without."""

from pathlib import Path

import pytest

from tidegauge_adapters.flink.jars import flink_dist


def flink_jar() -> Path:
    """The jar with Flink's runtime. Without it the test fails, and says what to do."""
    try:
        return flink_dist({})
    except ValueError as error:
        pytest.fail(f"{error}; tox -e flink installs them", pytrace=False)
