"""The same results on Spark as in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from written_logs import written

from tidegauge.wire.scenario import BadInput
from tidegauge_pipeline.event_log import chunks
from tidegauge_pipeline.event_log.alignment import Alignment
from tidegauge_pipeline.event_log.chunks import parts_of
from tidegauge_pipeline.event_log.files import find
from tidegauge_pipeline.event_log.in_process import judged_parts
from tidegauge_pipeline.event_log.verdicts import results_of
from tidegauge_pipeline.on_spark.check import judged_on_spark
from tidegauge_pipeline.on_spark.session import session

pytestmark = [pytest.mark.slower, pytest.mark.xdist_group("spark")]

ALIGNMENT = Alignment(30_000, 0)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with session("local[2]") as opened:
        yield opened


def log(folder: Path, mixed: bool) -> Path:
    """A log of two jobs with defects planted, each row group of one subtask; `mixed`: the rows of all subtasks
    are in all files, in no order."""
    random = np.random.default_rng(1)
    rows = [
        {
            "job": job,
            "source": source,
            "subtask": subtask,
            "kind": ("record", "record", "watermark", "idle", "active")[number % 5],
            "event_time": number * 100 * (1 + subtask) if number % 5 < 3 else None,
            "processing_time": number * 100,
        }
        for job in ("shop", "bank")
        for source in ("orders", "payments")
        for subtask in range(3)
        for number in range(400)
    ]
    rows[1230]["kind"] = "tidal"
    rows[2007]["event_time"] = 7
    table = written(rows)
    if mixed:
        table = table.take(pa.array(random.permutation(len(table))))
    folder.mkdir()
    for number in range(4):
        quarter = len(table) // 4
        pq.write_table(
            table.slice(number * quarter, quarter), folder / f"{number}.parquet", row_group_size=200
        )
    return folder


@pytest.mark.parametrize("mixed", [False, True], ids=["apart", "mixed"])
def test_spark_finds_what_this_process_finds(
    spark: Any, mixed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "MOST_SORTED", 100)
    parts = parts_of(find(log(tmp_path / "log", mixed), None, skip_bad=False).files)
    assert any(not part.is_sortable for part in parts) == mixed
    here, none = judged_parts(parts, ALIGNMENT, False, lambda chunk: None)
    there, bad = judged_on_spark(spark, parts, ALIGNMENT, False)
    assert there == here
    assert none == bad == []
    broken = {
        one.property for one in results_of("log", 1, there, files=4).properties if one.verdict == "fail"
    }
    assert broken == {"log-watermark-increases", "log-spread-bounded"}


@pytest.mark.parametrize("mixed", [False, True], ids=["apart", "mixed"])
def test_a_file_that_breaks_off_is_named_or_skipped(
    spark: Any, mixed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "MOST_SORTED", 100)
    folder = log(tmp_path / "log", mixed)
    whole = (folder / "2.parquet").read_bytes()
    # the footer is whole: what is wrong shows when the rows are read
    (folder / "2.parquet").write_bytes(whole[:100] + b"\0" * 3000 + whole[3100:])
    parts = parts_of(find(folder, None, skip_bad=False).files)
    with pytest.raises(BadInput, match=r"2\.parquet: cannot be read"):
        judged_on_spark(spark, parts, None, False)
    found, bad = judged_on_spark(spark, parts, None, True)
    assert len(bad) == 1
    assert "2.parquet" in bad[0]
    assert 3600 <= sum(one.rows for one in found) < 4800
