"""The coordination service of tidegauge_spark: sources that wait for one another, in one query or in two.

The readers are driven as Spark drives them; real queries come last. Timestamps are in ms.
"""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from spark_programs.driven_query import DrivenQuery, make_reader, spread_of
from spark_programs.queries import PATIENCE, SparkQueries, spark_queries, spreads

from tidegauge_spark import (
    CoordinatorError,
    coordination,
    end_coordination,
    ensure_coordination,
    group_sources,
    leave_group,
    register,
)
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.group_coordination.client import Address, report
from tidegauge_spark.group_coordination.service import CoordinationService
from tidegauge_spark.source.aligned_source import AlignedSource
from tidegauge_spark.source.options.numbers import SOURCE_SCHEMA
from tidegauge_spark.spark_version import READ_LIMITS


@pytest.fixture(name="address")
def _address() -> Iterator[str]:
    with coordination() as address:
        yield address


def options(address: str, **changes: str) -> dict[str, str]:
    """Return the options of a source in a group: 2 subtasks, drift 3 s, 6001 records each."""
    return {
        "numSubtasks": "2",
        "split": "repeat",
        "end": "6000",
        "clockStep": "1 second",
        "watermarkGroup": "group-1",
        "maxAllowedWatermarkDrift": "3 seconds",
        "coordinator": address,
        "updateInterval": "1 millisecond",
        **changes,
    }


def slow(address: str, **changes: str) -> DrivenQuery:
    """Return a query over a source whose subtask 0 reads 1 record a ms."""
    return DrivenQuery(**options(address, recordsPerMillisecond__0="1", **changes))


def fast(address: str, **changes: str) -> DrivenQuery:
    return DrivenQuery(**options(address, **changes))


def lasts(query: DrivenQuery) -> list[int]:
    """Return the last number that is planned of each subtask."""
    return [subtask["next"] - 1 for subtask in query.offset["subtasks"]]


# ALIGN: groups


def test_align_2_a_source_waits_for_the_slowest_of_another_one(address: str) -> None:
    first, second = slow(address), fast(address)
    first.batch()
    second.batch()
    assert (lasts(first), lasts(second)) == ([999, 2999], [2999, 2999])
    second.batch()  # the other has reported -1 and nothing since
    assert lasts(second) == [2999, 2999]
    first.batch()
    second.batch()
    assert (lasts(first), lasts(second)) == ([1999, 3998], [3998, 3998])


def test_align_3_another_group_is_not_waited_for(address: str) -> None:
    first, second = slow(address), fast(address, watermarkGroup="group-2")
    first.batch()
    second.run()
    assert second.numbers(0) == second.numbers(1) == list(range(6001))


def test_align_4_each_source_has_its_own_drift(address: str) -> None:
    first, second = slow(address), fast(address, maxAllowedWatermarkDrift="1 second")
    first.batch()
    second.batch()
    assert lasts(second) == [999, 999]


def test_align_5_a_finished_source_is_not_waited_for(address: str) -> None:
    first, second = fast(address, end="100"), fast(address)
    first.run()
    second.run()
    assert group_sources(address, "group-1")[0].minimum == MAX
    assert second.numbers(0) == list(range(6001))


def test_names_may_be_the_same(address: str) -> None:
    first, second = slow(address, sourceName="s"), fast(address, sourceName="s")
    first.batch()
    second.batch()
    assert len(group_sources(address, "group-1")) == 2
    second.batch()
    assert lasts(second) == [2999, 2999]


def test_a_source_that_never_reported_is_left_out(address: str) -> None:
    slow(address)
    alone = fast(address)
    alone.batch()
    alone.batch()
    assert lasts(alone) == [5998, 5998]


def test_nothing_is_read_before_so_many_sources_have_joined(address: str) -> None:
    first, second = (make(address, sourcesInGroup="2") for make in (fast, slow))
    first.batch()
    first.batch()
    assert (first.records(), first.now) == ([], 2000)  # the virtual clock goes on
    second.batch()
    assert lasts(second) == [999, 2999]
    first.batch()
    assert lasts(first) == [2999, 2999]


