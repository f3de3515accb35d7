"""Topics of Kafka under the calls that Spark makes: every record once, whatever the topic looks like."""

from __future__ import annotations

import json

import pytest
from confluent_kafka import Producer
from kafka_broker import Broker
from spark_programs.driven_log import DrivenLog

from tidegauge_spark import BrokenLogError, IllegalOptionError
from tidegauge_spark.source.kafka.log import KafkaLog
from tidegauge_spark.source.logs.offset import LogOffset
from tidegauge_spark.source.logs.reader import AlignedLogReader
from tidegauge_spark.source.logs.split_log import RecordTimes
from tidegauge_spark.source.options.source import parse_options
from tidegauge_spark.source.planning.sealed_offset import sealed

pytestmark = pytest.mark.kafka

START = 1_700_000_000_000
"""The timestamp (ms) at which records begin."""

ALIGNED = {"watermarkGroup": "g", "maxAllowedWatermarkDrift": "2 seconds", "idleTimeout": "300ms"}


def driven(broker: Broker, topic: str, **options: str) -> DrivenLog:
    parsed = parse_options(
        {
            "kafka.bootstrap.servers": broker.address,
            "subscribe": topic,
            "startingOffsets": "earliest",
            **{name.replace("__", "."): value for name, value in options.items()},
        }
    )
    assert parsed.kafka is not None
    return DrivenLog(parsed, KafkaLog(parsed.kafka))


def offsets(query: DrivenLog) -> list[tuple[int, int]]:
    return sorted(zip(query.column("partition"), query.column("offset"), strict=True))


def apart(latest: dict[str, int]) -> int:
    """How far the splits are apart (ms)."""
    return max(latest.values(), default=0) - min(latest.values(), default=0)


def test_rows_are_what_was_produced(broker: Broker) -> None:
    broker.create("rows", 1)
    broker.produce("rows", 0, [START, START + 1])
    query = driven(broker, "rows")
    query.run()
    assert query.column("key") == [b"0", b"0"]
    assert query.column("topic") == ["rows", "rows"]
    assert [time.timestamp() * 1000 for time in query.column("timestamp")] == [START, START + 1]
    assert query.column("timestampType") == [0, 0]
    assert offsets(query) == [(0, 0), (0, 1)]


