"""The broker of the tests with Kafka."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from kafka_broker import Broker


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    from kafka_broker import running_broker

    with running_broker(tmp_path_factory.mktemp("broker")) as broker:
        yield broker
