"""Sources of a group that are far behind the clock: a batch takes them many drifts further, together.

The readers are driven as Spark drives those of one query: in each trigger one after the other. Times are ms.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from conftest import others_slower
from spark_programs.driven_query import DrivenQuery

from tidegauge_spark import coordination
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.group_coordination.groups import Groups

DRIFT = 30_000
BACKLOG = 600_000


@pytest.fixture(name="address")
def _address() -> Iterator[str]:
    with coordination() as address:
        yield address


def source(address: str, **options: str) -> DrivenQuery:
    """Return a source with ten minutes of records to read, one a millisecond."""
    group = {"watermarkGroup": "g", "maxAllowedWatermarkDrift": "30 seconds", "sourcesInQuery": "2"}
    given = {"end": str(BACKLOG - 1), "clockStep": "1 second", "coordinator": address, **group}
    return DrivenQuery(available_now=False, **{**given, **options})


def trigger(*sources: DrivenQuery) -> list[int]:
    """Run a micro-batch of a query over these sources; return how far each is, finished ones left out."""
    ends = [each.latest() for each in sources]
    for each, end in zip(sources, ends, strict=True):
        each.take(end)
    for each in sources:
        each.reader.partitions(each.before, each.offset)
    return [min(each.unfinished) for each in sources if each.unfinished]


def test_ten_minutes_of_backlog_are_read_in_four_batches(address: str) -> None:
    orders, payments = source(address), source(address, numSubtasks="3", split="repeat")
    batches = 0
    while trigger(orders, payments):
        batches += 1
        assert batches < 5
    assert orders.offset["subtasks"][0]["next"] == BACKLOG
    assert batches <= 4


@pytest.mark.parametrize("seed", others_slower(range(10), (0, 5)))
def test_at_the_end_of_each_batch_the_sources_stand_within_one_drift(address: str, seed: int) -> None:
    chosen = random.Random(seed)
    limits = [str(chosen.choice([20_000, 50_000, 200_000, 1_000_000])) for _ in range(3)]
    sources = [
        source(address, split="repeat", numSubtasks=str(chosen.randint(1, 3)), maxRowsPerTrigger=limit)
        for limit in limits
    ]
    for each in sources:
        each.options["sourcesInQuery"] = "3"
        each.restart()
    restarts = chosen.sample(range(20), 3)
    for number in range(200):
        standing = trigger(*sources)
        assert len(standing) < 2 or max(standing) - min(standing) <= DRIFT
        if number in restarts:
            for each in sources:
                each.restart()
        if not standing:
            break
    assert [each.offset["subtasks"][0]["finished"] for each in sources] == [True] * 3


@pytest.mark.parametrize("seed", others_slower(range(10), (0, 5)))
def test_nobody_counts_on_a_batch_that_another_query_has_not_read_yet(address: str, seed: int) -> None:
    chosen = random.Random(seed)
    limits = [str(chosen.choice([20_000, 50_000, 1_000_000])) for _ in range(2)]
    queries = [
        source(address, sourcesInQuery="1", sourcesInGroup="2", maxRowsPerTrigger=limit) for limit in limits
    ]
    planned, came_out = [False, False], [-1, -1]
    while min(came_out) < BACKLOG - 1:
        index = chosen.randrange(2)
        query = queries[index]
        if planned[index]:
            query.reader.partitions(query.before, query.offset)
            came_out[index] = query.offset["subtasks"][0]["next"] - 1
            assert BACKLOG - 1 in came_out or max(came_out) - min(came_out) <= DRIFT
        planned[index] = not planned[index] and query.plan()


def test_the_service_says_how_far_all_will_be_once_each_has_said_it() -> None:
    groups = Groups()
    groups.report("g", "a", 0)
    groups.report("g", "b", 0)
    groups.promise("g", "a", 100)
    assert groups.report("g", "a", 0).reach is None
    groups.promise("g", "b", 70)
    assert groups.report("g", "a", 0).reach == 70
    groups.promise("another", "b", 200)
    assert groups.report("g", "a", 0).reach == 70
    assert groups.report("g", "b", MAX).reach == 100  # nobody waits for it any more
    assert groups.report("g", "b", 50).reach is None  # and now again
    groups.promise("g", "b", 60)
    groups.report("g", "c", 0)
    assert groups.report("g", "a", 0).reach is None
    groups.leave("g", "c")
    assert groups.report("g", "a", 0).reach == 60
    assert groups.report("g", "a", -1).reach is None  # it was put back
