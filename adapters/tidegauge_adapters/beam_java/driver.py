"""The driver jar, which translates between the protocol and pipelines of Beam.

`python -m tidegauge_adapters.beam_java.driver` builds the jar from `java/`, with Beam's jars and a JDK.
"""

import sys
from pathlib import Path

from ..driver_jar import DriverJar
from .jars import beam_class_path

DRIVER = DriverJar(Path(__file__).parent, "tidegauge.beam.Driver")

if __name__ == "__main__":
    try:
        class_path = beam_class_path({})
    except ValueError as error:
        sys.exit(str(error))
    DRIVER.build(str(class_path))
    print(DRIVER.built())
