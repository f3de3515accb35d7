"""The jars of Kafka Streams. `python -m tidegauge_adapters.kafka_streams.jars` fetches them with Maven."""

from collections.abc import Mapping
from pathlib import Path

from ..maven_jars import MavenJars, artifact

VERSION = "4.4.0"

JARS = MavenJars(
    engine="kafka-streams",
    option="kafka-streams",
    downloads=(
        artifact(f"org.apache.kafka:kafka-streams:{VERSION}"),
        artifact(f"org.apache.kafka:kafka-streams-test-utils:{VERSION}"),
        artifact(f"org.apache.kafka:kafka-clients:{VERSION}"),
        artifact("org.slf4j:slf4j-api:1.7.36"),
    ),
    size="13 MB",
)
"""The jars that a topology with in-memory stores loads. Other dependencies are not fetched: RocksDB alone has
73 MB."""


def kafka_streams_jars(options: Mapping[str, str]) -> list[Path]:
    """Return the paths of the jars. Raises `ValueError` (see `MavenJars.locate`)."""
    folder = JARS.locate(options)
    return [folder / name for name in JARS.names]


if __name__ == "__main__":
    JARS.fetch_or_exit()
