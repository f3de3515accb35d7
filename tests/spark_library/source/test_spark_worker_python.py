"""A session whose workers run another Python than the program: the library looks whether it is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from spark_programs.queries import SparkQueries, spark_queries

from tidegauge_spark import register
from tidegauge_spark.source.own_log import register_log
from tidegauge_spark.source.worker_python import WorkerPythonError

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


def python(folder: Path, *options: str) -> str:
    """Write a Python of the workers that starts this one with options."""
    file = folder / "python3"
    file.write_text(f'#!/bin/sh\nexec {sys.executable} {" ".join(options)} "$@"\n')
    file.chmod(0o755)
    return str(file)


@pytest.fixture(name="bare")
def _bare(queries: SparkQueries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The workers' Python sees neither installed packages nor the path of this process."""
    bare = python(tmp_path, "-I", "-S")
    monkeypatch.setattr(queries.session.sparkContext, "pythonExec", bare)
    return bare


def test_workers_without_the_library_are_refused_in_one_line(queries: SparkQueries, bare: str) -> None:
    for register_it in (register, lambda spark: register_log(spark, "mine", lambda options: options)):
        with pytest.raises(WorkerPythonError) as error:
            register_it(queries.session)
        assert str(error.value) == (
            f"the Python of Spark's workers, {bare!r}, has no tidegauge_spark: set the environment variable "
            f"PYSPARK_PYTHON to {sys.executable!r} before the session starts, or install the library there"
        )


def test_workers_with_the_library_in_another_python_are_fine(
    queries: SparkQueries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries.session.sparkContext, "pythonExec", python(tmp_path))
    register(queries.session)


def test_a_python_that_is_not_on_this_machine_is_left_to_spark(
    queries: SparkQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries.session.sparkContext, "pythonExec", "./environment/bin/python")
    register(queries.session)
