"""The jars of Apache Beam for Java, for the tests that cannot do without."""

from pathlib import Path

import pytest

from tidegauge_adapters.beam_java.jars import beam_class_path


def stock_class_path() -> Path:
    """The class path of the jars. Without them the test fails, and says what to do."""
    try:
        return beam_class_path({})
    except ValueError as error:
        pytest.fail(f"{error}; tox -e beam-java does it, too", pytrace=False)
