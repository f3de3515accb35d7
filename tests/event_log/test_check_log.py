"""`tidegauge check-log`: files of all kinds, bad ones too, and what is said of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Command
from deltalake import write_deltalake
from written_logs import written

GOOD = [{"kind": "watermark", "event_time": at, "source": "orders"} for at in (1, 2, 3)]
FUTURE = (
    b'{"job":"a","source":"","subtask":0,"sequence":1,"kind":"idle","event_time":1,"processing_time":1,'
    b'"version":2}\n'
)
WRONG = [{"kind": "watermark", "event_time": at, "source": "orders", "subtask": 1} for at in (5, 9, 4)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A log of two files: one subtask is right, and one is wrong."""
    log = tmp_path / "log"
    log.mkdir()
    pq.write_table(written(GOOD), log / "good.parquet")
    pq.write_table(written(WRONG), log / "wrong.parquet")
    return log


def json_lines(table: pa.Table, path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()), encoding="utf-8")


def results(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "log-results.json").read_text(encoding="utf-8")))


def test_a_broken_rule_is_named_with_its_first_row_and_the_rows_around_it(
    folder: Path, tidegauge_here: Command
) -> None:
    answer = tidegauge_here("check-log", str(folder), "--out", "out")
    assert answer.returncode == 1, answer.stderr
    assert "6 rows of 1 job, 1 operator, 2 subtasks, in 2 files" in answer.stdout
    assert "SPLIT-2 The output watermark strictly increases." in answer.stdout
    said = "at 3 ms subtask 1, row 3 outputs the watermark 4 ms; the one before it was 9 ms (see row 2)"
    assert said in answer.stdout
    found = results(folder.parent / "out")
    (broken,) = [one for one in found["properties"] if one["verdict"] == "fail"]
    assert [row["sequence"] for row in broken["around"]] == [1, 2, 3]
    assert (broken["count"]["broken"], broken["count"]["about"], broken["count"]["far"]) == (1, 6, 5)
    assert found["overall"] == "fail"


def test_a_right_log_passes_and_says_of_how_many_rows(folder: Path, tidegauge_here: Command) -> None:
    answer = tidegauge_here("check-log", (folder / "good.parquet").as_uri())
    assert answer.returncode == 0, answer.stderr
    assert "SPLIT-2    pass" in answer.stdout
    assert "a log shows nothing of what did not happen" in answer.stdout


def test_json_lines_are_read_with_the_words_of_the_wire(tmp_path: Path, tidegauge_here: Command) -> None:
    rows = written(WRONG).drop_columns(["split", "channel", "count"]).to_pylist()
    rows[2]["event_time"] = "MIN"
    lines = "".join(json.dumps(row | {"event_time": str(row["event_time"])}) + "\n" for row in rows)
    (tmp_path / "log.jsonl").write_text(lines, encoding="utf-8")
    answer = tidegauge_here("check-log", "log.jsonl")
    assert answer.returncode == 1, answer.stderr
    assert "outputs the watermark MIN" in answer.stdout


def test_names_of_folders_are_columns(tmp_path: Path, tidegauge_here: Command) -> None:
    inner = tmp_path / "log" / "job=shop"
    inner.mkdir(parents=True)
    pq.write_table(written(WRONG).drop_columns(["job"]), inner / "part-0.parquet")
    answer = tidegauge_here("check-log", "log")
    assert "shop/orders" in answer.stdout


def test_times_may_be_timestamps(tmp_path: Path, tidegauge_here: Command) -> None:
    table = written(WRONG)
    for name in ("event_time", "processing_time"):
        at = table.schema.get_field_index(name)
        table = table.set_column(
            at, name, pa.array([one * 1000 for one in table[name].to_pylist()], pa.timestamp("us"))
        )
    pq.write_table(table, tmp_path / "log.parquet")
    assert (
        "outputs the watermark 4 ms; the one before it was 9 ms"
        in tidegauge_here("check-log", "log.parquet").stdout
    )


