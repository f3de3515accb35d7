"""Fetch and find the jar of Hazelcast.

`python -m tidegauge_adapters.hazelcast.jars` fetches the jar with Maven into a folder in the user's cache.
The adapter looks for the jar in this folder, or in the folder given by an option.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

VERSION = "5.7.0"
FETCH = "python -m tidegauge_adapters.hazelcast.jars"
_NAME = f"hazelcast-{VERSION}.jar"
_REMEDY = f"{FETCH} fetches it with Maven (21 MB)"


def jars_folder() -> Path:
    """Return the folder into which the jar is fetched.

    The folder is `TIDEGAUGE_HAZELCAST_JARS` if this variable is set, and otherwise in the user's cache.
    """
    named = os.environ.get("TIDEGAUGE_HAZELCAST_JARS")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(named) if named else Path(cache) / "tidegauge" / "hazelcast"


def hazelcast_jar(options: Mapping[str, str]) -> Path:
    """Return the path of Hazelcast's jar.

    Raises:
        ValueError: if it is missing; the message is one line and names the command that fetches it.
    """
    given = options.get("hazelcast")
    folder = jars_folder() if given is None else Path(given)
    if given is not None and not folder.is_dir():
        raise ValueError(f"option hazelcast={given!r} is not a folder; without the option, {_REMEDY}")
    jar = folder / _NAME
    if not jar.is_file():
        raise ValueError(f"{_NAME} is not in the folder {str(folder)!r}: {_REMEDY}")
    return jar.absolute()


def fetch(folder: Path) -> None:
    """Fetch the jar into a folder, unless the folder already contains it.

    Raises:
        ValueError: if Maven is missing or fails; the message is one line.
    """
    if (folder / _NAME).is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as fetched:
        artifact = f"-Dartifact=com.hazelcast:hazelcast:{VERSION}"
        command = ["mvn", "--quiet", "--batch-mode", "dependency:copy", artifact]
        try:
            subprocess.run(
                [*command, f"-DoutputDirectory={fetched}"], check=True, capture_output=True, text=True
            )
        except FileNotFoundError:
            raise ValueError(
                f"{_NAME} is fetched with Maven, which is missing (Debian, Ubuntu: apt-get install maven)"
            ) from None
        except subprocess.CalledProcessError as error:
            said = [line for line in (error.stdout + error.stderr).splitlines() if line.strip()]
            raise ValueError(f"Maven cannot fetch {_NAME}: {(said or ['no message'])[0].strip()}") from None
        shutil.move(Path(fetched) / _NAME, folder / _NAME)


if __name__ == "__main__":
    try:
        fetch(jars_folder())
    except ValueError as error:
        sys.exit(str(error))
