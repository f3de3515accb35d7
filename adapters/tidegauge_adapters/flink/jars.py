"""Where Flink's own jars are: in a folder that is given, or in an installed distribution."""

import importlib.metadata
from collections.abc import Mapping
from pathlib import Path

DISTRIBUTION = "apache-flink-libraries"
_REMEDY = "pip install 'tidegauge[flink]' brings those of 2.3.0, and --option flink=FOLDER takes others"


def flink_dist(options: Mapping[str, str]) -> Path:
    """The jar with Flink's runtime. Raises `ValueError`, in one line with the remedy."""
    given = options.get("flink")
    folder = _installed() if given is None else Path(given)
    if folder is None:
        raise ValueError(f"Flink's jars are not there: {_REMEDY}")
    if not folder.is_dir():
        raise ValueError(f"option flink={given!r} is no folder: {_REMEDY}")
    jars = sorted(folder.glob("flink-dist*.jar")) or sorted(folder.glob("lib/flink-dist*.jar"))
    if len(jars) != 1:
        found = "no flink-dist-VERSION.jar" if not jars else f"{len(jars)} flink-dist jars in place of one"
        raise ValueError(f"in the folder {str(folder)!r} there is {found}: {_REMEDY}")
    return jars[0].absolute()


def _installed() -> Path | None:
    try:
        distribution = importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return None
    return Path(str(distribution.locate_file("pyflink/lib")))
