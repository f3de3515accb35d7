"""Event logs on a real S3 server: the objects that a source and a recorder write, and one-line errors."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql.streaming.listener import StreamingQueryProgress
from s3_server import ACCESS_KEY, REGION, SECRET_KEY, S3Store
from spark_programs.driven_query import DrivenQuery

from tidegauge_spark.event_log.log_files import EventLogError
from tidegauge_spark.event_log.progress_recorder import ProgressRecorder
from tidegauge_spark.places.s3 import S3Settings

pytestmark = pytest.mark.stores


def logged(store: S3Store, folder: str, **options: str) -> DrivenQuery:
    """Return a query over numbers that writes its log to a folder."""
    return DrivenQuery(
        end="20", maxRowsPerTrigger="10", eventLog=folder, sourceName="n", **store.options, **options
    )


def rows_in(store: S3Store, folder: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = store.table(folder).to_pylist()
    return sorted(rows, key=lambda row: row["sequence"])


def test_a_source_writes_each_batch_once(store: S3Store) -> None:
    """A batch that is run again replaces its object."""
    folder = f"{store.bucket('logs')}/once"
    query = logged(store, folder.replace("s3://", "s3a://"))
    query.batch()
    query.restart()
    query.run()
    rows = rows_in(store, folder)
    assert sum(row["count"] for row in rows if row["kind"] == "record") == 21
    assert [row["sequence"] for row in rows] == list(range(1, len(rows) + 1))
    names = store.names(folder)
    assert all(name.startswith("job-n/source-n/") and name.endswith(".parquet") for name in names)
    assert len(names) == len(set(names)) == len(query.log)


def test_the_log_of_another_source_is_not_overwritten(store: S3Store) -> None:
    folder = f"{store.bucket('logs')}/others"
    logged(store, folder).run()
    with pytest.raises(
        EventLogError, match=r"the folder 's3://logs/others/job-n/source-n' has the event log of"
    ):
        logged(store, folder).run()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"eventLog": "s3://nothing/log"}, r"there is no bucket 'nothing' at http://.*: correct the path"),
        ({"fs.s3a.secret.key": "falsch"}, r"rejects the credentials \(SIGNATURE_DOES_NOT_MATCH\)"),
    ],
)
def test_a_log_that_cannot_be_written_is_an_error_in_one_line(
    store: S3Store, changed: dict[str, str], message: str
) -> None:
    options = {"eventLog": f"{store.bucket('logs')}/x", **store.options, **changed}
    with pytest.raises(
        EventLogError, match=rf"the event log 's3://.*' cannot be written: .*{message}"
    ) as failure:
        DrivenQuery(end="20", **options).run()
    said = str(failure.value)
    assert "\n" not in said
    assert not any(secret in said for secret in ("falsch", ACCESS_KEY, SECRET_KEY))


def progress(batch: int, watermark: str) -> StreamingQueryProgress:
    empty = {"numInputRows": 1, "inputRowsPerSecond": 1.0, "processedRowsPerSecond": 1.0}
    return StreamingQueryProgress.fromJson(
        {
            "id": "00000000-0000-0000-0000-000000000001",
            "runId": "00000000-0000-0000-0000-000000000002",
            "name": "shop",
            "timestamp": f"2026-01-01T01:00:0{batch}.000Z",
            "batchId": batch,
            "batchDuration": 1,
            "durationMs": {},
            "eventTime": {"watermark": f"2026-01-01T00:0{watermark}.000Z"},
            "stateOperators": [],
            "sources": [],
            "sink": {"description": "a sink", "numOutputRows": 1},
            "observedMetrics": {},
            **empty,
        }
    )


def test_a_recorder_continues_its_log_after_a_restart(store: S3Store) -> None:
    folder = f"{store.bucket('logs')}/recorded"
    s3 = S3Settings(store.endpoint, REGION, access_key=ACCESS_KEY, secret_key=SECRET_KEY)
    ProgressRecorder(folder, s3=s3).progressed(progress(0, "0:10"))
    again = ProgressRecorder(folder, s3=s3)
    again.progressed(progress(0, "0:10"))
    again.progressed(progress(1, "0:20"))
    assert [row["kind"] for row in rows_in(store, folder)] == ["watermark", "restarted", "watermark"]
