"""The jar of Hazelcast, for the tests that cannot do without."""

from pathlib import Path

import pytest

from tidegauge_adapters.hazelcast.jars import hazelcast_jar


def stock_jar() -> Path:
    """The jar. Without it the test fails, and says what to do."""
    try:
        return hazelcast_jar({})
    except ValueError as error:
        pytest.fail(f"{error}; tox -e hazelcast does it, too", pytrace=False)
