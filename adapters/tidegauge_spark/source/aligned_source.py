"""The aligned source: partitioned logs as a streaming data source whose subtasks wait for one another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import ClassVar, Final, NamedTuple

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource
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
from tidegauge_spark.source.registration import register_source

FORMAT: Final = "tidegauge"
"""The name of the source in `spark.readStream.format`."""


def register(spark: SparkSession) -> None:
    """Make `spark.readStream.format("tidegauge")` known to a session.

    After `ensure_coordination(spark)` its sources that are in a group meet at the coordination service of
    the application, those of several queries, too.
    """
    register_source(spark, informed(AlignedSource, spark))


def informed(source: type[AlignedSource], spark: SparkSession) -> type[AlignedSource]:
    """Return the source with what a session says of all its sources.

    Sources are made in other processes, where the session's settings are not known: the class has to tell.
    """

    class InformedSource(source):  # type: ignore[misc, valid-type]
        coordinator = published_coordination(spark)
        watermark_lag_threshold = threshold_of(spark)

    return InformedSource


class EventTime(NamedTuple):
    """The name of the column with the event time, what a whole number in it counts, and how far the records
    of a split are out of order (ms)."""

    column: str
    unit: str = "ms"
    max_out_of_orderness: int = 0


class AlignedSource(DataSource):
    """A partitioned log, read by source subtasks under watermark alignment (chapters ALIGN and SOURCE).

    With the option `path` it is a folder of files, one sub-folder for each split, or as Spark writes it
    (`splitBy`), and rows have the columns of the files. With `subscribe` it is topics of Kafka, each
    partition a split, and rows have the columns of Spark's own source over Kafka. Without either it is a
    number sequence, and rows are of `SOURCE_SCHEMA`.
    Other logs: `tidegauge_spark.source.own_log.register_log`. Options of all:

    * `numSubtasks` (1): how many subtasks, each a partition of a batch that has records of it. Over files and
      Kafka it may be another number after a restart, without `inBandWatermarks`.
    * `watermarkGroup`, `maxAllowedWatermarkDrift` (such as "30 seconds"): both align the source, neither
      leaves it unaligned. The drift may be "0 seconds".
    * `updateInterval`: for how long a bound stands. Without it the sources of a group that are in one query
      plan a batch together (`sourcesInQuery`): each says how far its next batch can bring it, and all read up
      to the least of these, and the drift beyond it. So a batch may go many drifts further (64 at most), and
      at its end the sources stand within one drift. A source that is alone in its query, and not in its
      group, goes one drift further than the slowest has come out.
    * `splitAlignment` ("true"): each split is bounded, Part II of FLIP-182. With "false" only the subtask is,
      by its slowest split, and the others run ahead (Part I).
    * `coordinator`: the address of `coordination()`, if there are other sources in the group, in this query
      or another; by default that of `ensure_coordination(spark)`, if it was called before `register(spark)`.
      Without either the source is aligned in itself only. A source whose coordinator is gone stands still,
      and fails after `coordinatorTimeout` ("1 minute"); "0 seconds": at once.
    * `restartTimeout` ("1 minute", at least "10 seconds"): for how long the other sources of the group wait
      for this one while its query is down, by the clock of the coordination service. Long batches do not
      count: the source says every two seconds that its query runs. When the time is over the source leaves
      the group, and the others continue. Started again from its checkpoint it joins again with the position
      that it has; the others then wait for it where they are, and nothing is lost.
    * `sourcesInQuery` (1): how many sources of the group are in this query, this one included. If these are
      all that the group has, they plan a batch together. The batches of other queries come at other times,
      so nobody counts on what they are about to read.
    * `sourcesInGroup` (as many as `sourcesInQuery`): nothing is read before so many sources have joined; set
      it to the number of sources, or the first one to start does not wait for those it has not heard of.
      Sources that finished, ended or left before this one was started for the first time belong to an earlier
      run and do not count. They do if this one has waited for others for its `restartTimeout`: a source that
      had nothing to read may have come and gone. All `sourcesInQuery` have to report in the present run.
    * `clockStep`: a virtual clock, on which so much processing time passes at each planning, whatever can
      be read; for tests. Without it the clock on the wall counts, from the source's first start on, also
      while the query is stopped.
    * `maxRowsPerTrigger` (1,000,000): the most records of one batch. The splits get equal shares, and what
      one cannot use goes to the others. Trigger.Once ignores it, as Spark wants it.
    * `sourceName`: what the column source says; by default the source's identity. Names need not differ,
      unless rows of several sources go into one operator.
    * `progressColumn`: the name of one more column, which says what a row is, and where it came from
      (`PROGRESS_SCHEMA`).
    * `watermarkColumn`: the name of one more column, a timestamp, null on records. One more row in each batch
      says there the watermark of the source: the smallest over its splits. `tidegauge_spark.load` sets
      the option, and takes these rows out again.
    * `lateColumn`: the name of one more column, which says whether a row is late: its event time is not after
      the watermark that the source said before the batch of the row.
    * `eventLog`: a folder of the driver's machine, beside the checkpoint, say. What each subtask does is
      written there, exactly once, as an event log that `tidegauge check-log` judges: splits and records,
      watermarks and statuses, reports and bounds; one file of Parquet for each batch that Spark has logged.
      Reports that say what was emitted are in it; a planning may report further ahead, or for a subtask that
      is idle and has got something that it has not read. Over a log with an
      index (Kafka), where many records are planned at once, the count of a row is of offsets, and its event
      time that of the last record. A new checkpoint needs a new folder. `eventLogJob`: what the log calls the
      job, by default the watermark group, or else the source; how far sources are apart is judged within a
      job.
    * `inBandWatermarks` ("false"): with "true" there are rows beside the records, which say in the progress
      column how far a subtask has come (chapters SPLIT and LOW), that it is idle or active again (IDLE), and
      that its records are backlog (BACKLOG). `tidegauge_spark.load_inputs` sets the option, and takes these
      rows to the valves of an operator.
    * `idleTimeout`: a split that was found empty for longer is idle, until it has something again: it leaves
      the watermark of its subtask, and nobody waits for it. Time in which a split has something that is not
      read - alignment, `maxRowsPerTrigger`, a slow batch, `_PAUSED` - does not count (CLOCK-1).
    * `maxRowsPerTriggerInBacklog`: the most records of a batch while a subtask is in backlog. That is one
      whose watermark is further behind the clock than the setting
      `spark.tidegauge.backlog.watermarkLagThreshold`, made before `register(spark)`.

    No split is planned past the bound, save that one which holds the group minimum always reads its next
    record, and those of the same event time. That is the overshoot: one event time of each slowest split, and
    no further than the gap before it.

    The progress of the query shows how a source stands, in its `latestOffset`: `watermark` (ms), the `lag`
    behind the clock and the `drift` between its splits (ms), the `delay` of the watermark behind the greatest
    event time that was read (ms), and the splits by which the watermark is `heldBy`. With alignment it shows
    how many splits are blocked (`blockedSplits`), and of some of them (`blocked`) how much is unread
    (`unreadFiles`, `unreadPositions` or `unreadNumbers`) and `until` which watermark of the slowest of the
    group (ms) they wait; null: the split has `_PAUSED`. For a source in a group it also says which source the
    group `waitsFor`. `lateRows` counts the rows that were late, also over restarts, for a source that knows
    its watermark (`load`, `lateColumn` or `idleTimeout`). `uncheckedRows` counts those of which the driver
    did not look at the event times, since a log with an index (Kafka) has told it where to read on.

    **Files.** A split is read in order of file name, so new files need names that sort after the old ones. A
    file must be complete when it appears: write it under a name that begins with "_" and rename it. It may be
    removed when the batch with its last row is committed. An empty file `_FINISHED` says that a split gets no
    more files: it is not waited for then, and its folder may be removed. Splits can come at any time. New
    ones go to the subtask that has the fewest. `_FINISHED` beside the splits says that there will be no other
    ones: at the end of all of them the watermark is `MAX`. An empty file `_PAUSED` in a split holds it back
    until it is removed; under Trigger.AvailableNow, which looks at the folder once, until the next run.

    * `eventTimeColumn`: a timestamp (UTC if it has no time zone), or a whole number. It must be set. It may
      be a field of a struct, such as "meta.at".
    * `splitBy` ("folder"): what a split is. "folder": each sub-folder. In a folder that Spark has written:
      one or more partition columns, such as "region" or "region,device" (each combination of their values is
      a split, called "region=eu/device=7"), "partNumber" (of the names of the files: `part-00000-...` is in
      the split "00000"), or "none" (all files are one split). A column whose name is one of these words is
      written in backticks.
    * `fileOrder`: in which order the files of a folder are read: "name", the default of sub-folders, or
      "modificationTime", the default of the other layouts.
    * `eventTimeUnit`: what a whole number counts since 1970, "ms" (the default), "s", "us" or "ns". Numbers
      that look like seconds are refused unless it is set.
    * `fileFormat`: "parquet" (the default) or "json", one object on each line.
    * `maxOutOfOrderness` ("0 seconds"): how far a record may be behind the greatest event time before it in
      its split. The watermark of the split is that event time minus this, minus 1 ms.
    * `maxFilesPerTrigger`: how many files a batch may begin, of all splits; by default any number.
    * `startingTimestamp`: in each split nothing is read before the first record with this event time (ms), or
      a later one.
    * `discoveryInterval` ("10 seconds"): for how long new folders and files may go unnoticed.
    * `pathMoved` ("false"): with "true" a query goes on with the files of its checkpoint in another place.
    * `failOnInvalidTimestamp` ("true"): a row without a valid event time is an error. With "false" it comes
      through, moves no watermark, and its progress has no timestamp.
    * `failOnDataLoss` ("true"): it is an error that a file or split vanishes before it is read. With "false"
      the source goes on without it.
    * `maxFutureEventTime`: how far an event time may be beyond the clock, such as "1 hour"; set it before
      such a row is read. A row that is further away passes and moves no watermark, so that its split goes on.
      With `onFutureEventTime` "fail" (default "pass") the query fails before the row, and names its place.
      Where the option is not set one warning in each run names the first row that is a day beyond the clock.
      The clock is always the one on the wall, also with `clockStep`.

    The columns are those of `schema()`, or those of the first file, of JSON those of its first megabyte:
    columns that only later lines or files have are left out then. A column that a file does not have is null.
    In JSON a timestamp is an ISO 8601 text. Types that are taken from the first file of JSON fit the values
    there; if later ones may be others, such as 0.5 after 3, give `schema()`.

    With `splitBy` there may be files in the folder itself, or in folders of partition columns (`day=.../`),
    the same for all files. Each split is read in order of the values of these columns (null first, numbers
    by size, then texts), and where these are equal in `fileOrder`. A file that sorts before one that is read
    is an error. So is late data for an old `day`, unless `splitBy` names `day` as well. All files that one
    job wrote at the same time, with rows in order of part number, need `fileOrder` "name". Modification times
    must stay as they are: copy files with them. That a file is modified after it was read is an error, too;
    but if that happens to several of them while the query is stopped, they can be read again, as new ones. If
    read files are removed, late ones go unnoticed that are no newer than all that was read. Files that vanish
    unread are noticed if none of their split is left and a batch has seen them.

    Partition columns come out as columns of rows. Their types are those that Spark infers, of all values when
    the query is loaded (a timestamp or decimal has to be given by `schema()`, where a timestamp is UTC), or
    those of `schema()`, which then has to name them; a value of another type is an error.

    Names that begin with "_" or "." are not looked at. While there is a folder `_temporary`, or
    `.spark-staging-...`, a job of Spark has not committed: new files are read when it has (AvailableNow waits
    a minute for it). Jobs that write to a folder of partition columns can be seen too late: let them write to
    the folder itself. Of a folder that a streaming query writes (`_spark_metadata`) only committed files
    are read, in the order of its log, with the modification times that it has.
    `_FINISHED` and `_PAUSED` are about all splits, or in the folder of all columns that `splitBy` names about
    that split. The folder of a Delta table is refused.

    The driver reads the event time column of what it plans, and keeps some of it: files and row groups are
    best of some 10,000 to 1,000,000 rows. Where Parquet's statistics tell enough it does not: of row groups
    that `startingTimestamp` leaves out, and of those that a source without alignment reads as a whole.

    **Kafka.** Needs `pip install 'tidegauge-spark[kafka]'`. Columns: key and value (binary), topic,
    partition, offset, timestamp, timestampType. The event time is the timestamp of the record, unless
    `eventTimeField` says otherwise. A batch is a range of offsets of each partition; nothing is committed to
    Kafka.

    * `subscribe`: the topics, such as "orders,returns". They must exist. New partitions are found.
    * `kafka.bootstrap.servers`: the brokers. All other options that begin with `kafka.` are for the client,
      too, in the names of librdkafka: `kafka.security.protocol`, or `kafka.isolation.level`, which is
      "read_uncommitted" unless it is set.
    * `startingOffsets` ("latest", or "earliest") or `startingTimestamp` (ms): where a query begins that
      starts for the first time. Partitions that are found later are read from their beginning.
    * `eventTimeField`: a field of the value, which is then a JSON object, such as "at" or "meta.at". It has
      the event time: a whole number (`eventTimeUnit`, as over files) or an ISO 8601 text (UTC if it does not
      say otherwise), and comes out as one more column, `eventTime`. The driver then reads the values of all
      that it plans, once to plan and perhaps once more. `startingTimestamp` is still about timestamps.
    * `failOnInvalidTimestamp` ("true"): a value without a valid event time in that field is an error. With
      "false" the record comes through, moves no watermark, and its `eventTime` is null.
    * `maxOutOfOrderness` ("0 seconds"): as over files. Where many records are planned at once their offsets
      are looked up by time: the watermark then follows the last record of the batch, and can only be lower.
    * `failOnDataLoss` ("true"): it is an error that records are deleted before they are read. With "false"
      the source continues behind them.
    * `maxFutureEventTime`, `onFutureEventTime`: as over files. With "fail" the brokers look up the first
      record that is too far away. Otherwise the driver does not look at the timestamps of records between two
      offsets that are looked up; these move no watermark in any case.
    * `discoveryInterval` ("10 seconds"): for how long new partitions may go unnoticed.
    * `brokerTimeout` ("1 minute"): how long to wait for brokers that do not answer, before the query fails.

    **Number sequences.** The record of number n has event time n ms. No option has to be set.

    * `start` (0), `end` (2^63 - 1): the first and the last number, both included.
    * `split`: "range" (the default) divides start to end contiguously among the subtasks; with "repeat"
      each of them reads start to end of its own. `end.<subtask>`: where that one ends ("repeat" only).
    * `recordsPerMillisecond.<subtask>`: the records of that subtask become readable at this rate of
      processing time, such as "1" or "0.5"; those of the others at once.

    `Trigger.AvailableNow` ends when all records have been read: all numbers, which exist from the beginning,
    or the files that are there when the query starts. With `idleTimeout` it goes on until no split is waited
    for that has nothing more, so that a silent one does not hold the last windows back. A split that has got
    further files meanwhile does: they are for the next run. Waiting for time or for another source is not the
    end: the source then goes on with empty batches, no more than some ten a second on the wall clock.
    """

    coordinator: ClassVar[str | None] = None
    """The default of the option of that name, for sources that are in a group."""

    watermark_lag_threshold: ClassVar[int | None] = None
    """From which lag of the watermark on there is a backlog (ms); None: there is none."""

    own_options: ClassVar[Collection[str] | None] = None
    """The options that only a log has which somebody registered; None for the logs of this library."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return FORMAT

    def schema(self) -> StructType:
        """Return the columns of the first file, or `SOURCE_SCHEMA`, and the one for the progress.

        Raises `IllegalOptionError`, so that `load()` refuses wrong options, and `BrokenLogError` if the file
        cannot be read or there is none.
        """
        options = self.parsed_options()
        if options.files is not None:
            return first_schema(options.files)
        if options.log is not None:
            return log_schema(self._log(options), options.added)
        return sequence_schema(options.added)

    def event_time(self) -> EventTime:
        """Return which column of the rows has the event time. Raises `IllegalOptionError`."""
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

    def streamReader(self, schema: StructType) -> AlignedSourceReader | AlignedFilesReader | AlignedLogReader:
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
        """Return the options, with the session's coordinator where one has to be given."""
        names = {name.lower() for name in self.options}
        if self.coordinator is None or "watermarkgroup" not in names or "coordinator" in names:
            return self.options
        return {**self.options, "coordinator": self.coordinator}
