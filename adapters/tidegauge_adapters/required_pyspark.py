"""The PySpark that the adapters of Spark need.

Python workers of Spark import this module: it knows nothing of the kit.
"""

import os
from collections.abc import Mapping

from pyspark.version import __version__

SUPPORTED = "4.3"


def require_pyspark(found: str = __version__) -> None:
    """Raises `ImportError`, in one line with the remedy, for a PySpark of another minor version."""
    if found.split(".")[:2] != SUPPORTED.split("."):
        raise ImportError(
            f"it needs PySpark {SUPPORTED}, but PySpark {found} is installed; pip install 'tidegauge[spark]'"
        )


def refuse_connect(master: str, environment: Mapping[str, str] = os.environ) -> None:
    """Raises `ValueError`, in one line with the remedy, where a session would be one of Spark Connect: it has
    no driver in this process, which feeds queries and takes what comes out of them."""
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