def test_a_delta_table_has_the_rows_of_its_newest_version_only(
    tmp_path: Path, tidegauge_here: Command
) -> None:
    write_deltalake(tmp_path / "log", written(WRONG))
    assert "SPLIT-2" in tidegauge_here("check-log", "log").stdout
    write_deltalake(tmp_path / "log", written(GOOD), mode="overwrite")
    answer = tidegauge_here("check-log", "log")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "3 rows" in answer.stdout
    answer = tidegauge_here("check-log", "log/_delta_log", "--format", "delta")
    assert (answer.returncode, answer.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("bad.parquet", b"PAR1 it is not", "cannot be read as Parquet"),
        ("bad.jsonl", b"{]", "cannot be read"),
        ("bad.csv", b"a,b", "no event log: the name ends in none of .parquet, .jsonl, .json"),
        ("bad.jsonl", b'{"job":"a"}', "no column 'source'"),
        ("bad.jsonl", FUTURE, "schema version 2 of event logs is unknown"),
        ("empty.jsonl", b"", "is empty"),
    ],
)
def test_a_bad_file_is_named_and_can_be_skipped(
    folder: Path, tidegauge_here: Command, name: str, content: bytes, said: str
) -> None:
    (folder / name).write_bytes(content)
    answer = tidegauge_here("check-log", str(folder))
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.count("\n") == 1
    assert name in answer.stderr
    assert said in answer.stderr
    assert "--skip-bad-files reads the others" in answer.stderr
    (folder / "wrong.parquet").unlink()
    answer = tidegauge_here("check-log", str(folder), "--skip-bad-files", "--out", "out")
    assert answer.returncode == 1
    assert "in 1 file; 1 bad file skipped" in answer.stdout
    assert name in answer.stdout
    assert "SPLIT-2    pass" in answer.stdout
    assert results(folder.parent / "out")["overall"] == "incomplete"
    assert len(results(folder.parent / "out")["skipped"]) == 1


def test_a_link_that_leads_nowhere_is_a_bad_file(folder: Path, tidegauge_here: Command) -> None:
    (folder / "old.parquet").symlink_to("moved.parquet")
    answer = tidegauge_here("check-log", str(folder))
    assert answer.returncode == 2
    assert "old.parquet: is a link to moved.parquet, which is not there; --skip-bad-files" in answer.stderr


