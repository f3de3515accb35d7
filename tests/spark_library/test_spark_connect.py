"""What works in a client of Spark Connect, and what is rejected there, against a real server."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.slower]

PATIENCE = 1800


@pytest.fixture(scope="module", name="client")
def _client(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    missing = [name for name in ("grpc", "grpc_status", "zstandard") if not importlib.util.find_spec(name)]
    assert not missing, f"Spark Connect needs {', '.join(missing)}: pip install 'pyspark[connect]'"
    folder = tmp_path_factory.mktemp("connect")
    home = Path(__file__).parent
    ran = subprocess.run(
        [sys.executable, "-m", "spark_programs.connect_client", str(folder / "data")],
        cwd=folder,
        env={
            **os.environ,
            "SPARK_TESTING": "1",
            "PYTHONPATH": os.pathsep.join([str(home), os.environ.get("PYTHONPATH", "")]),
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ran.returncode == 0, ran.stderr[-4_000:]
    results: Mapping[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return results


def test_the_source_its_watermark_and_the_operators_work(client: Mapping[str, Any]) -> None:
    """The recorder is not checked: PySpark 4.3.0 removes the listeners of a client that receives an accumulator."""
    works = [line for line in client["checked"] if not line.startswith("ProgressRecorder: ")]
    assert works == [
        "exact watermark (load): works",
        "alignment: works",
        "operators (run_windows): works",
    ]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            "watermark_of",
            "SparkConnectError: watermark_of(reader) needs the driver of the query, and a client of Spark Connect "
            "is not the driver: read the topic by the format tidegauge and load(reader)",
        ),
        (
            "ensure_coordination",
            "CoordinatorError: a Spark Connect client is not the driver, in which the sources are planned: run ",
        ),
    ],
)
def test_what_needs_the_driver_is_rejected(client: Mapping[str, Any], function: str, message: str) -> None:
    assert client["rejected"][function].startswith(message)
    assert "\n" not in client["rejected"][function]