@pytest.mark.parametrize("seed", range(10))
def test_job_2_two_queries_in_any_order_with_restarts(address: str, seed: int) -> None:
    draw = random.Random(seed)
    queries = [make(address, sourcesInGroup="2", clockStep="300 milliseconds") for make in (slow, fast)]
    going = [True, True]
    while any(going):
        index = draw.randrange(2)
        if draw.random() < 0.1:
            queries[index].plan()
            queries[index].restart()
        going[index] = queries[index].batch()
        assert spread_of(*(query.offset for query in queries)) <= 3000
    for query in queries:
        assert query.numbers(0) == query.numbers(1) == list(range(6001))
    assert len(group_sources(address, "group-1")) <= 4


# Joining, leaving, coming back


def test_a_source_that_is_stopped_is_waited_for_and_comes_back_as_itself(address: str) -> None:
    first, second = slow(address), fast(address)
    first.batch()
    first.reader.stop()
    second.batch()
    second.batch()
    assert lasts(second) == [2999, 2999]
    first.restart()
    first.batch()
    second.batch()
    assert len(group_sources(address, "group-1")) == 2
    assert lasts(second) == [3998, 3998]


def test_a_source_that_is_stopped_before_anything_was_logged_leaves(address: str) -> None:
    query = slow(address)
    query.reader.latestOffset(query.start, query.limit)
    assert len(group_sources(address, "group-1")) == 1
    query.reader.stop()
    assert group_sources(address, "group-1") == []


def test_a_source_can_be_taken_out(address: str) -> None:
    first, second = slow(address), fast(address)
    first.batch()
    second.batch()
    leave_group(address, "group-1", first.start["source"])
    leave_group(address, "group-1", "unknown")
    second.run()
    assert second.numbers(0) == list(range(6001))


def test_after_a_restart_of_all_a_new_service_knows_as_much(address: str) -> None:
    queries = [make(address, sourcesInGroup="2") for make in (slow, fast)]
    for _ in range(2):
        for query in queries:
            query.batch()
    with coordination() as other:
        for query in queries:
            query.options["coordinator"] = other
            query.restart()
        planned = lasts(queries[1])
        queries[1].batch()
        assert lasts(queries[1]) == planned
        queries[0].batch()
        queries[1].batch()
        assert spread_of(*(query.offset for query in queries)) <= 3000
        for source in group_sources(other, "group-1"):
            assert source.age is not None
            assert source.age < 10_000


def test_the_sources_of_a_group_can_be_listed(address: str) -> None:
    query = slow(address)
    query.batch()
    (source,) = group_sources(address, "group-1")
    assert (source.source, source.minimum) == (query.start["source"], -1)
    assert source.age is not None
    assert 0 <= source.age < 10_000
    assert group_sources(address, "group-2") == []


# What goes wrong


def test_without_a_service_nothing_is_read_and_then_all_of_it() -> None:
    with coordination() as address:
        queries = [make(address) for make in (slow, fast)]
        for query in queries:
            query.batch()
    planned = [lasts(query) for query in queries]
    for _ in range(3):
        for query in queries:
            query.batch()  # an empty one: with nothing new AvailableNow would end the query
            assert query.reader.reportLatestOffset()["coordinator"] == "gone"
    assert [lasts(query) for query in queries] == planned
    with coordination(address):
        queries[1].batch()
        assert lasts(queries[1]) == planned[1]  # the slow one has not reported to the new service
        assert queries[1].reader.reportLatestOffset()["waitsFor"] == queries[0].start["source"]
        going = True
        while going:
            went = [query.batch() for query in queries]
            going = any(went)
            assert spread_of(*(query.offset for query in queries)) <= 3000
    for query in queries:
        assert query.numbers(0) == query.numbers(1) == list(range(6001))


def test_a_source_does_not_end_before_its_group_knows() -> None:
    with coordination() as address:
        query = fast(address, end="100")
        query.batch()
    assert lasts(query) == [100, 100]
    assert query.batch()
    with coordination(address):
        assert not query.batch()
        assert group_sources(address, "group-1")[0].minimum == MAX


def test_without_patience_a_source_fails_when_its_service_is_gone() -> None:
    with coordination() as gone:
        query = fast(gone, coordinatorTimeout="0 seconds")
        query.batch()
    with pytest.raises(CoordinatorError, match=r"does not answer .*: nothing is read without it; keep the"):
        query.batch()
    query.reader.stop()  # the service that is gone is no second error
    make_reader(**options(gone)).stop()
    assert len(query.log) == 1


