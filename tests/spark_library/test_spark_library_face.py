"""What `import tidegauge_spark` gives: few names, none of which is imported before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tidegauge_spark


def test_the_names_at_the_top_are_few_and_all_there() -> None:
    assert len(tidegauge_spark.__all__) <= 31
    assert None not in [getattr(tidegauge_spark, name) for name in tidegauge_spark.__all__]
    assert set(tidegauge_spark.__all__) <= set(dir(tidegauge_spark))


def test_another_name_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="module 'tidegauge_spark' has no attribute 'Valve'"):
        tidegauge_spark.Valve  # noqa: B018


def test_the_import_alone_starts_neither_pyspark_nor_pyarrow() -> None:
    program = (
        "import sys, tidegauge_spark; print([name for name in ('pyspark', 'pyarrow') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