def changed(name: str, kind: pa.DataType, values: list[Any]) -> pa.Table:
    table = written(GOOD)
    at = table.schema.get_field_index(name)
    column = pa.array(values, kind)
    return table.append_column(name, column) if at < 0 else table.set_column(at, name, column)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (changed("version", pa.int32(), [1, 2, 1]), "schema version 2 of event logs is unknown"),
        (
            changed("subtask", pa.string(), ["a", "b", "c"]),
            "the column 'subtask' is string: it must be int32",
        ),
        (changed("processing_time", pa.float64(), [1.0] * 3), "it must be a timestamp or whole ms"),
        (changed("subtask", pa.int64(), [0, 1, 2**40]), "column 'subtask'"),
        (changed("kind", pa.string(), ["record", None, "record"]), "row 2: 'kind' is null"),
        (
            written(GOOD).rename_columns({"event_time": "eventtime"}),
            "no column 'event_time' (is it 'eventtime'?)",
        ),
    ],
)
def test_columns_that_do_not_fit_are_named(
    table: pa.Table, said: str, tmp_path: Path, tidegauge_here: Command
) -> None:
    pq.write_table(table, tmp_path / "log.parquet")
    answer = tidegauge_here("check-log", "log.parquet")
    assert answer.returncode == 2
    assert "log.parquet: " in answer.stderr
    assert said in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none"], "no such file or folder"),
        (["hdfs://node/log"], "PATH: hdfs:// is not supported: mount that file system"),
        (["log", "--out", "s3://bucket/out"], "--out: s3:// is not supported: mount that file system"),
        (["log", "--max-drift", "30"], "--max-drift '30' is no duration: write 500ms, 30s, 5m or 2h"),
        (["log", "--group", "orders"], "--max-drift must say how far"),
        (["log", "--ignore", "log-watermark-increase"], "did you mean 'log-watermark-increases'?"),
        (["log", "--tolerate", "gaps"], "did you mean 'gap'?"),
        (["log", "--format", "parket"], "did you mean 'parquet'?"),
        (["log", "--format", "jsonl"], "no file in the format jsonl"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_bad_arguments_are_one_line(tidegauge_here: Command, arguments: list[str], said: str) -> None:
    answer = tidegauge_here("check-log", *arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.count("\n") == 1
    assert said in answer.stderr


TROUBLES = [
    ("gap", [{"sequence": 1}, {"sequence": 5}]),
    ("duplicate", [{"sequence": 1}, {"sequence": 1}]),
    ("clock-back", [{"processing_time": 9}, {"processing_time": 3}]),
    ("unknown-kind", [{"kind": "tidal"}]),
    ("incomplete", [{"kind": "watermark", "event_time": None}]),
]


@pytest.mark.parametrize(("name", "rows"), TROUBLES)
def test_trouble_is_named_and_counted_and_can_be_tolerated(
    name: str, rows: list[dict[str, Any]], tmp_path: Path, tidegauge_here: Command
) -> None:
    pq.write_table(
        written({"kind": "record", "event_time": 1} | row for row in rows), tmp_path / "log.parquet"
    )
    answer = tidegauge_here("check-log", "log.parquet")
    assert answer.returncode == 1
    assert f"{name}: 1 in job: " in answer.stdout
    assert tidegauge_here("check-log", "log.parquet", "--tolerate", name).returncode == 0


@pytest.mark.parametrize("name", ["write_log.py", "WriteLog.java"])
def test_the_writers_of_the_page_write_event_logs(name: str, tmp_path: Path, tidegauge_here: Command) -> None:
    page = (Path(__file__).parents[2] / "conformance" / "EVENT_LOGS.md").read_text(encoding="utf-8")
    language = {".py": "python", ".java": "java"}[Path(name).suffix]
    (program,) = re.findall(rf"```{language} {re.escape(name)}\n(.*?)```", page, re.DOTALL)
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / name).write_text(program, encoding="utf-8")
    (tmp_path / "log").mkdir()
    with (tmp_path / "log" / "orders-0.jsonl").open("w") as log:
        run = [sys.executable if language == "python" else "java", f"../program/{name}"]
        subprocess.run(run, cwd=tmp_path / "log", stdout=log, check=True)
    answer = tidegauge_here("check-log", "log")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "SPLIT-2" in answer.stdout


def test_the_log_of_flink_shows_records_under_idle_and_nothing_else(tidegauge_here: Command) -> None:
    log = str(Path(__file__).parents[2] / "adapters" / "flink_event_log" / "flink-2.3.0.jsonl")
    answer = tidegauge_here("check-log", log)
    assert answer.returncode == 1
    assert "181 rows of 1 job, 3 operators, 6 subtasks" in answer.stdout
    assert answer.stdout.count("Between IDLE and ACTIVE no record goes downstream.") == 1
    assert tidegauge_here("check-log", log, "--ignore", "log-no-record-while-idle").returncode == 0


def test_the_spread_of_aligned_sources_is_judged_when_the_drift_is_given(
    tmp_path: Path, tidegauge_here: Command
) -> None:
    rows = [
        {"kind": "record", "source": source, "event_time": at, "processing_time": moment * 1000}
        for moment in range(4)
        for source, at in (("orders", moment * 60_000), ("payments", moment * 1_000))
    ]
    pq.write_table(written(rows), tmp_path / "log.parquet")
    assert tidegauge_here("check-log", "log.parquet").returncode == 0
    answer = tidegauge_here("check-log", "log.parquet", "--max-drift", "1m", "--overshoot", "30s")
    assert answer.returncode == 1
    assert "JOB-2" in answer.stdout
    assert "is 117000 ms ahead of payments[0], the slowest; 90000 ms are allowed" in answer.stdout
    assert tidegauge_here("check-log", "log.parquet", "--max-drift", "3m").returncode == 0
    alone = tidegauge_here("check-log", "log.parquet", "--max-drift", "1m", "--group", "orders")
    assert alone.returncode == 0


def test_findings_about_the_job_fail_the_command_on_demand(tmp_path: Path, tidegauge_here: Command) -> None:
    rows = [{"kind": "record", "event_time": 0, "processing_time": 1_780_000_000_000, "source": "orders"}]
    pq.write_table(written(rows), tmp_path / "log.parquet")
    answer = tidegauge_here("check-log", "log.parquet", "--out", "out")
    assert answer.returncode == 0, answer.stderr
    assert "implausible-event-time Event times cannot be right." in answer.stdout
    assert "remedy: they are 1970-01-01 00:00:00: a missing value was read as 0" in answer.stdout
    (finding,) = results(tmp_path / "out")["findings"]
    assert (finding["name"], finding["source"], finding["share"]) == ("implausible-event-time", "orders", 1.0)
    for names, code in ((["any"], 1), (["late-rows"], 0), (["late-rows", "implausible-event-time"], 1)):
        options = [each for name in names for each in ("--fail-on", name)]
        assert tidegauge_here("check-log", "log.parquet", *options).returncode == code
    answer = tidegauge_here("check-log", "log.parquet", "--fail-on", "late-row")
    assert answer.returncode == 2
    assert "unknown finding 'late-row'" in answer.stderr
