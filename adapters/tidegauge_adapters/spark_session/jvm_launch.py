"""What a JVM that is being launched takes over from its process: environment and open files."""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def environment(cluster: bool, folder: Path) -> Iterator[None]:
    """What only the environment can tell a JVM that is being launched, and its workers."""
    ours = {
        "PYSPARK_PYTHON": sys.executable if cluster else str(_python(folder)),
        "SPARK_LAUNCHER_OPTS": "-XX:-UsePerfData",
        "SPARK_LOCAL_DIRS": str(folder),
    }
    if cluster and "PYSPARK_PYTHON" in os.environ:
        del ours["PYSPARK_PYTHON"]  # a cluster's Python is where its owner says
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _python(folder: Path) -> Path:
    """This Python, as a program that imports PySpark from its installed folder.

    Spark puts zip files of itself at the head of the search path of the Python processes that it starts, one
    or two a query. There is no bytecode in them: each process would compile PySpark again, which takes longer
    than all else that it does before its first row.
    """
    program = folder / "python"
    path = shlex.quote(os.environ.get("PYTHONPATH", ""))
    program.write_text(f'#!/bin/sh\nPYTHONPATH={path} exec {shlex.quote(sys.executable)} "$@"\n')
    program.chmod(0o700)
    return program


@contextmanager
def output_to(log: Path) -> Iterator[None]:
    """File descriptors 1 and 2, which the JVM and all its workers inherit and keep, lead to the log."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    saved = {number: os.dup(number) for number in (1, 2)}
    try:
        with log.open("ab") as file:
            for number in saved:
                os.dup2(file.fileno(), number)
        yield
    finally:
        for number, original in saved.items():
            os.dup2(original, number)
            os.close(original)
