"""The driver jar, which translates between the protocol and a topology of Kafka Streams.

`python -m tidegauge_adapters.kafka_streams.driver` builds the jar from `java/`, with Kafka's jars and a JDK.
"""

import sys
from pathlib import Path

from ..driver_jar import COMMON, DriverJar
from .jars import kafka_streams_jars

DRIVER = DriverJar(Path(__file__).parent, "tidegauge.kafka.Driver", source_folders=("java", COMMON))

if __name__ == "__main__":
    try:
        jars = kafka_streams_jars({})
    except ValueError as error:
        sys.exit(str(error))
    DRIVER.build(":".join(map(str, jars)))
    print(DRIVER.built())
