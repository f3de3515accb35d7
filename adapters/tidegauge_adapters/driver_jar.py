"""Driver jars, which translate between the process protocol and the classes of a Java engine."""

import hashlib
import os
import subprocess
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

_DIGEST = "META-INF/sources.sha256"
_RELEASE = "17"
COMMON = Path(__file__).parent / "java_driver" / "java"
"""The sources that drivers share: the protocol, its outputs and its JSON."""

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""Modification time of all entries. It is fixed so that the same sources always give the same jar."""


@dataclass(frozen=True)
class DriverJar:
    """The file `driver.jar` of an adapter, compiled from the sources in the folder `java` beside it.

    Attributes:
        folder: the folder of the adapter.
        main_class: the full name of the class whose `main` speaks the protocol.
        common: another folder of sources, `COMMON`; None for a driver that has its own protocol classes.
    """

    folder: Path
    main_class: str
    common: Path | None = None

    @property
    def path(self) -> Path:
        """The path of the jar."""
        return self.folder / "driver.jar"

    def digest_of_sources(self) -> str:
        """Return the SHA-256 digest of the names and contents of all sources."""
        digest = hashlib.sha256()
        for root in self._roots:
            for source in _sources(root):
                digest.update(f"{source.relative_to(root).as_posix()}\n".encode())
                digest.update(source.read_bytes())
        return digest.hexdigest()

    def digest_in_jar(self) -> str:
        """Return the digest, stored in the jar, of the sources from which the jar was built."""
        with zipfile.ZipFile(self.path) as jar:
            return jar.read(_DIGEST).decode()

    def build(self, *engine: Path) -> None:
        """Compile the sources against the engine's jars and write the driver jar."""
        with tempfile.TemporaryDirectory() as folder:
            compiler = ["javac", "-nowarn", "-proc:none", "--release", _RELEASE]
            classpath = os.pathsep.join(map(str, engine))
            sources = [str(source) for root in self._roots for source in _sources(root)]
            subprocess.run([*compiler, "-cp", classpath, "-d", folder, *sources], check=True)
            with zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED) as jar:
                for file in sorted(Path(folder).rglob("*.class")):
                    _add(jar, file.relative_to(folder).as_posix(), file.read_bytes())
                _add(jar, _DIGEST, self.digest_of_sources().encode())

    def built(self) -> str:
        """Return one line with the name and size of the jar and the digest of its sources."""
        size = self.path.stat().st_size
        return f"{self.path.name}: {size:,} bytes, of the sources {self.digest_in_jar()[:12]}"

    @property
    def _roots(self) -> list[Path]:
        own = self.folder / "java"
        return [own] if self.common is None else [own, self.common]


def _sources(root: Path) -> list[Path]:
    return sorted(root.rglob("*.java"))


def _add(jar: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    jar.writestr(entry, content)
