"""Find Flink's jars, in a given folder or in an installed distribution, and their version."""

import importlib.metadata
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DISTRIBUTION = "apache-flink-libraries"
RELEASES = ("2.3", "2.2", "2.1", "2.0", "1.20")
"""The releases of Flink that the adapter drives, newest first."""
NEWEST = RELEASES[0]

_REMEDY = (
    "pip install 'tidegauge[flink]' brings those of 2.3.0 ('tidegauge[flink-2.2]', ... those of "
    "older releases), and --option flink=FOLDER takes others"
)
_VERSION = re.compile(r"flink-(?:dist|runtime)(?:_[\d.]+)?-((\d+\.\d+).*)\.jar")


@dataclass(frozen=True)
class FlinkJars:
    """The jars of one version of Flink.

    Attributes:
        version: the version, such as `2.1.3`.
        release: the release that the version belongs to, such as `2.1`.
        class_path: the class path with all jars of Flink.
    """

    version: str
    release: str
    class_path: str


def flink_jars(options: Mapping[str, str]) -> FlinkJars:
    """Return Flink's jars: from the folder of the option `flink`, or else the installed jars.

    The folder contains Flink's own distribution (`flink-dist-VERSION.jar`), or `flink-runtime-VERSION.jar`
    and its dependencies, as Maven copies them.

    Raises:
        ValueError: if there are no jars, or if the adapter does not drive their version. The message is one
            line with the remedy.
    """
    given = options.get("flink")
    folder = _installed() if given is None else Path(given)
    if folder is None:
        raise ValueError(f"Flink's jars are not there: {_REMEDY}")
    if not folder.is_dir():
        raise ValueError(f"option flink={given!r} is no folder: {_REMEDY}")
    jars = (
        sorted(folder.glob("flink-dist*.jar"))
        or sorted(folder.glob("lib/flink-dist*.jar"))
        or sorted(folder.glob("flink-runtime-[0-9]*.jar"))
    )
    if len(jars) != 1:
        found = f"there are {len(jars)} versions of Flink" if jars else "there is no flink-dist-VERSION.jar"
        raise ValueError(f"in the folder {str(folder)!r} {found}: {_REMEDY}")
    jar = jars[0].absolute()
    named = _VERSION.fullmatch(jar.name)
    if named is None or named[2] not in RELEASES:
        version = "a file without a version in its name" if named is None else f"of Flink {named[1]}"
        raise ValueError(
            f"{jar.name} in the folder {str(folder)!r} is {version}: the adapter drives {', '.join(RELEASES)}"
        )
    is_whole = jar.name.startswith("flink-dist")
    return FlinkJars(named[1], named[2], str(jar if is_whole else jar.parent / "*"))


def _installed() -> Path | None:
    try:
        distribution = importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return None
    return Path(str(distribution.locate_file("pyflink/lib")))
