"""The driver jar, which translates between the protocol and Jet's classes.

`python -m tidegauge_adapters.hazelcast.driver` builds the jar from `java/`, with Hazelcast's jar and a JDK.
"""

import sys
from pathlib import Path

from ..driver_jar import COMMON, DriverJar
from .jars import hazelcast_jar

DRIVER = DriverJar(Path(__file__).parent, "tidegauge.hazelcast.Driver", source_folders=("java", COMMON))

if __name__ == "__main__":
    try:
        jar = hazelcast_jar({})
    except ValueError as error:
        sys.exit(str(error))
    DRIVER.build(str(jar))
    print(DRIVER.built())