def test_dense_partitions_are_planned_by_an_index_and_within_the_drift(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2 s hold 10,000 records of the first: more than the driver looks at one by one."""
    broker.create("dense", 3)
    broker.produce("dense", 0, [START + n // 5 for n in range(50_000)])
    broker.produce("dense", 1, [START + n * 10 for n in range(1_000)])
    looked_at = 0
    event_times = KafkaLog.event_times

    def counted(log: KafkaLog, split: str, first: int, end: int) -> RecordTimes:
        nonlocal looked_at
        found = event_times(log, split, first, end)
        looked_at += len(found.times)
        return found

    monkeypatch.setattr(KafkaLog, "event_times", counted)
    query = driven(broker, "dense", maxRowsPerTrigger="15000", **ALIGNED)
    query.run(1)
    query.run()
    assert offsets(query) == [*((0, n) for n in range(50_000)), *((1, n) for n in range(1_000))]
    assert looked_at < 40_000
    assert max(map(apart, query.latest())) <= 2_000 + 10


def test_no_split_gets_further_than_the_drift_from_the_slowest(broker: Broker) -> None:
    broker.create("apart", 2)
    broker.produce("apart", 0, [START + n for n in range(10_000)])
    broker.produce("apart", 1, [START + n * 100 for n in range(100)])
    query = driven(broker, "apart", maxRowsPerTrigger="2000", **ALIGNED)
    query.run()
    assert max(map(apart, query.latest())) <= 2_000 + 100
    alone = driven(broker, "apart", maxRowsPerTrigger="2000")
    alone.run()
    assert max(map(apart, alone.latest())) > 5_000
    assert (
        offsets(alone) == offsets(query) == [*((0, n) for n in range(10_000)), *((1, n) for n in range(100))]
    )


def test_records_of_transactions_come_as_the_isolation_level_says(broker: Broker) -> None:
    """Transactions leave offsets without records behind, also at the end of a partition."""
    broker.create("payments", 1)
    producer = Producer({"bootstrap.servers": broker.address, "transactional.id": "test"})
    producer.init_transactions(60)
    for number, committed in enumerate([True, False, True, False]):
        producer.begin_transaction()
        for _ in range(5):
            producer.produce("payments", str(number).encode(), partition=0, timestamp=START + number)
        producer.flush(60)
        (producer.commit_transaction if committed else producer.abort_transaction)(60)
    found = {}
    for level in ("read_committed", "read_uncommitted"):
        query = driven(broker, "payments", kafka__isolation__level=level, maxRowsPerTrigger="7", **ALIGNED)
        query.run()
        found[level] = b"".join(query.column("value"))
    assert found == {"read_committed": b"0000022222", "read_uncommitted": b"00000111112222233333"}


def test_a_query_starts_where_its_options_say(broker: Broker) -> None:
    broker.create("starts", 2)
    broker.produce("starts", 0, [START + n for n in range(10)])
    query = driven(broker, "starts", startingOffsets="latest", idleTimeout="200ms")
    query.run()
    assert offsets(query) == []
    broker.produce("starts", 0, [START + 10])
    query.run()
    assert offsets(query) == [(0, 10)]
    parsed = {"kafka.bootstrap.servers": broker.address, "subscribe": "starts"}
    options = parse_options({**parsed, "startingTimestamp": str(START + 4)})
    assert options.kafka is not None
    later = DrivenLog(options, KafkaLog(options.kafka))
    later.run()
    assert offsets(later) == [(0, n) for n in range(4, 11)]


def started(broker: Broker, topic: str, **options: str) -> list[tuple[int, int]]:
    """Return the offsets that a query with these start options reads."""
    parsed = parse_options({"kafka.bootstrap.servers": broker.address, "subscribe": topic, **options})
    assert parsed.kafka is not None
    query = DrivenLog(parsed, KafkaLog(parsed.kafka))
    query.run()
    return offsets(query)


def test_a_query_starts_where_json_says_for_each_partition(broker: Broker) -> None:
    broker.create("by-partition", 3)
    for partition in range(3):
        broker.produce("by-partition", partition, [START + n for n in range(10)])
    by_offset = json.dumps({"by-partition": {"0": 7, "1": -1, "2": -2}})
    assert started(broker, "by-partition", startingOffsets=by_offset) == [
        *((0, n) for n in range(7, 10)),
        *((2, n) for n in range(10)),
    ]
    by_time = json.dumps({"by-partition": {"0": START + 8, "1": START + 9, "2": START + 10}})
    with pytest.raises(
        IllegalOptionError, match="by-partition-2 has no record of the time .*Strategy to latest"
    ):
        started(broker, "by-partition", startingOffsetsByTimestamp=by_time)
    latest = {"startingOffsetsByTimestamp": by_time, "startingOffsetsByTimestampStrategy": "latest"}
    assert started(broker, "by-partition", **latest) == [(0, 8), (0, 9), (1, 9)]
    late = {"startingTimestamp": str(START + 99), "startingOffsetsByTimestampStrategy": "error"}
    with pytest.raises(IllegalOptionError, match="option startingTimestamp: by-partition-. has no record"):
        started(broker, "by-partition", **late)


def test_starting_offsets_that_do_not_fit_the_partitions_are_refused(broker: Broker) -> None:
    broker.create("unfit", 1)
    broker.produce("unfit", 0, [START + n for n in range(10)])
    broker.delete_before("unfit", {0: 5})
    after = "option startingOffsets: unfit-0 ends before the offset 11, at 10; correct it, or write -1"
    with pytest.raises(IllegalOptionError, match=after):
        started(broker, "unfit", startingOffsets='{"unfit": {"0": 11}}')
    with pytest.raises(IllegalOptionError, match="names what is not read, leave out unfit-1"):
        started(broker, "unfit", startingOffsets='{"unfit": {"0": 5, "1": 5}}')
    before = '{"unfit": {"0": 3}}'
    with pytest.raises(BrokenLogError, match="the records 3 to 4 of the split 'unfit-0' .* have vanished"):
        started(broker, "unfit", startingOffsets=before)
    without = started(broker, "unfit", startingOffsets=before, failOnDataLoss="false")
    assert without == [(0, n) for n in range(5, 10)]


def test_records_that_are_deleted_before_they_are_read_are_an_error_unless_they_may(broker: Broker) -> None:
    broker.create("deleted", 1)
    broker.produce("deleted", 0, [START + n for n in range(10)])
    query = driven(broker, "deleted", maxRowsPerTrigger="3")
    query.run(1)
    broker.delete_before("deleted", {0: 6})
    with pytest.raises(BrokenLogError, match="records 3 to 5 of the split 'deleted-0' .* have vanished"):
        query.run()
    query.options = parse_options(
        {
            "kafka.bootstrap.servers": broker.address,
            "subscribe": "deleted",
            "failOnDataLoss": "false",
        }
    )
    query.run()
    assert [offset for _, offset in offsets(query)] == [0, 1, 2, 6, 7, 8, 9]


@pytest.mark.parametrize("fail_on_data_loss", ["true", "false"])
def test_records_that_are_deleted_after_they_were_planned(broker: Broker, fail_on_data_loss: str) -> None:
    topic = f"planned-{fail_on_data_loss}"
    broker.create(topic, 1)
    broker.produce(topic, 0, [START + n for n in range(10)])
    query = driven(broker, topic, failOnDataLoss=fail_on_data_loss)
    reader = AlignedLogReader(query.options, query.log)
    start = reader.initialOffset()
    end = reader.latestOffset(start, reader.getDefaultReadLimit())
    broker.delete_before(topic, {0: 6})
    (partition,) = reader.partitions(start, end)
    if fail_on_data_loss == "true":
        with pytest.raises(
            BrokenLogError, match="offset 0 of partition 0 .* has vanished before it was read"
        ):
            list(reader.read(partition))
    else:
        left = [offset for batch in reader.read(partition) for offset in batch["offset"].to_pylist()]
        assert left == [6, 7, 8, 9]
    reader.stop()


@pytest.mark.parametrize("restarted", [False, True])
def test_a_topic_that_was_made_again_is_not_read_from_the_offsets_before(
    broker: Broker, restarted: bool
) -> None:
    """The new topic has more records than were read, so the offsets look valid: 10 records would be skipped."""
    topic = f"again-{restarted}"
    broker.create(topic, 1)
    broker.produce(topic, 0, [START + n for n in range(10)])
    query = driven(broker, topic, discoveryInterval="0 seconds")
    query.run()
    assert len(offsets(query)) == 10
    broker.delete(topic)
    broker.create(topic, 1)
    broker.produce(topic, 0, [START + 1_000 + n for n in range(20)])
    if restarted:
        assert query.options.kafka is not None
        query.log = KafkaLog(query.options.kafka)
    with pytest.raises(
        BrokenLogError,
        match=f"'{topic}' of topics {topic} of Kafka was deleted and recreated: the checkpoint has the id",
    ):
        query.run()


def test_a_checkpoint_without_ids_of_topics_continues(broker: Broker) -> None:
    broker.create("without-ids", 1)
    broker.produce("without-ids", 0, [START])
    query = driven(broker, "without-ids")
    query.run()
    assert LogOffset.from_json(query.offsets[-1]).generations.keys() == {"without-ids"}
    old = {name: each for name, each in query.offsets[-1].items() if name not in ("generations", "checksum")}
    present = {"without-ids": "new"}
    assert LogOffset.from_json(sealed(old)).of_generations(present).generations == present


# Topics that match a pattern, and named partitions


def reading(broker: Broker, **options: str) -> DrivenLog:
    """Return a query that reads from the beginning and looks for new topics at each planning."""
    given = {"startingOffsets": "earliest", "discoveryInterval": "0 seconds", **options}
    parsed = parse_options({"kafka.bootstrap.servers": broker.address, **given})
    assert parsed.kafka is not None
    return DrivenLog(parsed, KafkaLog(parsed.kafka))


def records(query: DrivenLog) -> list[tuple[str, int, int]]:
    columns = (query.column(name) for name in ("topic", "partition", "offset"))
    return sorted(zip(*columns, strict=True))


def test_new_topics_of_a_pattern_are_read_from_their_beginning(broker: Broker) -> None:
    broker.create("eu-orders", 2)
    broker.create("not-eu-orders", 1)
    broker.create("eu-orders-2", 1)
    for topic in ("eu-orders", "not-eu-orders", "eu-orders-2"):
        broker.produce(topic, 0, [START])
    query = reading(broker, subscribePattern="eu-[a-z]*", startingOffsets="latest", idleTimeout="200ms")
    query.run()
    broker.produce("eu-orders", 1, [START])
    broker.create("eu-returns", 1)
    broker.produce("eu-returns", 0, [START, START + 1])
    query.run()
    assert records(query) == [("eu-orders", 1, 0), ("eu-returns", 0, 0), ("eu-returns", 0, 1)]
    assert query.offsets[-1]["log"] == "topics of Kafka that match 'eu-[a-z]*'"
    assert query.offsets[-1]["generations"].keys() == {"eu-orders", "eu-returns"}


def test_a_pattern_may_match_no_topic_at_first_and_never_matches_topics_of_kafka_itself(
    broker: Broker,
) -> None:
    producer = Producer({"bootstrap.servers": broker.address, "transactional.id": "for-its-topic"})
    producer.init_transactions(60)
    query = reading(broker, subscribePattern="later-.*|__.*")
    query.run()
    assert records(query) == []
    assert query.offsets[-1]["splits"] == {}
    broker.create("later-1", 1)
    broker.produce("later-1", 0, [START])
    query.run()
    assert records(query) == [("later-1", 0, 0)]


@pytest.mark.parametrize("between", [False, True])
def test_a_topic_of_a_pattern_that_was_made_again_fails(broker: Broker, between: bool) -> None:
    """The query also fails if a planning happened while the topic did not exist."""
    broker.create(f"one-{between}", 1)
    broker.create(f"two-{between}", 1)
    broker.produce(f"one-{between}", 0, [START])
    query = reading(broker, subscribePattern=f"(one|two)-{between}", failOnDataLoss="false")
    query.run()
    broker.delete(f"one-{between}")
    if between:
        broker.produce(f"two-{between}", 0, [START])
        query.run()
        assert records(query) == [(f"one-{between}", 0, 0), (f"two-{between}", 0, 0)]
    broker.create(f"one-{between}", 1)
    broker.produce(f"one-{between}", 0, [START, START + 1])
    with pytest.raises(BrokenLogError, match=f"'one-{between}' of topics .* was deleted and recreated"):
        query.run()


def test_a_topic_of_a_pattern_that_vanishes_is_data_loss(broker: Broker) -> None:
    broker.create("vanishing", 1)
    broker.produce("vanishing", 0, [START])
    query = reading(broker, subscribePattern="vanishi.*")
    query.run()
    broker.delete("vanishing")
    with pytest.raises(BrokenLogError, match="the split 'vanishing-0' of .* has vanished; bring them back"):
        query.run()


def test_assigned_partitions_are_read_and_no_others(broker: Broker) -> None:
    for topic in ("north", "south"):
        broker.create(topic, 3)
        for partition in range(3):
            broker.produce(topic, partition, [START])
    query = reading(broker, assign='{"north": [2, 0], "south": [1]}')
    query.run()
    assert records(query) == [("north", 0, 0), ("north", 2, 0), ("south", 1, 0)]
    assert query.offsets[-1]["log"] == "partitions north-0, north-2, south-1 of Kafka"
    with pytest.raises(
        IllegalOptionError, match="option assign = .* has no partition 3 of the topic 'north'; correct it"
    ):
        reading(broker, assign='{"north": [3]}').run()
    with pytest.raises(IllegalOptionError, match="option assign = .* has no topic 'east'; correct it"):
        reading(broker, assign='{"east": [3]}').run()
