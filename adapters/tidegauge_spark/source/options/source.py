"""The options of the aligned source, and one clear line for each invalid use."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tidegauge_spark.decisions.backlog import WATERMARK_LAG_THRESHOLD
from tidegauge_spark.group_coordination.client import Address
from tidegauge_spark.group_coordination.member import DEFAULT_PATIENCE
from tidegauge_spark.group_coordination.presence import DEFAULT_RESTART_TIMEOUT, SHORTEST_RESTART_TIMEOUT
from tidegauge_spark.places.place import is_local
from tidegauge_spark.places.s3 import S3Settings
from tidegauge_spark.places.writable_folder import WritableFolder
from tidegauge_spark.source.options.added_columns import NO_COLUMNS, AddedColumns, parse_added_columns
from tidegauge_spark.source.options.files import FILE_OPTIONS, FileOptions, parse_files
from tidegauge_spark.source.options.given import GivenOptions, IllegalOptionError
from tidegauge_spark.source.options.kafka import (
    KAFKA_OPTIONS,
    KafkaOptions,
    kafka_config,
    parse_kafka,
)
from tidegauge_spark.source.options.kafka_refused import refuse_options_of_spark
from tidegauge_spark.source.options.kafka_security import PREFIX
from tidegauge_spark.source.options.lag_threshold import WATERMARK_LAG_CONF
from tidegauge_spark.source.options.logs import LOG_OPTIONS, LogOptions, parse_log
from tidegauge_spark.source.options.numbers import (
    SEQUENCE_OPTIONS,
    SOURCE_SCHEMA,
    SUBTASK_OPTIONS,
    Sequence,
    parse_sequences,
)
from tidegauge_spark.source.options.places import read_place
from tidegauge_spark.source.options.s3 import S3_OPTIONS, parse_s3, refuse_s3_without_place

DEFAULT_ROWS_PER_BATCH: Final = 1_000_000
MOST_SUBTASKS: Final = 10_000
MOST_ROWS_PER_BATCH: Final = 2**63 - 1

ALIGNMENT_OPTIONS: Final = (
    "watermarkGroup",
    "maxAllowedWatermarkDrift",
    "updateInterval",
    "splitAlignment",
    "coordinator",
    "coordinatorTimeout",
    "restartTimeout",
    "sourcesInGroup",
    "sourcesInQuery",
)
SIGNAL_OPTIONS: Final = ("inBandWatermarks", "idleTimeout", "maxRowsPerTriggerInBacklog")
COMMON_OPTIONS: Final = (
    *ALIGNMENT_OPTIONS,
    "clockStep",
    "maxRowsPerTrigger",
    "sourceName",
    "progressColumn",
    "watermarkColumn",
    "lateColumn",
    "watermarkCheck",
    "eventLog",
    "eventLogJob",
    *S3_OPTIONS,
    *SIGNAL_OPTIONS,
)
PLAIN_OPTIONS: Final = (
    "numSubtasks",
    *SEQUENCE_OPTIONS,
    *dict.fromkeys((*FILE_OPTIONS, *KAFKA_OPTIONS)),
    *COMMON_OPTIONS,
)
OWN_LOG_OPTIONS: Final = ("numSubtasks", *LOG_OPTIONS, *COMMON_OPTIONS)
"""The options that a registered log takes beside its own."""

_BACKLOG_THRESHOLD: Final = frozenset(
    {
        WATERMARK_LAG_THRESHOLD,
        WATERMARK_LAG_CONF.lower(),
        "watermarkLagThreshold".lower(),
        "backlogWatermarkLagThreshold".lower(),
    }
)


@dataclass(frozen=True)
class Alignment:
    """The alignment of a source: its group, its allowed drift (ms), and the other sources of the group.

    `coordinator` is where the sources of the group meet, None if this is the only source. Nothing is read
    before `sources_in_group` sources have joined; `sources_in_query` of them, including this one, are in this
    query, so that they plan a batch together. `update_interval`: how long a bound holds (ms); 0: until the
    next planning. `by_split`: whether each split is bounded, or only the subtask as a whole. `patience`: how
    long the source waits without its coordinator before it fails (ms). `restart_timeout`: how long the others
    wait for this source while its query is down (ms).
    """

    group: str
    drift: int
    coordinator: Address | None = None
    sources_in_group: int = 1
    sources_in_query: int = 1
    update_interval: int = 0
    by_split: bool = True
    patience: int = DEFAULT_PATIENCE
    restart_timeout: int = DEFAULT_RESTART_TIMEOUT


@dataclass(frozen=True)
class SignalOptions:
    """The signals of a source beside its records: whether they are in band, the time after which a split is
    idle (ms, None: never), the watermark lag from which the source is in backlog (ms, None: no threshold),
    and the maximum number of rows of a batch in backlog (None: the same as otherwise)."""

    in_band: bool = False
    idle_timeout: int | None = None
    watermark_lag_threshold: int | None = None
    rows_per_batch_in_backlog: int | None = None


@dataclass(frozen=True)
class SourceOptions:
    """The options of a source, validated. It reads `files`, a `log`, which may be `kafka`, or else
    `sequences`.

    alignment: None if it is not aligned (SOURCE-4). clock_step: the virtual time (ms) that passes at each
    planning; None: the wall clock. rows_per_batch: the maximum number of rows in a batch of this source.
    name: the value of the column "source"; None: the identity of the source. added: the columns that the
    source adds to its rows. watermark_check: a file that exists once Spark's watermark does not follow, with
    one line about it; None: there is no check. signals: None if the source has no signals beside its records.
    event_log: the folder of the event log, None: there is none. event_log_job: the name of the job in the
    log, None: the name of the group, or else the source.
    """

    sequences: tuple[Sequence, ...]
    files: FileOptions | None = None
    log: LogOptions | None = None
    kafka: KafkaOptions | None = None
    alignment: Alignment | None = None
    clock_step: int | None = None
    rows_per_batch: int = DEFAULT_ROWS_PER_BATCH
    name: str | None = None
    added: AddedColumns = NO_COLUMNS
    watermark_check: Path | None = None
    signals: SignalOptions | None = None
    event_log: WritableFolder | None = None
    event_log_job: str | None = None

    @property
    def subtasks(self) -> int:
        """The number of subtasks."""
        read = self.files or self.log
        return len(self.sequences) if read is None else read.subtasks

    @property
    def idle_timeout(self) -> int | None:
        """The time after which a split is idle (ms), None: never."""
        return None if self.signals is None else self.signals.idle_timeout


def parse_options(
    options: Mapping[str, str],
    watermark_lag_threshold: int | None = None,
    own: Collection[str] | None = None,
) -> SourceOptions:
    """Return the options as the source needs them; the case of their names is ignored.

    watermark_lag_threshold: the threshold of the job (ms), None if it has none. own: the own options of a
    registered log, None if the source is not such a log.

    Raises `IllegalOptionError` for an unknown option, an invalid value, and options that exclude each other.
    """
    for name, value in options.items():
        if name.lower() in _BACKLOG_THRESHOLD:
            raise IllegalOptionError(
                f"option {name} = {value!r}: there is one threshold for all sources of the job; "
                f"set it by spark.conf.set({WATERMARK_LAG_CONF!r}, {value!r})"
            )
    if own is None:
        refuse_options_of_spark(options)
    config = kafka_config(options) if own is None else {}
    spelled = {} if own is None else {name.lower(): name for name in own}
    read = {
        name: value
        for name, value in options.items()
        if name.lower() not in spelled and not (own is None and name.lower().startswith(PREFIX))
    }
    if own is None:
        given = GivenOptions(read, PLAIN_OPTIONS, SUBTASK_OPTIONS)
    else:
        given = GivenOptions(read, OWN_LOG_OPTIONS, (), listed=spelled.values())
    count = given.integer("numSubtasks", 1, 1, MOST_SUBTASKS)
    s3 = parse_s3(given)
    kafka = parse_kafka(given, config) if own is None else None
    log = files = None
    if own is not None or kafka is not None:
        of_the_log = {
            spelled[name.lower()]: value for name, value in options.items() if name.lower() in spelled
        }
        log = parse_log(given, count, of_the_log)
        _refuse_files(given)
        _refuse_sequence(given, "the source reads a log")
    else:
        files = parse_files(given, count, s3)
        if files is not None:
            _refuse_sequence(given, "path says to read files")
    event_log = _event_log(given, s3)
    places = [*([] if files is None else [files.path]), *([] if event_log is None else [event_log.place])]
    if all(map(is_local, places)):
        refuse_s3_without_place(given, "neither path nor eventLog is s3://; leave it out")
    return SourceOptions(
        sequences=parse_sequences(given, count) if files is None and log is None else (),
        files=files,
        log=log,
        kafka=kafka,
        alignment=_alignment(given),
        clock_step=given.duration("clockStep", least=1),
        rows_per_batch=given.integer("maxRowsPerTrigger", DEFAULT_ROWS_PER_BATCH, 1, MOST_ROWS_PER_BATCH),
        name=given.text("sourceName"),
        added=_added_columns(given, files, log, kafka),
        watermark_check=_watermark_check(given),
        signals=_signals(given, watermark_lag_threshold),
        event_log=event_log,
        event_log_job=given.text("eventLogJob"),
    )


def check_own_options(log: str, own: Collection[str]) -> None:
    """Raise `IllegalOptionError` if an own option of a log would hide one of the source, or would be
    rejected."""
    taken = {each.lower(): each for each in OWN_LOG_OPTIONS}
    for name in own:
        if name.lower() in taken or name.lower() in _BACKLOG_THRESHOLD:
            raise IllegalOptionError(
                f"own option {name!r} of the log {log!r}: {taken.get(name.lower(), name)} is an option of "
                "the source; give it another name"
            )


def _added_columns(
    given: GivenOptions, files: FileOptions | None, log: LogOptions | None, kafka: KafkaOptions | None
) -> AddedColumns:
    added = parse_added_columns(given)
    column = added.progress
    taken = [field.name for field in SOURCE_SCHEMA] if files is None else [files.event_time_column]
    if log is not None:  # the columns of a registered log are not known here
        taken = [] if kafka is None else kafka.schema.names
    if column is not None and column.lower() in (name.lower() for name in taken):
        given.refuse("progressColumn", column, "there is a column of that name; write another one")
    return added


def _watermark_check(given: GivenOptions) -> Path | None:
    given.require("watermarkCheck", "watermarkColumn")
    file = given.text("watermarkCheck")
    return None if file is None else Path(file)


def _event_log(given: GivenOptions, s3: S3Settings) -> WritableFolder | None:
    given.require("eventLogJob", "eventLog")
    place = read_place(given, "eventLog")
    return None if place is None else WritableFolder(place, s3)


def _signals(given: GivenOptions, threshold: int | None) -> SignalOptions | None:
    in_band = given.boolean("inBandWatermarks", default=False)
    if in_band:
        given.require("inBandWatermarks", "progressColumn")
        if "watermarkColumn" in given:
            given.refuse(
                "inBandWatermarks",
                "true",
                "rows of subtasks are for the operators of this library, and watermarkColumn is for those of "
                "Spark; leave one out",
            )
    idle_timeout = given.duration("idleTimeout", least=1)
    in_backlog = None
    if given.text("maxRowsPerTriggerInBacklog") is not None:
        in_backlog = given.integer("maxRowsPerTriggerInBacklog", 1, 1, MOST_ROWS_PER_BATCH)
        if threshold is None:
            given.refuse(
                "maxRowsPerTriggerInBacklog",
                str(in_backlog),
                f"set the Spark conf {WATERMARK_LAG_CONF} before register(spark), or nothing is backlog",
            )
    says_watermark = "watermarkColumn" in given or "lateColumn" in given
    if not in_band and idle_timeout is None and threshold is None and not says_watermark:
        return None
    return SignalOptions(in_band, idle_timeout, threshold, in_backlog)


def _refuse_files(given: GivenOptions) -> None:
    for name, value in given.items():
        if name in FILE_OPTIONS and name not in (*LOG_OPTIONS, *KAFKA_OPTIONS):
            given.refuse(name, value, "the source reads a log that has no such option; leave it out")


def _refuse_sequence(given: GivenOptions, reads: str) -> None:
    for name, value in given.items():
        if name.partition(".")[0] in (*SEQUENCE_OPTIONS, *SUBTASK_OPTIONS):
            given.refuse(name, value, f"it belongs to number sequences, and {reads}; leave one out")


def _alignment(given: GivenOptions) -> Alignment | None:
    group = given.text("watermarkGroup")
    drift = given.duration("maxAllowedWatermarkDrift")
    given.require("watermarkGroup", "maxAllowedWatermarkDrift")
    for name in ALIGNMENT_OPTIONS:
        given.require(name, "watermarkGroup")
    if group is None or drift is None:
        return None
    in_query = given.integer("sourcesInQuery", 1, 1, MOST_SUBTASKS)
    in_group = given.integer("sourcesInGroup", in_query, 1, MOST_SUBTASKS)
    if in_group < in_query:
        given.refuse(
            "sourcesInGroup",
            str(in_group),
            f"sourcesInQuery counts {in_query} of them already; write {in_query} or more",
        )
    written = given.text("coordinator")
    address = None
    if written is not None:
        try:
            address = Address.parse(written)
        except ValueError:
            given.refuse(
                "coordinator", written, 'write the address that coordination() gave, "host:port/token"'
            )
    elif in_group > 1:
        name = "sourcesInQuery" if in_query > 1 else "sourcesInGroup"
        given.refuse(name, str(given.text(name)), "set coordinator to the address of coordination()")
    patience = given.duration("coordinatorTimeout")
    restart_timeout = given.duration("restartTimeout", least=SHORTEST_RESTART_TIMEOUT)
    return Alignment(
        group=group,
        drift=drift,
        coordinator=address,
        sources_in_group=in_group,
        sources_in_query=in_query,
        update_interval=given.duration("updateInterval", least=1) or 0,
        by_split=given.boolean("splitAlignment", default=True),
        patience=DEFAULT_PATIENCE if patience is None else patience,
        restart_timeout=DEFAULT_RESTART_TIMEOUT if restart_timeout is None else restart_timeout,
    )
