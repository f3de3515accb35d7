"""The aligned source: partitioned logs as a streaming data source whose subtasks wait for one another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader
from pyspark.sql.types import StructType

from tidegauge_spark.group_coordination.session import published_coordination
from tidegauge_spark.source.files.reader import AlignedFilesReader
from tidegauge_spark.source.files.schema import first_schema
from tidegauge_spark.source.kafka.log import KafkaLog
from tidegauge_spark.source.logs.reader import AlignedLogReader
from tidegauge_spark.source.logs.rows import log_schema
from tidegauge_spark.source.logs.split_log import SplitLog
from tidegauge_spark.source.numbers.reader import AlignedSourceReader
from tidegauge_spark.source.numbers.rows import sequence_schema
from tidegauge_spark.source.options.given import IllegalOptionError
from tidegauge_spark.source.options.kafka import EVENT_TIME
from tidegauge_spark.source.options.lag_threshold import watermark_lag_threshold as threshold_of
from tidegauge_spark.source.options.source import SourceOptions, parse_options
from tidegauge_spark.source.planning.reader_before_limits import ReaderBeforeLimits
from tidegauge_spark.source.query_triggers import follow_triggers, trigger_of
from tidegauge_spark.source.registration import register_source
from tidegauge_spark.spark_version import READ_LIMITS

FORMAT: Final = "tidegauge"
"""The name of the source in `spark.readStream.format`."""


def register(spark: SparkSession) -> None:
    """Register `spark.readStream.format("tidegauge")` in a session.

    If `ensure_coordination(spark)` was called before, sources that are in a group meet at the coordination
    service of the application, also the sources of several queries.
    """
    register_source(spark, informed(AlignedSource, spark))


def informed(source: type[AlignedSource], spark: SparkSession) -> type[AlignedSource]:
    """Return the source with the settings of a session for all its sources.

    Sources are created in other processes, which do not know the settings of the session: the class carries
    them.
    """

    folder = None if READ_LIMITS.exists else follow_triggers(spark)

    class InformedSource(source):  # type: ignore[misc, valid-type]
        triggers = folder
        coordinator = published_coordination(spark)
        watermark_lag_threshold = threshold_of(spark)

    return InformedSource


class EventTime(NamedTuple):
    """The name of the event time column, the unit of a whole number in it, and the out-of-orderness of the
    records of a split (ms)."""

    column: str
    unit: str = "ms"
    max_out_of_orderness: int = 0


class AlignedSource(DataSource):
    """A partitioned log, read by source subtasks under watermark alignment (chapters ALIGN and SOURCE).

    With the option `path` the log is a folder of files: one sub-folder for each split, or a folder as Spark
    writes it (`splitBy`). Rows have the columns of the files. With `subscribe` the log is topics of Kafka:
    each partition is a split, and rows have the columns of Spark's own source over Kafka. Without either
    option the log is a number sequence, and rows are of `SOURCE_SCHEMA`. For other logs see
    `tidegauge_spark.source.own_log.register_log`. Options of all logs:

    * `numSubtasks` (1): the number of subtasks. Each subtask is a partition of a batch in which it has
      records. Over files and Kafka the number may change after a restart, except with `inBandWatermarks`.
    * `watermarkGroup`, `maxAllowedWatermarkDrift` (such as "30 seconds"): set both to align the source, or
      neither. The drift may be "0 seconds". Later runs and new queries may use the name of a group again.
    * `updateInterval`: how long a bound holds. Without it the sources of a group that are in one query plan a
      batch together (`sourcesInQuery`): each source reports how far its next batch can bring it, and all
      sources read up to the smallest of these reports plus the drift. A batch may therefore advance by many
      drifts (64 at most), and at its end the sources are within one drift of each other. A source that is
      alone in its query, but not in its group, reads up to one drift ahead of the slowest watermark in the
      group.
    * `splitAlignment` ("true"): each split is bounded, Part II of FLIP-182. With "false" only the subtask is
      bounded, by its slowest split, and its other splits run ahead (Part I).
    * `coordinator`: the address of `coordination()`, if there are other sources in the group, in this query
      or another. The default is the address of `ensure_coordination(spark)`, if it was called before
      `register(spark)`. Without either address only the splits of the source itself are aligned. A source
      whose coordinator is gone reads nothing, and fails after `coordinatorTimeout` ("1 minute"); with "0
      seconds" it fails at once.
    * `restartTimeout` ("1 minute", at least "10 seconds"): how long the other sources of the group wait for
      this source while its query is down, by the clock of the coordination service. Long batches do not
      count: the source reports every two seconds that its query runs. After the timeout the source leaves the
      group, and the others continue. When its query is started again from its checkpoint, the source joins
      the group again at its old position. The others then wait for it where they are, and nothing is lost.
    * `sourcesInQuery` (1): the number of sources of the group in this query, including this one. It counts
      sources, not reads of a source: branches of one DataFrame share a source. If the group has no other
      sources, they plan a batch together. The batches of other queries come at other times, so no source
      relies on what the sources of other queries are about to read.
    * `sourcesInGroup` (as many as `sourcesInQuery`): nothing is read before this number of sources has
      joined. Set it to the number of sources in the group; otherwise the first source to start does not wait
      for sources that have not joined yet. Sources that finished, ended or left before this source was
      started for the first time belong to an earlier run and do not count. They count if this source has
      waited for others for its `restartTimeout`, because a source that had nothing to read may have ended
      already. All `sourcesInQuery` sources have to report in the present run.
    * `clockStep`: a virtual clock for tests. Each planning advances the processing time by this duration,
      whatever can be read. Without the option processing time is wall-clock time since the first start of the
      source, including the time in which the query is stopped.
    * `maxRowsPerTrigger` (1,000,000): the maximum number of records in a batch. The splits get equal shares,
      and the part of a share that a split cannot use goes to the others. Trigger.Once ignores the option, as
      Spark requires.
    * `sourceName`: the value of the column source; by default the identity of the source. Names need not be
      unique, unless rows of several sources go into one operator.
    * `progressColumn`: the name of an additional column that says what a row is and where it came from
      (`PROGRESS_SCHEMA`).
    * `watermarkColumn`: the name of an additional timestamp column, null on records. One more row in each
      batch carries the watermark of the source there: the smallest over its splits. `tidegauge_spark.load`
      sets the option, and removes these rows again.
    * `lateColumn`: the name of an additional boolean column that is true for late rows. A row is late if its
      event time is not after the watermark that the source had before the batch of the row.
    * `eventLog`: a folder on the driver's machine, or in S3. The source writes there what each subtask does,
      exactly once, as an event log for `tidegauge check-log`: splits and records, watermarks and
      statuses, reports and bounds, in one Parquet file for each batch that Spark has logged. The log contains
      only reports that agree with the emitted watermarks. A planning may also report further ahead, or for a
      subtask that is idle and has records that are not read yet. Over a log with an index (Kafka), where many
      records are planned at once, the count of a row is a count of offsets, and its event time is that of the
      last record. A new checkpoint needs a new folder. `eventLogJob` is the name of the job in the log; the
      default is the watermark group, or else the source. The drift between sources is judged within a job.
    * `inBandWatermarks` ("false"): with "true" there are rows beside the records. Their progress column says
      how far a subtask is (chapters SPLIT and LOW), that it is idle or active again (IDLE), and that its
      records are backlog (BACKLOG). `tidegauge_spark.load_inputs` sets the option, and passes these rows to
      the valves of an operator.
    * `idleTimeout`: a split that was found empty for longer than this is idle until it has records again: it
      is excluded from the watermark of its subtask, and the other splits do not wait for it. Time in which a
      split has records that are not read - alignment, `maxRowsPerTrigger`, a slow batch, `_PAUSED` - does not
      count (CLOCK-1).
    * `maxRowsPerTriggerInBacklog`: the maximum number of records in a batch while a subtask is in backlog. A
      subtask is in backlog while its watermark is further behind the clock than the setting
      `spark.tidegauge.backlog.watermarkLagThreshold`, which has to be set before `register(spark)`.

    No split is planned past the bound, with one exception: a split that holds the group minimum always reads
    its next record, and the following records with the same event time. The overshoot is therefore one event
    time of each slowest split, and no larger than the gap before it.

    The progress of the query shows how far a source is, in its `latestOffset`: `watermark` (ms), the `lag`
    behind the clock and the `drift` between its splits (ms), the `delay` of the watermark behind the greatest
    event time that was read (ms), and the names of the slowest splits (`heldBy`). With alignment it shows how
    many splits are blocked (`blockedSplits`). For some of them (`blocked`) it shows the amount that is unread
    (`unreadFiles`, `unreadPositions` or `unreadNumbers`) and the watermark of the slowest split in the group
    (`until`, ms) at which reading continues; null: the split has `_PAUSED`. For a source in a group it also
    shows the source that the group `waitsFor`. `lateRows` counts late rows, including those before a restart,
    for a source that keeps its watermark (`load`, `lateColumn` or `idleTimeout`). `uncheckedRows` counts the
    rows whose event times the driver has not read, because a log with an index (Kafka) has returned the
    position at which a batch ends.

    **Files.** A split is read in order of file name, so new files need names that sort after the old ones. A
    file must be complete when it appears: write it under a name that begins with "_" and rename it. It may be
    removed when the batch with its last row is committed. The folder is local, or `s3://bucket/folder`: the
    README documents the options `fs.s3a.*` and the limits of S3. An empty file `_FINISHED` in a split means
    that the split gets no more files: the others no longer wait for it, and its folder may be removed. Splits
    may be added at any time. A new split goes to the subtask with the fewest splits. `_FINISHED` beside the
    splits means that there will be no other splits: when all of them are read to their ends the watermark is
    `MAX`. An empty file `_PAUSED` holds a split back until it is removed; under Trigger.AvailableNow, which
    lists the folder once, until the next run.

    * `eventTimeColumn`: a timestamp (UTC if it has no time zone), a date (its midnight in UTC), or a number.
      It must be set. It may be a field of a struct, such as "meta.at".
    * `splitBy` ("folder"): what a split is. With "folder" each sub-folder is a split. For a folder that Spark
      has written: one or more partition columns, such as "region" or "region,device" (each combination of
      their values is a split, called "region=eu/device=7"); "partNumber", the number in the names of the
      files (`part-00000-...` is in the split "00000"); or "none" (all files are one split). A column whose
      name is one of these words is written in backticks.
    * `fileOrder`: the order in which the files of a folder are read: "name", the default for sub-folders, or
      "modificationTime", the default for the other layouts.
    * `eventTimeUnit`: the unit of a number since 1970, "ms" (the default), "s", "us" or "ns". Numbers that
      look like seconds, and doubles and decimals, are rejected unless it is set.
    * `fileFormat`: "parquet" (the default), "json" (one object on each line), "orc" or "csv". JSON and CSV
      files may be compressed; the extension determines the codec: .gz, .bz2 or .zst.
    * `header` ("false"), `sep` (","): as in Spark, for CSV. `escape`: with '"' a quote in a quoted value is
      written twice, and a backslash is an ordinary character. If the option is not set, files with quotes in
      quoted values or with backslashes are rejected, because Spark reads them differently.
    * `pathGlobFilter`: a glob for file names, such as "*.parquet" or "*.{json,gz}". Files with other names
      are ignored, even where they would be an error.
    * `maxOutOfOrderness` ("0 seconds"): how far a record may be behind the greatest event time before it in
      its split. The watermark of the split is that event time minus this duration, minus 1 ms.
    * `maxFilesPerTrigger`: the maximum number of files that a batch may begin, over all splits; by default
      there is no limit.
    * `startingTimestamp`: each split is read from the first record with this event time (ms), or a later one.
    * `discoveryInterval` ("10 seconds"): the maximum time until new folders and files are detected.
    * `pathMoved` ("false"): with "true" a query continues with the files of its checkpoint in another place.
    * `failOnInvalidTimestamp` ("true"): a row without a valid event time is an error. With "false" the row
      passes and moves no watermark, and its progress has no timestamp.
    * `failOnDataLoss` ("true"): a file or split that vanishes before it is read is an error. With "false" the
      source continues without it.
    * `maxFutureEventTime`: how far an event time may be ahead of the clock, such as "1 hour"; set it before
      such a row is read. A row that is further ahead passes and moves no watermark, so that its split
      continues. With `onFutureEventTime` "fail" (default "pass") the query fails before the row, and names
      its place. If the option is not set, one warning in each run names the first row that is more than a day
      ahead. The clock is always the wall clock, also with `clockStep`.

    The columns are those of `schema()`, or those of the first file; for JSON, those of its first megabyte.
    Columns that only later lines or files have are then omitted. A column that a file does not have is null.
    An ORC timestamp is an instant, as in Spark, and the file must have been written in UTC.
    CSV columns are matched by position: `schema()` must name all columns in order, partition columns last.
    Without `schema()` the columns are strings, except the event time column: it is a timestamp, or a whole
    number if `eventTimeUnit` is set. A header must match the names of the columns. A value that does not fit
    its column is an error.
    In JSON and CSV a timestamp is an ISO 8601 text. Types that are inferred from the first JSON file fit the
    values there; if later values may have other types, such as 0.5 after 3, give `schema()`.

    With `splitBy` there may be files in the folder itself, or in folders of partition columns (`day=.../`),
    the same for all files. Each split is read in order of the values of these columns (null first, numbers by
    size, then texts), and where these are equal in `fileOrder`. A file that sorts before one that is read is
    an error. So is late data for an old `day`, unless `splitBy` names `day` as well. If one job wrote all
    files at the same time, with rows in order of part number, set `fileOrder` to "name". Modification times
    must not change: copy files with them. A file that is modified after it was read is an error, too; but if
    several files are modified while the query is stopped, they may be read again, as new files. If files that
    were read are removed, late files that are no newer than all that was read are not detected. Files that
    vanish unread are detected if none of their split is left and a batch has seen them.

    Partition columns become columns of the rows. Their types are those that Spark infers from all values when
    the query is loaded (a timestamp or decimal has to be given by `schema()`, where a timestamp is UTC), or
    those of `schema()`, which then has to name them. A value of another type is an error.

    Names that begin with "_" or "." are ignored. While there is a folder `_temporary`, `__magic...` or
    `.spark-staging-...`, a Spark job has not committed: new files are read after the commit (AvailableNow
    waits a minute for it). A job that writes to a folder of partition columns may be detected too late: let
    it write to the folder itself. Of a folder that a streaming query writes (`_spark_metadata`) only
    committed files are read, in the order of its log, with the modification times in the log. `_FINISHED` and
    `_PAUSED` apply to all splits; in the folder of all columns that `splitBy` names, they apply to that
    split. The folder of a Delta table is rejected.

    The driver reads the event time column of the files that it plans, and caches part of it: files and row
    groups should have some 10,000 to 1,000,000 rows. The driver skips row groups whose Parquet statistics are
    sufficient: those before `startingTimestamp`, and those that a source without alignment reads as a whole.

    **Kafka.** Requires `pip install 'tidegauge-spark[kafka]'`. Columns: key and value (binary), topic,
    partition, offset, timestamp, timestampType, and headers with `includeHeaders`. The event time is the
    timestamp of the record, unless `eventTimeField` is set. A batch is a range of offsets of each partition;
    nothing is committed to Kafka.

    * `subscribe`: the topics, such as "orders,returns". They must exist. New partitions are detected.
      Instead: `subscribePattern`, a Python regular expression that must match the whole topic name (new
      topics are detected, and read from their beginning), or `assign`, partitions as JSON such as
      {"orders": [0, 1]}. The value must stay the same over a restart.
    * `kafka.bootstrap.servers`: the brokers. All other options that begin with `kafka.` are passed to the
      client, too, under the names of librdkafka: `kafka.security.protocol`, or `kafka.isolation.level`, which
      is "read_uncommitted" unless it is set. SASL and TLS also accept the names of the Java client:
      `kafka.sasl.mechanism` PLAIN, SCRAM or OAUTHBEARER with `kafka.sasl.jaas.config`;
      `kafka.ssl.truststore.location` with `kafka.ssl.truststore.type` PEM; `kafka.ssl.keystore.location` with
      type PKCS12 or PEM. The files must exist on the driver and on all executors. AWS_MSK_IAM is rejected.
    * `startingOffsets` ("latest", "earliest", or JSON such as {"orders": {"0": 23, "1": -1, "2": -2}}, which
      names every partition; -1 is its end, -2 its beginning), `startingTimestamp` (ms) or
      `startingOffsetsByTimestamp` (JSON such as {"orders": {"0": 1700000000000}}, in ms): where the
      query begins when it starts for the first time. Partitions that are detected later are read from their
      beginning.
    * `startingOffsetsByTimestampStrategy`: with "error" a partition without a record at or after the
      timestamp is an error; with "latest" reading starts at the end of the partition. The default is "error",
      as in Spark, except that with `startingTimestamp` it is "latest".
    * `includeHeaders` ("false"): with "true" rows have the column `headers`, an array of structs of key
      (string) and value (binary). It is null for a record without headers.
    * `eventTimeField`: a field of the value, such as "at" or "meta.at"; the value is then a JSON object. The
      field has the event time: a whole number (`eventTimeUnit`, as over files) or an ISO 8601 text (UTC if it
      has no time zone). It becomes an additional column, `eventTime`. The driver then reads all values that
      it plans, once to plan and perhaps once more. `startingTimestamp` still refers to timestamps of records.
    * `failOnInvalidTimestamp` ("true"): a value without a valid event time in that field is an error. With
      "false" the record passes and moves no watermark, and its `eventTime` is null.
    * `maxOutOfOrderness` ("0 seconds"): as over files. Where many records are planned at once their offsets
      are looked up by time: the watermark then follows the last record of the batch, and can only be lower.
    * `failOnDataLoss` ("true"): records that are deleted before they are read are an error. With "false" the
      source continues after them.
    * `maxFutureEventTime`, `onFutureEventTime`: as over files. With "fail" the brokers look up the first
      record that is too far ahead. Otherwise the driver does not read the timestamps of records between two
      offsets that are looked up; these records move no watermark in any case.
    * `discoveryInterval` ("10 seconds"): the maximum time until new topics and partitions are detected, and
      topics that were deleted and recreated.
    * `brokerTimeout` ("1 minute", at most "1 hour"): how long the query waits for brokers that do not answer,
      before it fails. If the login fails, or a certificate cannot be verified, the query fails immediately.

    No input over Kafka is finished for good. The windows at the end fire when newer records arrive in every
    partition, or after `idleTimeout`: when all partitions are idle the watermark is that of the partition
    that is furthest ahead.

    **Number sequences.** The record of number n has event time n ms. No option is required.

    * `start` (0), `end` (2^63 - 1): the first and the last number, both included.
    * `split`: "range" (the default) divides start to end contiguously among the subtasks. With "repeat" each
      subtask reads start to end. `end.<subtask>`: the last number of that subtask ("repeat" only).
    * `recordsPerMillisecond.<subtask>`: the records of that subtask become readable at this rate of
      processing time, such as "1" or "0.5"; those of the others at once.

    `Trigger.AvailableNow` ends when all records have been read: all numbers, which exist from the beginning,
    or the files that are there when the query starts. With `idleTimeout` the query continues until every
    split without further records is idle, so that a silent split does not hold back the last windows. A split
    that has got further files meanwhile does hold them back: these files are for the next run. Waiting for
    time or for another source is not the end: the source then continues with empty batches, about ten a
    second at most by the wall clock.
    """

    coordinator: ClassVar[str | None] = None
    """The default of the option of that name, for sources that are in a group."""

    watermark_lag_threshold: ClassVar[int | None] = None
    """The watermark lag from which a source is in backlog (ms); None: no threshold is set."""

    triggers: ClassVar[Path | None] = None
    """Where the triggers of queries are looked up, with a PySpark before 4.2."""

    own_options: ClassVar[Collection[str] | None] = None
    """The own options of a log that was registered by `register_log`; None for the logs of this library."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return FORMAT

    def schema(self) -> StructType:
        """Return the columns of the rows: those of the first file or of the log, or `SOURCE_SCHEMA`, and the
        added ones.

        Raises `IllegalOptionError`, so that `load()` rejects wrong options, and `BrokenLogError` if the file
        cannot be read or does not exist.
        """
        options = self.parsed_options()
        if options.files is not None:
            return first_schema(options.files)
        if options.log is not None:
            return log_schema(self._log(options), options.added)
        return sequence_schema(options.added)

    def event_time(self) -> EventTime:
        """Return the event time column of the rows. Raises `IllegalOptionError`."""
        options = self.parsed_options()
        if options.files is not None:
            files = options.files
            unit = files.event_time_unit or "ms"
            return EventTime(files.event_time_column, unit, files.max_out_of_orderness)
        if options.log is None:
            return EventTime("timestamp")
        disorder = options.log.max_out_of_orderness
        if options.kafka is not None:
            column = "timestamp" if options.kafka.event_time_field is None else EVENT_TIME
            return EventTime(column, max_out_of_orderness=disorder)
        log = self._log(options)
        try:
            return EventTime(log.event_time_column, max_out_of_orderness=disorder)
        finally:
            log.close()

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Return the reader as the installed PySpark calls it: see `source_coordinator`."""
        reader = self.source_coordinator(schema)
        if READ_LIMITS.exists:
            return reader
        return ReaderBeforeLimits(reader, partial(trigger_of, self.triggers, self.name(), dict(self.options)))

    def source_coordinator(
        self, schema: StructType
    ) -> AlignedSourceReader | AlignedFilesReader | AlignedLogReader:
        """Return the reader. Raises `IllegalOptionError` for wrong options or a schema that does not fit."""
        options = self.parsed_options()
        if options.files is not None:
            return AlignedFilesReader(options, schema)
        log = None if options.log is None else self._log(options)
        given = sequence_schema if log is None else partial(log_schema, log)
        expected = given(options.added)
        if schema.simpleString() != expected.simpleString():
            raise IllegalOptionError(
                f"schema = {schema.simpleString()!r}: the columns of this source are given; "
                "leave schema() out, and select or cast afterwards"
            )
        return AlignedSourceReader(options) if log is None else AlignedLogReader(options, log)

    def _log(self, options: SourceOptions) -> SplitLog:
        """Return the log that the options name."""
        assert options.kafka is not None
        return KafkaLog(options.kafka)

    def parsed_options(self) -> SourceOptions:
        """Return the options, checked. Raises `IllegalOptionError`."""
        return parse_options(self._given(), self.watermark_lag_threshold, self.own_options)

    def _given(self) -> Mapping[str, str]:
        """Return the options, with the coordinator of the session as default for a source in a group."""
        names = {name.lower() for name in self.options}
        if self.coordinator is None or "watermarkgroup" not in names or "coordinator" in names:
            return self.options
        return {**self.options, "coordinator": self.coordinator}
