"""The versions of PySpark that the Spark adapters accept, and the differences between these versions.

This is the only module of the kit that checks the version. Spark's Python workers import it, so it imports no
other module of the kit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType
from pyspark.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

Version = tuple[int, int]

OLDEST: Final = (4, 0)
"""The oldest PySpark on which the kit tests Spark's own watermark and windows."""

ROW_PROCESSORS: Final = (4, 1)
"""The first PySpark whose `transformWithState` accepts row-based processors."""

_NEWEST: Final = (4, 3)


def require_pyspark(oldest: Version = OLDEST, found: str = __version__) -> None:
    """Raise `ImportError` if the installed PySpark is older than `oldest`, or newer than the kit supports.

    The message has one line, with the remedy.
    """
    if not oldest <= _minor(found) <= _NEWEST:
        first, last, after = map(_text, (oldest, _NEWEST, (_NEWEST[0], _NEWEST[1] + 1)))
        raise ImportError(
            f"it needs PySpark {first} to {last}, but PySpark {found} is installed; "
            f"pip install 'pyspark>={first},<{after}'"
        )


def _minor(version: str) -> Version:
    major, minor, *_ = version.split(".")
    return int(major), int(minor)


def _text(version: Version) -> str:
    return ".".join(map(str, version))


HAS_TESTER: Final = _minor(__version__) >= (4, 2)
"""Whether PySpark has `TwsTester`."""

CHECKPOINT_PACKAGE: Final = "checkpointing." if _minor(__version__) > OLDEST else ""
"""The sub-package of Spark's package `streaming` that has the checkpoint classes; PySpark 4.0 has none."""


def to_arrow_in_utc(schema: StructType) -> pa.Schema:
    """Return the Arrow schema of Spark's columns; timestamps have the time zone UTC."""
    # Before 4.2 the argument does not exist, and UTC is the default.
    return to_arrow_schema(schema, timezone="UTC") if HAS_TESTER else to_arrow_schema(schema)


def refuse_connect(master: str, environment: Mapping[str, str] = os.environ) -> None:
    """Raise `ValueError`, in one line with the remedy, if a session would be one of Spark Connect.

    The adapters feed queries and collect their output in the driver. With Spark Connect the driver is in
    another process.
    """
    told_by = ""
    if master.startswith("sc://"):
        told_by = f"option master={master}"
    elif environment.get("SPARK_API_MODE", "").lower() == "connect":
        told_by = "SPARK_API_MODE=connect in the environment"
    for name in ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED"):
        if not told_by and environment.get(name):
            told_by = f"{name} in the environment, or a session of Spark Connect in this process,"
    if told_by:
        raise ValueError(
            f"{told_by} asks for Spark Connect, whose driver is elsewhere: queries under test need a classic "
            "session; unset it, and give a master such as local[2] or spark://HOST:7077"
        )
