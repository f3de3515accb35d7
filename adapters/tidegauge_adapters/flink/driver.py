"""The jar between the protocol and Flink's classes. `python -m tidegauge_adapters.flink.driver` builds it
from `java/`, with Flink's jar and a JDK."""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from .jars import flink_dist

HERE = Path(__file__).parent
SOURCES = HERE / "java"
JAR = HERE / "driver.jar"
MAIN_CLASS = "tidegauge.flink.Driver"
_DIGEST = "META-INF/sources.sha256"
_RELEASE = "17"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""Time of all entries, so that the same sources give the same jar."""


def digest_of_sources() -> str:
    """SHA-256 over the names and texts of all sources."""
    digest = hashlib.sha256()
    for source in _sources():
        digest.update(f"{source.relative_to(SOURCES).as_posix()}\n".encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()


def digest_in_jar() -> str:
    """That of the sources from which the jar was built."""
    with zipfile.ZipFile(JAR) as jar:
        return jar.read(_DIGEST).decode()


def build(flink: Path) -> None:
    """Compile the sources against Flink's jar and write the driver's jar."""
    with tempfile.TemporaryDirectory() as folder:
        compiler = ["javac", "-nowarn", "-proc:none", "--release", _RELEASE, "-cp", str(flink), "-d", folder]
        subprocess.run([*compiler, *map(str, _sources())], check=True)
        with zipfile.ZipFile(JAR, "w", zipfile.ZIP_DEFLATED) as jar:
            for file in sorted(Path(folder).rglob("*.class")):
                _add(jar, file.relative_to(folder).as_posix(), file.read_bytes())
            _add(jar, _DIGEST, digest_of_sources().encode())


def _sources() -> list[Path]:
    return sorted(SOURCES.rglob("*.java"))


def _add(jar: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    jar.writestr(entry, content)


def main() -> None:
    """Build the jar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flink", metavar="FOLDER", help="folder with flink-dist-VERSION.jar")
    given = parser.parse_args().flink
    try:
        flink = flink_dist({} if given is None else {"flink": given})
    except ValueError as error:
        sys.exit(str(error))
    build(flink)
    print(f"{JAR.name}: {JAR.stat().st_size:,} bytes, of the sources {digest_in_jar()[:12]}")


if __name__ == "__main__":
    main()
