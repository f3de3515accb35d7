"""Fetch the jars of a Java engine with Maven, and locate them."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Download:
    """One Maven invocation, and the jars that mark it as complete.

    Attributes:
        jars: the jars whose presence means that the invocation is complete. Maven may fetch others, too.
        goal: the Maven goal and its options, without the output directory.
    """

    jars: tuple[str, ...]
    goal: tuple[str, ...]


def artifact(coordinates: str) -> Download:
    """Describe the download of one jar without its dependencies. `coordinates`: `GROUP:NAME:VERSION`."""
    _, name, version = coordinates.split(":")
    return Download((f"{name}-{version}.jar",), ("dependency:copy", f"-Dartifact={coordinates}"))


@dataclass(frozen=True)
class MavenJars:
    """The jars that an adapter needs, and the folders in which it looks for them.

    Attributes:
        engine: the adapter's name, such as `kafka-streams`. It is also the name of the folder in the user's
            cache. With underscores it names the adapter's package (`kafka_streams`), and in upper case it is
            part of the variable that overrides the folder (`TIDEGAUGE_KAFKA_STREAMS_JARS`).
        option: the option of the adapter that names another folder.
        downloads: the Maven invocations that fetch the jars.
        size: the size of all jars, for messages: `13 MB`.
    """

    engine: str
    option: str
    downloads: tuple[Download, ...]
    size: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the jars that must be in the folder; dependencies are not among them."""
        return tuple(name for download in self.downloads for name in download.jars)

    def folder(self) -> Path:
        """Return the default folder: the value of `TIDEGAUGE_..._JARS`, otherwise a folder in the cache."""
        named = os.environ.get(f"TIDEGAUGE_{self._package.upper()}_JARS")
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return Path(named) if named else Path(cache) / "tidegauge" / self.engine

    def locate(self, options: Mapping[str, str]) -> Path:
        """Return the absolute path of the folder with the jars: the one of the option, or the default folder.

        Raises:
            ValueError: if the option is not a folder or a jar is missing. The message is one line and names
                the command that fetches the jars.
        """
        given = options.get(self.option)
        folder = self.folder() if given is None else Path(given)
        if given is not None and not folder.is_dir():
            raise ValueError(
                f"option {self.option}={given!r} is not a folder; without the option, {self._remedy}"
            )
        for name in self.names:
            if not (folder / name).is_file():
                raise ValueError(f"{name} is not in the folder {str(folder)!r}: {self._remedy}")
        return folder.absolute()

    def fetch(self, folder: Path) -> None:
        """Create a folder if necessary, and repeat each download of which it lacks a jar.

        Raises:
            ValueError: if Maven is missing or fails; the message is one line.
        """
        for download in self.downloads:
            if not all((folder / name).is_file() for name in download.jars):
                folder.mkdir(parents=True, exist_ok=True)
                _fetch(download, folder)

    def fetch_or_exit(self) -> None:
        """Fetch the jars into the default folder. On failure, print the error and exit with status 1."""
        try:
            self.fetch(self.folder())
        except ValueError as error:
            sys.exit(str(error))

    @property
    def _package(self) -> str:
        return self.engine.replace("-", "_")

    @property
    def _remedy(self) -> str:
        jars = "it" if len(self.names) == 1 else "the jars"
        return f"python -m tidegauge_adapters.{self._package}.jars fetches {jars} with Maven ({self.size})"


def _fetch(download: Download, folder: Path) -> None:
    name = download.jars[0]
    with tempfile.TemporaryDirectory(dir=folder) as fetched:
        command = ["mvn", "--quiet", "--batch-mode", *download.goal, f"-DoutputDirectory={fetched}"]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
        except FileNotFoundError:
            raise ValueError(
                f"{name} is fetched with Maven, which is missing (Debian, Ubuntu: apt-get install maven)"
            ) from None
        except subprocess.CalledProcessError as error:
            printed = [line for line in (error.stdout + error.stderr).splitlines() if line.strip()]
            raise ValueError(f"Maven cannot fetch {name}: {(printed or ['no message'])[0].strip()}") from None
        # The named jars come last, since their presence means that the download is complete.
        for jar in sorted(Path(fetched).glob("*.jar"), key=lambda path: path.name in download.jars):
            shutil.move(jar, folder / jar.name)
