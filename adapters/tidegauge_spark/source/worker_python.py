"""The Python that Spark starts for data sources and tasks, and the check that it has this library."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from typing import Final

from pyspark import SparkFiles
from pyspark.sql import SparkSession

from tidegauge_spark.source.spark_connect import is_connect

_LOOK: Final = (
    "import importlib.util, sys; sys.exit(7 if importlib.util.find_spec('tidegauge_spark') is None else 0)"
)
_MISSING: Final = 7
_SECONDS: Final = 60


class WorkerPythonError(RuntimeError):
    """The Python of Spark's workers lacks this library."""


def check_worker_python(spark: SparkSession) -> None:
    """Raise `WorkerPythonError` if the Python of Spark's workers lacks this library.

    If a program runs in an environment that is not activated, the program finds the library, but its workers,
    started as "python3", do not. Spark would report it in the middle of a traceback, when the first query
    starts. If the Python of the workers is not known, as with Spark Connect, the check is skipped.
    """
    if is_connect(spark):
        return
    context = spark.sparkContext
    python, shipped = str(context.pythonExec), tuple(context._python_includes or ())
    found = shutil.which(python)
    if found is None or os.path.abspath(found) == sys.executable:
        return
    root = SparkFiles.getRootDirectory()
    if _lacks_library(found, tuple(os.path.join(root, name) for name in shipped)):
        raise WorkerPythonError(
            f"the Python of Spark's workers, {found!r}, has no tidegauge_spark: set the environment variable "
            f"PYSPARK_PYTHON to {sys.executable!r} before the session starts, or install the library there"
        )


@cache
def _lacks_library(python: str, shipped: tuple[str, ...]) -> bool:
    """Return whether a Python lacks the module; shipped: the paths that Spark adds to its module path."""
    path = os.pathsep.join(filter(None, (*shipped, os.environ.get("PYTHONPATH"))))
    try:
        ran = subprocess.run(
            [python, "-c", _LOOK],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False  # the error of Spark is clearer
    return ran.returncode == _MISSING
