"""The places of a job's logs: folders of files, an S3 bucket, or topics of a Kafka broker."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final, Protocol

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, from_json
from spark_programs.driven_files import write_table

from tidegauge_spark import load
from whole_jobs.records import Record

ROWS_OF_A_FILE: Final = 240


class Place(Protocol):
    """Where logs are. planned_at: which field of a split's position in the offset counts its planned records."""

    planned_at: int

    def create(self, log: str, partitions: int) -> None:
        """Make a log without records."""

    def write(self, log: str, partition: int, records: Sequence[Record]) -> None:
        """Append records to a partition."""

    def read(self, session: SparkSession, log: str, options: dict[str, Any]) -> DataFrame:
        """Return the records of a log, with the fields of `Record` as columns."""

    def split(self, log: str, partition: int) -> str:
        """Return what the source calls a partition."""


def tables(records: Sequence[Record]) -> Iterator[Any]:
    """Yield the records as tables, one for each file."""
    for first in range(0, len(records), ROWS_OF_A_FILE):
        part = records[first : first + ROWS_OF_A_FILE]
        times = pa.array([record.at * 1000 for record in part], pa.timestamp("us", "UTC"))
        columns = {"at": times, "key": [each.key for each in part], "id": [each.id for each in part]}
        yield pa.table(columns)


class FilesPlace:
    """Logs in a folder."""

    planned_at = 8

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def create(self, log: str, partitions: int) -> None:
        for partition in range(partitions):
            (self._folder / log / self.split(log, partition)).mkdir(parents=True)

    def write(self, log: str, partition: int, records: Sequence[Record]) -> None:
        split = self.split(log, partition)
        numbers = count(sum(1 for _ in (self._folder / log / split).iterdir()))
        for table in tables(records):
            write_table(self._folder / log, split, f"{next(numbers):06}", table)

    def read(self, session: SparkSession, log: str, options: dict[str, Any]) -> DataFrame:
        source = session.readStream.format("tidegauge").options(**options)
        return load(source.options(path=str(self._folder / log), eventTimeColumn="at"))

    def split(self, log: str, partition: int) -> str:
        return f"{log}-{partition}"


class S3Place:
    """Logs in a bucket of the S3 server at an endpoint. Credentials and region come from the environment."""

    planned_at = 8

    def __init__(self, endpoint: str, bucket: str) -> None:
        self._endpoint, self._bucket = endpoint, bucket

    def create(self, log: str, partitions: int) -> None:
        from s3_server import S3Store

        store = S3Store(self._endpoint)
        store.bucket(self._bucket)
        for partition in range(partitions):  # S3 has no empty folders unless an object marks them
            store.filesystem.create_dir(f"{self._bucket}/{log}/{self.split(log, partition)}")

    def write(self, log: str, partition: int, records: Sequence[Record]) -> None:
        from s3_server import S3Store

        store = S3Store(self._endpoint)
        folder = f"s3://{self._bucket}/{log}/{self.split(log, partition)}"
        for number, table in enumerate(tables(records), len(store.names(folder))):
            store.put_table(f"{folder}/{number:06}", table)

    def read(self, session: SparkSession, log: str, options: dict[str, Any]) -> DataFrame:
        source = session.readStream.format("tidegauge").options(**options)
        source = source.option("fs.s3a.endpoint", self._endpoint)
        return load(source.options(path=f"s3a://{self._bucket}/{log}", eventTimeColumn="at"))

    def split(self, log: str, partition: int) -> str:
        return f"{log}-{partition}"


class KafkaPlace:
    """Logs in topics whose names begin with `prefix`; the event time is the timestamp of the record."""

    planned_at = 1

    def __init__(self, address: str, prefix: str) -> None:
        self._address, self._prefix = address, prefix

    def create(self, log: str, partitions: int) -> None:
        from kafka_broker import Broker

        Broker(self._address).create(self._topic(log), partitions)

    def write(self, log: str, partition: int, records: Sequence[Record]) -> None:
        from kafka_broker import Broker

        values = [(json.dumps({"key": each.key, "id": each.id}), each.at) for each in records]
        Broker(self._address).produce_records(self._topic(log), partition, values)

    def read(self, session: SparkSession, log: str, options: dict[str, Any]) -> DataFrame:
        source = session.readStream.format("tidegauge").options(**options)
        source = source.option("kafka.bootstrap.servers", self._address)
        rows = load(source.options(subscribe=self._topic(log), startingOffsets="earliest"))
        value = from_json(col("value").cast("string"), "key STRING, id BIGINT")
        return rows.select(col("timestamp").alias("at"), value.alias("value")).select("at", "value.*")

    def split(self, log: str, partition: int) -> str:
        return f"{self._topic(log)}-{partition}"

    def _topic(self, log: str) -> str:
        return f"{self._prefix}-{log}"
