"""Driver jars, which translate between the process protocol and the classes of a Java engine."""

import hashlib
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_DIGEST = "META-INF/sources.sha256"
_RELEASE = "17"
COMMON = "../java_driver/java"
"""The folder of sources that drivers share: the protocol, its outputs and its JSON."""

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""Modification time of all entries. It is fixed so that the same sources always give the same jar."""


@dataclass(frozen=True)
class DriverJar:
    """A driver jar in the folder of an adapter, compiled from the Java sources beside it.

    Attributes:
        folder: the folder of the adapter.
        main_class: the full name of the class whose `main` speaks the protocol.
        name: the name of the jar.
        source_folders: the folders of sources, relative to the adapter's folder. A source replaces the
            source with the same path in an earlier folder.
        behind: the jar that follows on the class path, or None. If it is set, this jar contains only the
            classes that differ from the jar behind, which must be built first.
    """

    folder: Path
    main_class: str
    name: str = "driver.jar"
    source_folders: tuple[str, ...] = ("java",)
    behind: "DriverJar | None" = None

    @property
    def path(self) -> Path:
        """The path of the jar."""
        return self.folder / self.name

    @property
    def class_path(self) -> str:
        """The class path of the driver without the engine's jars."""
        return str(self.path) if self.behind is None else f"{self.path}:{self.behind.class_path}"

    def digest_of_sources(self) -> str:
        """Return the SHA-256 digest of the names and contents of all sources."""
        return digest_of(self._sources())

    def digest_in_jar(self) -> str:
        """Return the digest, stored in the jar, of the sources from which the jar was built."""
        with zipfile.ZipFile(self.path) as jar:
            return jar.read(_DIGEST).decode()

    def build(self, engine: str) -> None:
        """Compile the sources against the engine's class path and write the driver jar."""
        with tempfile.TemporaryDirectory() as folder:
            compiler = ["javac", "-nowarn", "-proc:none", "--release", _RELEASE]
            sources = [str(source) for _, source in sorted(self._sources().items())]
            subprocess.run([*compiler, "-cp", engine, "-d", folder, *sources], check=True)
            classes = {
                file.relative_to(folder).as_posix(): file.read_bytes()
                for file in sorted(Path(folder).rglob("*.class"))
            }
        classes_behind = self.behind.classes() if self.behind else {}
        with zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED) as jar:
            for name, content in classes.items():
                if classes_behind.get(name) != content:
                    _add(jar, name, content)
            _add(jar, _DIGEST, self.digest_of_sources().encode())

    def built(self) -> str:
        """Return one line with the name and size of the jar and the digest of its sources."""
        size = self.path.stat().st_size
        return f"{self.path.name}: {size:,} bytes, of the sources {self.digest_in_jar()[:12]}"

    def classes(self) -> dict[str, bytes]:
        """Return the class files of the jar by name."""
        with zipfile.ZipFile(self.path) as jar:
            return {name: jar.read(name) for name in jar.namelist() if name.endswith(".class")}

    def _sources(self) -> dict[str, Path]:
        """Return the sources by their paths relative to their source folders."""
        return {
            source.relative_to(self.folder / name).as_posix(): source
            for name in self.source_folders
            for source in (self.folder / name).rglob("*.java")
        }


def _add(jar: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    jar.writestr(entry, content)


def digest_of(sources: Mapping[str, Path]) -> str:
    """Return the SHA-256 digest of the names and contents of source files, in the order of their names."""
    digest = hashlib.sha256()
    for name, source in sorted(sources.items()):
        digest.update(f"{name}\n".encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()