def test_a_source_without_other_sources_shows_nothing_of_a_group() -> None:
    rates = {"recordsPerMillisecond__0": "1", "recordsPerMillisecond__1": "0.1"}
    query = DrivenQuery(numSubtasks="2", split="repeat", end="90000", clockStep="20 seconds", **rates)
    assert query.reader.reportLatestOffset() is None
    query.batch()
    shown = query.reader.reportLatestOffset()
    assert shown == {"watermark": 1998, "lag": 18_002, "drift": 18_000, "delay": 18_001, "heldBy": ["1"]}


def test_what_the_session_knows_is_the_default_of_sources_in_a_group(address: str) -> None:
    class Coordinated(AlignedSource):
        coordinator = address

    aligned = {"WATERMARKGROUP": "g", "maxAllowedWatermarkDrift": "1 second", "end": "5"}
    for given, expected in (
        (aligned, address),
        ({"end": "5"}, None),
        ({**aligned, "Coordinator": "127.0.0.1:9/own"}, "127.0.0.1:9/own"),
    ):
        reader = Coordinated(given).source_coordinator(SOURCE_SCHEMA)
        alignment = reader._options.alignment
        assert (None if alignment is None else str(alignment.coordinator)) == expected


def test_a_wrong_token_is_refused(address: str) -> None:
    query = fast(address + "x")
    with pytest.raises(CoordinatorError, match="refuses: the token in the address is not the one"):
        query.batch()


@pytest.mark.parametrize(
    "request_",
    [
        {"do": "report", "group": "g", "source": "s", "minimum": "1"},
        {"do": "report", "group": "g", "source": "s", "minimum": True},
        {"do": "report", "group": "g", "source": "s", "minimum": None},
        {"do": "report", "group": "g", "source": "s", "minimum": 2**63},
        {"do": "report", "group": "g", "source": "s", "minimum": 1, "known": []},
        {
            "do": "report",
            "group": "g",
            "source": "s",
            "minimum": 1,
            "known": {"service": "x", "minima": {"t": None}},
        },
        {"do": "report", "group": "g", "minimum": 1},
        {"do": "list"},
        {},
    ],
)
def test_the_service_refuses_what_it_does_not_understand(address: str, request_: dict[str, Any]) -> None:
    token = Address.parse(address).token
    assert ask(address, json.dumps({"token": token, **request_}).encode())["refused"]
    assert group_sources(address, "g") == []


@pytest.mark.parametrize("line", [b"", b"GET / HTTP/1.1", b"[]", b"null", b"\xff"])
def test_the_service_survives_what_is_no_request(address: str, line: bytes) -> None:
    assert ask(address, line) == {"refused": "the request is not understood"}
    assert report(Address.parse(address), "g", "s", 7).minima == {"s": 7}


def ask(address: str, line: bytes) -> Any:
    """Send a line to the service as it is; return what comes back."""
    where = Address.parse(address)
    with socket.create_connection((where.host, where.port), timeout=PATIENCE) as connection:
        connection.sendall(line + b"\n")
        with connection.makefile("rb") as answers:
            return json.loads(answers.readline())


def test_a_short_token_is_rejected() -> None:
    with pytest.raises(
        ValueError, match=r"127\.0\.0\.1:1/\.\.\. has 15 characters, .* at least 16 random"
    ) as refusal:
        CoordinationService("127.0.0.1:1/" + "x" * 15)
    assert "xxx" not in str(refusal.value)


@pytest.mark.parametrize("text", ["", "here", "127.0.0.1:1", "127.0.0.1/x", ":1/x", "h:0/x", "h:70000/x"])
def test_other_texts_are_no_addresses(text: str) -> None:
    with pytest.raises(ValueError, match="no"):
        Address.parse(text)


# On Spark


@pytest.fixture(scope="module", name="queries")
def _queries() -> Iterator[SparkQueries]:
    with spark_queries() as queries:
        yield queries


LASTS = {(source, subtask): 6000 for source in ("slow", "fast") for subtask in range(2)}


