"""The differences between versions of PySpark. No other module of the library checks the version.

A feature that a version does not have is rejected when it is used, never when a module is imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_schema
from pyspark.sql.types import DataType, StructType
from pyspark.version import __version__

PYSPARK: Final = __version__
"""The installed version of PySpark."""


class PySparkVersionError(RuntimeError):
    """The installed PySpark does not have what a feature of this library needs."""


class Ability(NamedTuple):
    """A feature that PySpark has since a version."""

    since: tuple[int, int]

    @property
    def exists(self) -> bool:
        """Whether the installed PySpark has it."""
        return _installed() >= self.since

    def require(self, feature: str, remedy: str) -> None:
        """Raise `PySparkVersionError` if the installed PySpark does not have it.

        Args:
            feature: the beginning of the message, with the verb: "watermark_of(reader) needs".
            remedy: what to do with this version instead.
        """
        if not self.exists:
            since = ".".join(map(str, self.since))
            raise PySparkVersionError(
                f"{feature} PySpark {since} or later, and PySpark {PYSPARK} is installed: {remedy}, or "
                f"pip install 'pyspark>={since}'"
            )


READ_LIMITS: Final = Ability((4, 2))
"""Spark passes the start and a limit to `latestOffset`, notifies a source of AvailableNow, and shows its own
progress."""

ROW_PROCESSORS: Final = Ability((4, 1))
"""`DataFrame.groupBy(...).transformWithState`, whose processors take rows."""


def _installed() -> tuple[int, ...]:
    return tuple(int(part) for part in PYSPARK.split(".")[:2])


def to_arrow_in_utc(schema: StructType) -> pa.Schema:
    """Return the Arrow schema of Spark's columns; timestamps have the time zone UTC."""
    # Before 4.2 the argument does not exist, and UTC is the default.
    return to_arrow_schema(schema, timezone="UTC") if READ_LIMITS.exists else to_arrow_schema(schema)


def from_arrow(arrow_type: pa.DataType) -> DataType:
    """Return the Spark type of an Arrow type; a timestamp without a time zone stays one."""
    return from_arrow_type(arrow_type, prefer_timestamp_ntz=True)  # before 4.2 the default is False


if TYPE_CHECKING or READ_LIMITS.exists:
    from pyspark.sql.streaming.datasource import (
        ReadAllAvailable,
        ReadLimit,
        ReadMaxRows,
        SupportsTriggerAvailableNow,
    )
else:

    class ReadLimit:
        """How much a micro-batch may read."""

    class ReadAllAvailable(ReadLimit):
        """A micro-batch may read everything that is available."""

    @dataclass
    class ReadMaxRows(ReadLimit):
        """A micro-batch may read this number of rows."""

        max_rows: int

    class SupportsTriggerAvailableNow:
        """A reader that is notified of Trigger.AvailableNow."""


__all__ = [
    "PYSPARK",
    "READ_LIMITS",
    "ROW_PROCESSORS",
    "Ability",
    "PySparkVersionError",
    "ReadAllAvailable",
    "ReadLimit",
    "ReadMaxRows",
    "SupportsTriggerAvailableNow",
    "from_arrow",
    "to_arrow_in_utc",
]
