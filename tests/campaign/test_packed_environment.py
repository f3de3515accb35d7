"""Both commands on two executors, processes of their own, whose Python comes out of an archive that Spark unpacks."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from campaigns import campaign, rows_in
from conftest import Command
from written_logs import written

pytestmark = [pytest.mark.slower, pytest.mark.xdist_group("spark")]

MASTER = "local-cluster[2,1,1024]"

BOTH = "--conf spark.scheduler.minRegisteredResourcesRatio=1"
"""No task starts before both executors are there."""

ENGINE = """
import os
import sys
from pathlib import Path
from tidegauge.engine.of_the_reference import OfTheReference
from tidegauge_reference.clock import PausableClock

class Adapter(OfTheReference):
    def clock(self, setup):
        Path({seen!r}, str(os.getpid())).write_text(sys.executable)
        return PausableClock(setup.nanoseconds)
"""


def pack(folder: Path, engine: str) -> dict[str, str]:
    """Pack an environment with an engine, and return the variables by which Spark uses it. What is installed
    here is reached by a link, and not packed: that would be a gigabyte."""
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "packed_engine.py").write_text(engine, encoding="utf-8")
    here = sysconfig.get_path("purelib")
    (packages / "here.pth").write_text(f"import site; site.addsitedir({here!r})\n", encoding="utf-8")
    archive = folder / "environment.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(environment, ".")
    environment.rename(folder / "moved")
    return {
        "PYSPARK_PYTHON": "./environment/bin/python",
        "PYSPARK_SUBMIT_ARGS": f"--archives {archive}#environment {BOTH} pyspark-shell",
    }


def test_executors_run_the_packed_python_and_give_the_same_rows_and_verdicts(
    tmp_path: Path,
    tidegauge: Command,
    engine_module: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "seen").mkdir()
    engine = ENGINE.format(seen=str(tmp_path / "seen"))
    variables = pack(tmp_path, engine)
    engine_module("packed_engine", engine)  # for the driver
    asked = ("--adapter", "packed_engine:Adapter", "--component", "clock", "--count", "9000")
    ended = tidegauge("campaign", *asked, "--master", MASTER, "--out", "out", environment=variables)
    assert ended.returncode == 0, ended.stderr
    seen = {path.read_text() for path in (tmp_path / "seen").iterdir()}
    of_executors = {name for name in seen if name.endswith("/environment/bin/python")}
    assert (len(of_executors), len(seen - of_executors)) == (2, 1), seen  # the driver tries the engine, too
    assert not any(Path(name).exists() for name in of_executors)
    monkeypatch.syspath_prepend(tmp_path)
    campaign(tmp_path / "here", "packed_engine:Adapter", "clock", 9000)
    assert rows_in(tmp_path / "out") == rows_in(tmp_path / "here")

    write_log(tmp_path / "log")
    log = ("check-log", "log", "--max-drift", "1m", "--out")
    here = tidegauge(*log, "here")
    there = tidegauge(*log, "there", "--master", MASTER, environment=variables)
    assert (here.returncode, there.returncode) == (1, 1), there.stderr
    results: list[dict[str, Any]] = [
        json.loads((tmp_path / name / "log-results.json").read_text(encoding="utf-8"))
        for name in ("here", "there")
    ]
    assert results[0] == results[1]
    broken = {one["property"] for one in results[0]["properties"] if one["verdict"] == "fail"}
    assert broken == {"log-watermark-increases", "log-spread-bounded"}


def write_log(folder: Path) -> None:
    """A log of two sources, one of which falls once and is far behind."""
    folder.mkdir()
    for source, speed in (("orders", 60_000), ("payments", 1_000)):
        rows = [
            {
                "kind": ("record", "watermark")[number % 2],
                "source": source,
                "event_time": number // 2 * speed - number % 2,
                "processing_time": number * 1000,
            }
            for number in range(40)
        ]
        rows[21]["event_time"] = 7
        pq.write_table(written(rows), folder / f"{source}.parquet")