def spark_options(address: str, name: str, **changes: str) -> dict[str, str]:
    return options(address, sourceName=name, sourcesInGroup="2", **changes)


@pytest.mark.xdist_group("spark")
def test_spark_aligns_two_sources_in_one_query(queries: SparkQueries, address: str) -> None:
    first = queries.source(**spark_options(address, "slow", recordsPerMillisecond__0="1"))
    second = queries.source(**spark_options(address, "fast"))
    query = queries.run(first.union(second), "union")
    assert [query.numbers(subtask, source) for source, subtask in LASTS] == [list(range(6001))] * 4
    assert max(spreads(query.rows(), LASTS)) <= 3000
    assert max(each.numbers[-1] for each in query.rows() if each.batch == 1) < 3999
    assert len({query.offsets(source)[-1]["source"] for source in (0, 1)}) == 2


@pytest.mark.xdist_group("spark")
def test_spark_takes_two_sources_many_drifts_further_in_a_batch(queries: SparkQueries, address: str) -> None:
    far_behind = {
        "end": "599999",
        "clockStep": "1 second",
        "watermarkGroup": "far-behind",
        "maxAllowedWatermarkDrift": "30 seconds",
        "sourcesInQuery": "2",
        "coordinator": address,
        "maxRowsPerTrigger": "400000",
    }
    first, second = (queries.source(sourceName=name, **far_behind) for name in ("first", "second"))
    query = queries.run(first.union(second), "catching-up")
    assert [len(query.numbers(0, source)) for source in ("first", "second")] == [600_000] * 2
    assert len({rows.batch for rows in query.rows()}) <= 4
    assert max(spreads(query.rows(), {("first", 0): 599_999, ("second", 0): 599_999})) <= 30_000


@pytest.mark.skipif(not READ_LIMITS.exists, reason="Trigger.AvailableNow in several batches: PySpark 4.2")
@pytest.mark.xdist_group("spark")
def test_spark_aligns_two_sources_in_two_queries_by_the_service_of_the_application(
    queries: SparkQueries,
) -> None:
    address = ensure_coordination(queries.session)
    register(queries.session)
    named = {"slow": {"recordsPerMillisecond__0": "1"}, "fast": {}}
    try:
        running = []
        for name, changes in reversed(named.items()):
            given = spark_options("", name, **changes)
            del given["coordinator"]
            running.append(queries.start(queries.source(**given), f"{name}-of-the-application"))
        for query in running:
            query.wait()
            assert query.numbers(0) == query.numbers(1) == list(range(6001))
        assert [source.minimum for source in group_sources(address, "group-1")] == [MAX, MAX]
        progress = running[0].query.lastProgress
        assert progress is not None
        shown = json.loads(progress.sources[0].latestOffset)
        assert (shown["coordinator"], shown["sourcesInGroup"]) == ("answers", 2)
    finally:
        end_coordination(queries.session)
        register(queries.session)
    fast_offsets, slow_offsets = (query.offsets() for query in running)
    reported = {-1} | minima(fast_offsets) | minima(slow_offsets)
    for offset in fast_offsets:
        assert offset["bound"] is None or offset["bound"] - 3000 in reported  # None: before both had joined
    assert any(0 < offset["subtasks"][0]["next"] < 6001 for offset in fast_offsets)


def minima(offsets: list[dict[str, Any]]) -> set[int]:
    """Return the minima that a source could report, of the offsets that it logged."""
    return {
        min(subtask["watermark"] for subtask in offset["subtasks"] if not subtask["finished"])
        for offset in offsets
        if not all(subtask["finished"] for subtask in offset["subtasks"])
    }


@pytest.mark.xdist_group("spark")
def test_spark_fails_with_a_clear_message_when_the_service_is_gone(queries: SparkQueries) -> None:
    with coordination() as gone:
        query = queries.start(
            queries.source(
                **options(gone, recordsPerMillisecond__0="1", end="10000000", coordinatorTimeout="1 second")
            ),
            "gone",
        )
        while not query.rows() and query.query.isActive:
            query.query.awaitTermination(0.05)
    with pytest.raises(StreamingQueryException, match="nothing is read without it"):
        query.wait()
    assert spread_of(query.offsets()[-1]) <= 3000
