"""The coordination service of a Spark application: started once, on demand, and published in the session.

Data sources are planned in Python processes of the driver that know neither the session nor one another. The
service therefore runs in the process that created the session, and its address is passed to the sources.
"""

from __future__ import annotations

import threading
from typing import Final

from pyspark.sql import SparkSession

from tidegauge_spark.group_coordination.client import Address, CoordinatorError
from tidegauge_spark.group_coordination.service import CoordinationService

COORDINATOR_CONF: Final = "spark.tidegauge.coordinator.token"
"""The setting of a session that holds the address of its coordination service, "host:port/token".

Spark redacts settings with "token" in their names in its logs and on its pages.
"""


class _Running:
    """The service of this process, and the application that it belongs to; a process has one driver."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.application: str | None = None
        self.service: CoordinationService | None = None
        self.ended: set[str] = set()

    def address_for(self, application: str) -> str:
        """Return the address of the application's service; start the service if there is none."""
        if self.service is None or self.application != application:
            self.close()
            self.service, self.application = CoordinationService(), application
        return self.service.address

    def close(self) -> None:
        if self.service is not None:
            self.service.close()
            self.ended.add(self.service.address)
        self.service = self.application = None


_running: Final = _Running()


def ensure_coordination(spark: SparkSession) -> str:
    """Return the address of the coordination service of an application; start the service if there is none.

    The address is published in the session as `COORDINATOR_CONF`, and `register(spark)`, called after this
    function, passes it to all sources that are in a group and have no option "coordinator". All sessions of
    the application use the same service, which runs as long as this process, or until `end_coordination`.

    An address that is published already is returned unchanged. A service that runs elsewhere
    (`coordination()`), for the sources of several applications, therefore replaces this one.

    Raises `ValueError` if the setting holds a value that is not an address, and `CoordinatorError` if the
    sources are planned in another process than the driver of this one: in a Spark Connect client.
    """
    published = published_coordination(spark)
    if published is not None:
        return published
    with _running.lock:
        address = _running.address_for(_application_of(spark))
    spark.conf.set(COORDINATOR_CONF, address)
    return address


def published_coordination(spark: SparkSession) -> str | None:
    """Return the address of the coordination service that is published in a session, None if there is none.

    Raises `ValueError` if `COORDINATOR_CONF` holds a value that is not an address.
    """
    published = spark.conf.get(COORDINATOR_CONF, None)
    if published is None or published in _running.ended:
        return None
    try:
        return str(Address.parse(published))
    except ValueError as error:
        raise ValueError(
            f'{COORDINATOR_CONF}: {error}; set it to the "host:port/token" that coordination() gave, '
            "or leave it out"
        ) from error


def end_coordination(spark: SparkSession) -> None:
    """End the service that `ensure_coordination` has started, when no query needs it any more.

    A service that runs elsewhere continues. If no service was started, nothing happens.
    """
    with _running.lock:
        if _running.service is not None:
            if spark.conf.get(COORDINATOR_CONF, None) == _running.service.address:
                spark.conf.unset(COORDINATOR_CONF)
            _running.close()


def _application_of(spark: SparkSession) -> str:
    try:
        return str(spark.sparkContext.applicationId)
    except AttributeError as error:  # what a Spark Connect session raises
        raise CoordinatorError(
            "a Spark Connect client is not the driver, in which the sources are planned: run "
            "tidegauge_spark.coordination() in a process beside the driver, and set its address as "
            f"{COORDINATOR_CONF}"
        ) from error
