"""The driver jars, which translate between the protocol and Flink's classes.

`python -m tidegauge_adapters.flink.driver` builds the jars for the given versions of Flink, with Flink's jars
and a JDK. `java` has the sources for the newest version. `java-VERSION` has the sources that differ for this
version and all older ones.
"""

import argparse
import sys
from pathlib import Path

from ..driver_jar import DriverJar
from .jars import RELEASES, flink_jars

_FOLDER = Path(__file__).parent
_MAIN_CLASS = "tidegauge.flink.Driver"

DRIVER = DriverJar(_FOLDER, _MAIN_CLASS)
"""The driver for the newest release. For an older release, a jar with a few classes precedes it on the class
path."""


def driver_for(release: str) -> DriverJar:
    """Return the driver for a release of Flink, such as `2.1`."""
    older = RELEASES[1 : RELEASES.index(release) + 1]
    if not older:
        return DRIVER
    folders = ("java", *(f"java-{name}" for name in older))
    return DriverJar(_FOLDER, _MAIN_CLASS, f"driver-{release}.jar", folders, DRIVER)


def main() -> None:
    """Build the driver jars for the given versions, the newest first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flink", metavar="FOLDER", nargs="+", help="folders with Flink's jars")
    folders = parser.parse_args().flink
    try:
        given = [flink_jars({"flink": folder}) for folder in folders] if folders else [flink_jars({})]
    except ValueError as error:
        sys.exit(str(error))
    for flink in sorted(given, key=lambda flink: RELEASES.index(flink.release)):
        driver = driver_for(flink.release)
        driver.build(flink.class_path)
        print(driver.built())


if __name__ == "__main__":
    main()
