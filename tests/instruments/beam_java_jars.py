"""The jars of Apache Beam for Java, for the tests that require them."""

from pathlib import Path

import pytest

from tidegauge_adapters.beam_java.jars import beam_class_path


def stock_class_path() -> Path:
    """Return the class path of the jars. Without them, the test fails with the command that fetches them."""
    try:
        return beam_class_path({})
    except ValueError as error:
        pytest.fail(f"{error}; tox -e beam-java fetches them, too", pytrace=False)
