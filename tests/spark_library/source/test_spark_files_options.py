"""Options and schemas of the source over files: wrong ones are refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql.types import LongType, StringType, StructType
from spark_programs.driven_files import PLAIN, DrivenFiles, aligned, query_of_inferred, write_parquet

from tidegauge_spark import BrokenLogError, IllegalOptionError
from tidegauge_spark.source.aligned_source import AlignedSource
from tidegauge_spark.source.options.files import FileOptions
from tidegauge_spark.source.options.source import parse_options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fileFormat": "json"}, "option fileFormat = 'json': set path as well, or leave fileFormat out"),
        (
            {"path": "/x"},
            "option path = '/x': set eventTimeColumn as well: the column that has the event time",
        ),
        ({"fileFormat": "avro"}, 'option fileFormat = \'avro\': write "parquet" or "json" or "orc" or "csv"'),
        (
            {"header": "true"},
            "option header = 'true': it is of CSV; set fileFormat to \"csv\", or leave it out",
        ),
        ({"fileFormat": "csv", "sep": "::"}, "option sep = '::': write one character, such as"),
        (
            {"fileFormat": "csv", "sep": " "},
            "option sep = '': write a tab as r\"\\t\", two characters; a space",
        ),
        ({"fileFormat": "csv", "escape": "x"}, "option escape = 'x': write '\"', or leave the option out"),
        (
            {"fileFormat": "csv", "delimiter": ";"},
            "option delimiter = ';': it is not supported; it is called sep",
        ),
        (
            {"maxOutOfOrderness": "5"},
            "option maxOutOfOrderness = '5': it is not a number and a unit, such as",
        ),
        ({"failOnDataLoss": "no"}, 'option failOnDataLoss = \'no\': write "true" or "false"'),
        ({"progressColumn": "Time"}, "option progressColumn = 'Time': there is a column of that name; write"),
        (
            {"split": "repeat"},
            "option split = 'repeat': it belongs to number sequences, and path says to read files",
        ),
        (
            {"end.0": "5"},
            "option end.0 = '5': it belongs to number sequences, and path says to read files; leave",
        ),
        (
            {"splitAlignment": "false"},
            "option splitAlignment = 'false': set watermarkGroup as well, or leave",
        ),
        (
            {"updateInterval": "1 second"},
            "option updateInterval = '1 second': set watermarkGroup as well, or",
        ),
        (
            {**aligned(0), "updateInterval": "0 seconds"},
            "option updateInterval = '0 seconds': write a duration from 1 to",
        ),
        (
            {"pipeline.backlog.watermark-lag-threshold": "1 minute"},
            "option pipeline.backlog.watermark-lag-threshold = '1 minute': there is one threshold for all sources "
            "of the job; set it by spark.conf.set('spark.tidegauge.backlog.watermarkLagThreshold', '1 minute')",
        ),
        (
            {"maxRowsPerBatch": "10"},
            "option maxRowsPerBatch = '10': it is called maxRowsPerTrigger; write that",
        ),
        ({"maxFilesPerTrigger": "0"}, "option maxFilesPerTrigger = '0': write a whole number from 1 to"),
        ({"eventTimeUnit": "seconds"}, 'option eventTimeUnit = \'seconds\': write "ms" or "s" or "us"'),
        (
            {"mergeschema": "true"},
            "option mergeSchema = 'true': it is not supported; the columns are those of the first file; give",
        ),
        (
            {"recursiveFileLookup": "true"},
            "option recursiveFileLookup = 'true': it is not supported; folders in a split are not read; set",
        ),
        ({"pathGlobFilter": "a/*.json"}, "option pathGlobFilter = 'a/*.json': write a glob of file names"),
        ({"pathGlobFilter": "*.{json"}, "option pathGlobFilter = '*.{json': a brace is not closed; write }"),
        ({"startingTimestamp": "today"}, "option startingTimestamp = 'today': write a whole number from"),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(options: dict[str, str], message: str) -> None:
    files = {"path": "/x", "eventTimeColumn": "time"}
    given = (
        options if len(options) == 1 and options.keys() <= {"path", "fileFormat"} else {**files, **options}
    )
    if options == {"fileFormat": "avro"}:
        given = {**files, **options}
    with pytest.raises(IllegalOptionError) as refusal:
        AlignedSource(dict(given)).schema()
    assert str(refusal.value).startswith(message)
    assert "\n" not in str(refusal.value)


def test_a_path_is_the_same_in_every_process(tmp_path: Path) -> None:
    write_parquet(tmp_path / "a b", "x", "a", [1])
    for path in (f"{tmp_path}/a b/", f"file:{tmp_path}/a%20b", f"file://{tmp_path}/a%20b"):
        query = DrivenFiles(tmp_path, path=path)
        query.run()
        assert query.times("x") == [1]
        assert query.offset["path"] == f"{tmp_path}/a b"
    assert parse_options({"path": "a", "eventTimeColumn": "t"}).files == FileOptions(
        str(Path.cwd() / "a"), "parquet", 1, "t"
    )


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (
            StructType().add("id", LongType()),
            "option eventTimeColumn = 'time': there is no such column; there",
        ),
        (
            StructType().add("time", StringType()),
            "option eventTimeColumn = 'time': the column is string; it must",
        ),
        (
            PLAIN,
            "option progressColumn = 'progress': the schema has no column 'progress' of the type struct<",
        ),
    ],
)
def test_a_schema_that_does_not_fit_is_refused(tmp_path: Path, schema: StructType, message: str) -> None:
    with pytest.raises(IllegalOptionError) as refusal:
        DrivenFiles(tmp_path, schema=schema)
    assert str(refusal.value).startswith(message)


def test_without_a_file_the_columns_are_not_known(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(
        BrokenLogError, match=r"has no file yet that tells the columns: give them by schema\(\)"
    ):
        query_of_inferred(tmp_path)
    write_parquet(tmp_path, "x", "a", [1])
    with pytest.raises(
        IllegalOptionError, match="option progressColumn = 'id': the file .* has a column of that"
    ):
        query_of_inferred(tmp_path, progressColumn="id")
