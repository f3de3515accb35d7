"""The jars of Kafka Streams, for the tests that require them."""

from pathlib import Path

import pytest

from tidegauge_adapters.kafka_streams.jars import kafka_streams_jars


def stock_jars() -> list[Path]:
    """Return the jars. Without them, the test fails with the command that fetches them."""
    try:
        return kafka_streams_jars({})
    except ValueError as error:
        pytest.fail(f"{error}; tox -e kafka-streams fetches them, too", pytrace=False)
