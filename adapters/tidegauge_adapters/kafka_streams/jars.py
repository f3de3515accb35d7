"""Fetch and find the jars of Kafka Streams.

`python -m tidegauge_adapters.kafka_streams.jars` fetches the jars with Maven into a folder in the user's
cache. The adapter looks for the jars in this folder, or in the folder given by an option.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

VERSION = "4.4.0"
FETCH = "python -m tidegauge_adapters.kafka_streams.jars"
_ARTIFACTS = (
    f"org.apache.kafka:kafka-streams:{VERSION}",
    f"org.apache.kafka:kafka-streams-test-utils:{VERSION}",
    f"org.apache.kafka:kafka-clients:{VERSION}",
    "org.slf4j:slf4j-api:1.7.36",
)
"""The jars that a topology with in-memory stores loads. Other dependencies are not fetched: RocksDB alone has
73 MB."""

_REMEDY = f"{FETCH} fetches the jars with Maven (13 MB)"


def jars_folder() -> Path:
    """Return the folder into which the jars are fetched.

    The folder is `TIDEGAUGE_KAFKA_STREAMS_JARS` if this variable is set, and otherwise in the user's cache.
    """
    named = os.environ.get("TIDEGAUGE_KAFKA_STREAMS_JARS")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(named) if named else Path(cache) / "tidegauge" / "kafka-streams"


def kafka_streams_jars(options: Mapping[str, str]) -> list[Path]:
    """Return the paths of the jars.

    Raises:
        ValueError: if a jar is missing. The message is one line and names the command that fetches the jars.
    """
    given = options.get("kafka-streams")
    folder = jars_folder() if given is None else Path(given)
    if given is not None and not folder.is_dir():
        raise ValueError(f"option kafka-streams={given!r} is not a folder; without the option, {_REMEDY}")
    for artifact in _ARTIFACTS:
        if not (folder / _file_name(artifact)).is_file():
            raise ValueError(f"{_file_name(artifact)} is not in the folder {str(folder)!r}: {_REMEDY}")
    return [(folder / _file_name(artifact)).absolute() for artifact in _ARTIFACTS]


def fetch(folder: Path) -> None:
    """Fetch the jars that are missing in a folder.

    Raises:
        ValueError: if Maven is missing or fails; the message is one line.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for artifact in _ARTIFACTS:
        if not (folder / _file_name(artifact)).is_file():
            _fetch(artifact, folder)


def _fetch(artifact: str, folder: Path) -> None:
    name = _file_name(artifact)
    with tempfile.TemporaryDirectory(dir=folder) as fetched:
        command = ["mvn", "--quiet", "--batch-mode", "dependency:copy", f"-Dartifact={artifact}"]
        try:
            subprocess.run(
                [*command, f"-DoutputDirectory={fetched}"], check=True, capture_output=True, text=True
            )
        except FileNotFoundError:
            raise ValueError(
                f"{name} is fetched with Maven, which is missing (Debian, Ubuntu: apt-get install maven)"
            ) from None
        except subprocess.CalledProcessError as error:
            printed = [line for line in (error.stdout + error.stderr).splitlines() if line.strip()]
            raise ValueError(f"Maven cannot fetch {name}: {(printed or ['no message'])[0].strip()}") from None
        shutil.move(Path(fetched) / name, folder / name)


def _file_name(artifact: str) -> str:
    _, name, version = artifact.split(":")
    return f"{name}-{version}.jar"


if __name__ == "__main__":
    try:
        fetch(jars_folder())
    except ValueError as error:
        sys.exit(str(error))
