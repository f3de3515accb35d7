"""The jar of Hazelcast. `python -m tidegauge_adapters.hazelcast.jars` fetches it with Maven."""

from collections.abc import Mapping
from pathlib import Path

from ..maven_jars import MavenJars, artifact

VERSION = "5.7.0"

JARS = MavenJars(
    engine="hazelcast",
    option="hazelcast",
    downloads=(artifact(f"com.hazelcast:hazelcast:{VERSION}"),),
    size="21 MB",
)


def hazelcast_jar(options: Mapping[str, str]) -> Path:
    """Return the path of Hazelcast's jar. Raises `ValueError` (see `MavenJars.locate`)."""
    (name,) = JARS.names
    return JARS.locate(options) / name


if __name__ == "__main__":
    JARS.fetch_or_exit()
