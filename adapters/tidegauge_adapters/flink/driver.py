"""The jar between the protocol and Flink's classes. `python -m tidegauge_adapters.flink.driver` builds it
from `java/`, with Flink's jar and a JDK."""

import argparse
import sys
from pathlib import Path

from ..driver_jar import DriverJar
from .jars import flink_dist

DRIVER = DriverJar(Path(__file__).parent, "tidegauge.flink.Driver")


def main() -> None:
    """Build the jar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flink", metavar="FOLDER", help="folder with flink-dist-VERSION.jar")
    given = parser.parse_args().flink
    try:
        flink = flink_dist({} if given is None else {"flink": given})
    except ValueError as error:
        sys.exit(str(error))
    DRIVER.build(flink)
    print(DRIVER.built())


if __name__ == "__main__":
    main()
