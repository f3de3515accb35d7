"""Fetch and find the jars of Apache Beam's Java SDK and direct runner, with their dependencies.

`python -m tidegauge_adapters.beam_java.jars` fetches the jars with Maven into a folder in the user's cache.
The adapter looks for the jars in this folder, or in the folder given by an option.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

VERSION = "2.73.0"
FETCH = "python -m tidegauge_adapters.beam_java.jars"
_POM = Path(__file__).with_name("pom.xml")
_JARS = tuple(f"{name}-{VERSION}.jar" for name in ("beam-runners-direct-java", "beam-sdks-java-core"))
_REMEDY = f"{FETCH} fetches the jars with Maven (65 MB)"


def jars_folder() -> Path:
    """Return the folder into which the jars are fetched.

    The folder is `TIDEGAUGE_BEAM_JAVA_JARS` if this variable is set, and otherwise in the user's cache.
    """
    named = os.environ.get("TIDEGAUGE_BEAM_JAVA_JARS")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(named) if named else Path(cache) / "tidegauge" / "beam-java"


def beam_class_path(options: Mapping[str, str]) -> Path:
    """Return the class path of all jars in the folder, as the JVM and the compiler accept it: `FOLDER/*`.

    Raises:
        ValueError: if a jar of Beam is missing. The message is one line and names the command that fetches
            the jars.
    """
    given = options.get("beam")
    folder = jars_folder() if given is None else Path(given)
    if given is not None and not folder.is_dir():
        raise ValueError(f"option beam={given!r} is not a folder; without the option, {_REMEDY}")
    for name in _JARS:
        if not (folder / name).is_file():
            raise ValueError(f"{name} is not in the folder {str(folder)!r}: {_REMEDY}")
    return folder.absolute() / "*"


def fetch(folder: Path) -> None:
    """Fetch the jars into a folder, unless the folder already contains those of Beam.

    Raises:
        ValueError: if Maven is missing or fails; the message is one line.
    """
    if all((folder / name).is_file() for name in _JARS):
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as fetched:
        command = ["mvn", "--quiet", "--batch-mode", "--file", str(_POM), "dependency:copy-dependencies"]
        try:
            subprocess.run(
                [*command, "-DincludeScope=runtime", f"-DoutputDirectory={fetched}"],
                check=True,
                capture_output=True,
                text=True,
            )
        except FileNotFoundError:
            raise ValueError(
                f"{_JARS[0]} is fetched with Maven, which is missing (Debian, Ubuntu: apt-get install maven)"
            ) from None
        except subprocess.CalledProcessError as error:
            printed = [line for line in (error.stdout + error.stderr).splitlines() if line.strip()]
            raise ValueError(
                f"Maven cannot fetch {_JARS[0]}: {(printed or ['no message'])[0].strip()}"
            ) from None
        # Beam's own jars come last, since their presence means that the folder is complete.
        for jar in sorted(Path(fetched).glob("*.jar"), key=lambda path: path.name in _JARS):
            shutil.move(jar, folder / jar.name)


if __name__ == "__main__":
    try:
        fetch(jars_folder())
    except ValueError as error:
        sys.exit(str(error))
