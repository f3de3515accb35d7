"""Runs of the sources of a group: those of an earlier run do not count, and nobody waits forever for a query that
is down. Watermarks and durations are in ms, the clock of the service in seconds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import others_slower
from spark_programs.driven_files import DrivenFiles, write_parquet
from spark_programs.driven_group import ServiceClock, clocked_coordination, end, trigger
from spark_programs.driven_query import DrivenQuery, WallClock

from tidegauge_spark import IllegalOptionError, group_sources
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.group_coordination import groups as groups_module
from tidegauge_spark.group_coordination.client import Address, GroupReport
from tidegauge_spark.group_coordination.groups import Groups
from tidegauge_spark.group_coordination.heartbeat import Heartbeat
from tidegauge_spark.group_coordination.member import GroupMember
from tidegauge_spark.group_coordination.presence import Presence, SourceRun
from tidegauge_spark.source.options.source import parse_options

OLD = 10_000_000
"""The age of a source that was started for the first time long before the service (ms)."""


def run(token: str, age: int = 0, source_age: int = 0, timeout: int = 60_000) -> Presence:
    """Return the presence of a source in a run that began `age` ms ago."""
    return Presence(token, age, max(age, source_age), timeout)


@pytest.fixture(name="clock")
def _clock() -> ServiceClock:
    return ServiceClock()


@pytest.fixture(name="groups")
def _groups(clock: ServiceClock) -> Groups:
    return Groups(clock)


@pytest.fixture(name="address")
def _address(clock: ServiceClock) -> Iterator[str]:
    with clocked_coordination(Groups(clock)) as address:
        yield address


# Which sources count as joined


def test_a_source_of_an_earlier_run_does_not_count_for_one_that_is_started_later(
    groups: Groups, clock: ServiceClock
) -> None:
    for source in ("a", "b"):
        groups.report("g", source, MAX, presence=run(source))
    clock.now += 1
    first = groups.report("g", "c", 5, presence=run("c"))
    assert (first.minima, first.former) == ({"c": 5}, 2)
    assert not first.is_complete(2, 2)
    second = groups.report("g", "d", 7, presence=run("d"))
    assert second.minima == {"c": 5, "d": 7}
    assert second.is_complete(2, 2)


def test_a_source_that_has_ended_counts_for_those_it_has_met_also_after_their_restart(
    groups: Groups, clock: ServiceClock
) -> None:
    groups.report("g", "a", MAX, presence=run("a"))
    for number in range(2):
        answer = groups.report("g", "b", 5, presence=run(f"b{number}"))
        assert answer.minima == {"a": MAX, "b": 5}
        assert answer.is_complete(2, 1)
        clock.now += 3600


def test_a_source_that_is_older_than_the_service_has_met_the_others(
    groups: Groups, clock: ServiceClock
) -> None:
    """Both were there before the service was; one has nothing more to read and ends at once."""
    groups.report("g", "a", MAX, presence=run("a", source_age=OLD))
    clock.now += 1
    assert groups.report("g", "b", 5, presence=run("b", source_age=OLD)).is_complete(2, 1)


def test_a_source_that_reports_again_counts_for_all(groups: Groups, clock: ServiceClock) -> None:
    groups.report("g", "a", MAX, presence=run("a"))
    clock.now += 1
    assert not groups.report("g", "b", 5, presence=run("b")).is_complete(2, 1)
    groups.report("g", "a", MAX, presence=run("a"))
    assert groups.report("g", "b", 5, presence=run("b")).is_complete(2, 1)


def test_the_end_of_an_earlier_run_is_no_report_of_the_present_one(
    groups: Groups, clock: ServiceClock
) -> None:
    """Under AvailableNow a source has come to the end of its run, not of its input."""
    for source in ("a", "b"):
        groups.report("g", source, MAX, presence=run(f"{source}1"))
    clock.now += 3600
    first = groups.report("g", "a", 5, presence=run("a2", source_age=OLD))
    assert first.minima == {"a": 5, "b": MAX}
    assert not first.is_complete(2, sources_in_query=2)
    assert first.is_complete(2, sources_in_query=1)  # another query may have come and gone
    assert groups.report("g", "b", 7, presence=run("b2", source_age=OLD)).is_complete(2, 2)


def test_a_minimum_of_an_earlier_run_holds_in_the_present_one(groups: Groups, clock: ServiceClock) -> None:
    """ALIGN-11: its query continues from its checkpoint."""
    for source, minimum in {"a": 5, "b": 7}.items():
        groups.report("g", source, minimum, presence=run(f"{source}1"))
    clock.now += 30
    answer = groups.report("g", "b", 7, presence=run("b2", source_age=OLD))
    assert (answer.minimum, answer.is_complete(2, 2)) == (5, True)


def test_a_source_that_came_and_went_counts_once_another_one_has_waited_for_it(
    groups: Groups, clock: ServiceClock
) -> None:
    groups.report("g", "a", MAX, presence=run("a"))
    clock.now += 1
    for waited, complete in ((0, False), (59, False), (1, True)):
        clock.now += waited
        assert groups.report("g", "b", 5, presence=run("b")).is_complete(2, 1) == complete
    assert not groups.report("g", "b", 5, presence=run("b")).is_complete(3, 1)  # a third was never there


def test_a_promise_of_an_earlier_run_is_not_kept(groups: Groups) -> None:
    for source in ("a", "b"):
        groups.report("g", source, 5, presence=run(f"{source}1"))
        groups.promise("g", source, 100)
    assert groups.report("g", "a", 5, presence=run("a1")).reach == 100
    assert groups.report("g", "a", 5, presence=run("a2")).reach is None


def test_few_sources_of_earlier_runs_are_remembered(groups: Groups, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups_module, "MOST_FORMER", 3)
    groups.report("g", "slow", 5)
    for number in range(10):
        groups.report("g", f"run-{number}", MAX, presence=run(f"{number}"))
    assert [source for source, *_ in groups.sources("g")] == ["slow", "run-7", "run-8", "run-9"]


# For whom the others wait, and for how long


def test_a_source_whose_query_is_down_is_waited_for_until_its_own_time_is_over(
    groups: Groups, clock: ServiceClock
) -> None:
    groups.report("g", "a", 5, presence=run("a", timeout=30_000))
    groups.report("g", "b", 900, presence=run("b"))
    clock.now += 29.999
    assert groups.report("g", "b", 900, presence=run("b")).minimum == 5
    clock.now += 0.001
    answer = groups.report("g", "b", 900, presence=run("b"))
    assert (answer.minimum, answer.left) == (900, ("a",))
    assert answer.is_complete(2, 1)
    assert groups.sources("g")[0] == ("a", MAX, 30_000)
    back = groups.report("g", "a", 6, presence=run("a2", source_age=OLD))
    assert (back.minimum, back.left) == (6, ())
    assert groups.report("g", "b", 950, presence=run("b")).minimum == 6


def test_a_source_without_a_watermark_is_not_counted_forever(groups: Groups, clock: ServiceClock) -> None:
    groups.report("g", "a", MIN, presence=run("a"))
    clock.now += 60
    assert groups.report("g", "b", 5, presence=run("b")).former == 1


def test_a_batch_may_take_hours_while_the_source_says_that_its_query_runs(
    groups: Groups, clock: ServiceClock
) -> None:
    groups.report("g", "a", 5, presence=run("a"))
    for _ in range(100):
        clock.now += 59
        groups.renew("g", "a", "a")
        assert groups.report("g", "b", 900, presence=run("b")).minimum == 5
    clock.now += 30
    groups.renew("g", "a", "another run")  # of a process that has not noticed its end yet
    groups.renew("h", "a", "a")
    groups.renew("g", "unknown", "a")
    clock.now += 30
    assert groups.report("g", "b", 900, presence=run("b")).minimum == 900


def test_a_source_that_was_only_silent_is_back_before_its_next_report(
    groups: Groups, clock: ServiceClock
) -> None:
    groups.report("g", "a", 5, presence=run("a"))
    clock.now += 60
    assert groups.report("g", "b", 900, presence=run("b")).minimum == 900
    groups.renew("g", "a", "a")
    assert groups.report("g", "b", 901, presence=run("b")).minimum == 5


def test_a_source_that_only_others_told_of_is_not_waited_for_forever(
    groups: Groups, clock: ServiceClock
) -> None:
    known = GroupReport("another service", {"a": 5, "b": 900})
    assert groups.report("g", "b", 900, known, run("b")).minimum == 5
    clock.now += 60
    assert groups.report("g", "b", 900, presence=run("b")).minimum == 900


def test_a_presence_passes_through_json() -> None:
    assert Presence.from_json(run("a").to_json()) == run("a")
    for damaged in (
        None,
        [],
        ["a", 1, 2],
        [1, 1, 1, 1],
        ["a", -1, 0, 0],
        ["a", "1", 0, 0],
        ["a", True, 0, 0],
    ):
        with pytest.raises(ValueError, match="this is not the presence of a source"):
            Presence.from_json(damaged)


def test_the_ages_of_a_run_grow_until_the_service_answers() -> None:
    begun = SourceRun.of(100.0, run_age=500, source_age=200, restart_timeout=10_000)
    assert begun.presence(103.0)[1:] == (3500, 3500, 10_000)  # a source is no younger than its run
    assert SourceRun.of(100.0, 0, OLD, 10_000).presence(100.0).source_age == OLD
    assert SourceRun.of(100.0, -5, -9, 10_000).presence(100.0)[1:] == (0, 0, 10_000)  # the clock was put back


def test_the_heartbeat_goes_on_while_there_is_its_member_and_no_longer(address: str) -> None:
    member = GroupMember(Address.parse(address), "g", "a", run=SourceRun("a", 0.0, 0.0, 10_000))
    member.report(5)
    beats: list[str] = []
    renew = GroupMember.renew

    class Counted(GroupMember):
        def renew(self) -> None:
            renew(self)
            beats.append(self._source)

    counted = Counted(Address.parse(address), "g", "a", run=SourceRun("a", 0.0, 0.0, 10_000))
    heartbeat = Heartbeat(counted, interval=0.001)
    while len(beats) < 3:
        heartbeat.thread.join(0.001)
    del counted
    heartbeat.thread.join()
    ended = Heartbeat(member, interval=3600)
    ended.stop()
    ended.thread.join()


def test_the_time_to_wait_is_an_option(address: str) -> None:
    group = {"watermarkGroup": "g", "maxAllowedWatermarkDrift": "1 second", "coordinator": address}
    for given, expected in ({}, 60_000), ({"restartTimeout": "5 minutes"}, 300_000):
        alignment = parse_options({**group, **given}).alignment
        assert alignment is not None
        assert alignment.restart_timeout == expected
    with pytest.raises(
        IllegalOptionError, match=r"option restartTimeout = '9 seconds': write a duration from 10000 to"
    ):
        parse_options({**group, "restartTimeout": "9 seconds"})
    with pytest.raises(
        IllegalOptionError, match=r"option restartTimeout = '1 minute': set watermarkGroup as well"
    ):
        parse_options({"restartTimeout": "1 minute"})


# Sources as Spark drives them


def source(address: str, **changes: str) -> DrivenQuery:
    """Return a source with ten minutes of records to read, one a millisecond; two sources are in its query."""
    group = {"watermarkGroup": "g", "maxAllowedWatermarkDrift": "30 seconds", "sourcesInQuery": "2"}
    given = {"end": "599999", "clockStep": "1 second", "coordinator": address, **group, **changes}
    return DrivenQuery(**given)


def batches_until_the_end(sources: list[DrivenQuery]) -> int:
    """Run a query to its end; return how many batches have records."""
    while trigger(sources):
        assert len(sources[0].log) < 100
    return len({batch for each in sources for batch, rows in each.batches.items() if rows})


def test_a_second_run_with_new_checkpoints_has_no_more_batches_than_the_first(
    address: str, clock: ServiceClock
) -> None:
    counted = []
    for _ in range(3):
        shorter = {"end": "59999", "maxAllowedWatermarkDrift": "3 seconds"}
        sources = [source(address, **shorter), source(address, **shorter)]
        counted.append(batches_until_the_end(sources))
        end(sources)
        clock.now += 1
    assert counted[0] <= 4
    assert counted == [counted[0]] * 3


def test_in_a_later_run_of_a_query_nothing_is_read_before_all_its_sources_are_there(
    address: str, clock: ServiceClock, tmp_path: Path
) -> None:
    """A source that has read all of an earlier run seems to hold back nobody, until it reports again."""
    wall = WallClock()

    def files(name: str) -> DrivenFiles:
        group = {"watermarkGroup": "g", "maxAllowedWatermarkDrift": "10 seconds", "sourcesInQuery": "2"}
        return DrivenFiles(tmp_path / name, wall, coordinator=address, **group)

    for name in ("left", "right"):
        write_parquet(tmp_path / name, "p", "0", range(0, 60_000, 1000))
    sources: list[DrivenQuery] = [files("left"), files("right")]
    batches_until_the_end(sources)
    clock.now += 3600
    wall.now += 3_600_000
    write_parquet(tmp_path / "left", "p", "1", range(600_000, 660_000, 1000))
    write_parquet(tmp_path / "right", "p", "1", range(60_000, 660_000, 1000))
    for each in sources:
        each.restart()
    left, right = sources
    before = left.offset["splits"]
    assert left.latest()["splits"] == before  # the other one has not reported yet
    batches_until_the_end(sources)
    assert [len(each.times("p")) for each in sources if isinstance(each, DrivenFiles)] == [120, 660]
    assert right.offset["splits"]["p"][8] == 660


def test_a_source_of_another_query_that_came_and_went_is_not_waited_for_forever(
    address: str, clock: ServiceClock, tmp_path: Path
) -> None:
    """An AvailableNow query over an empty folder ends before the other one begins."""
    alone = {"sourcesInQuery": "1", "sourcesInGroup": "2"}
    (tmp_path / "empty").mkdir()
    group = {"watermarkGroup": "g", "maxAllowedWatermarkDrift": "30 seconds", "coordinator": address}
    empty = DrivenFiles(tmp_path / "empty", **group, **alone)
    assert not empty.batch()
    end([empty])
    clock.now += 1
    late = source(address, end="9999", **alone)
    for _ in range(10):
        assert late.batch()
    assert late.records() == []
    clock.now += 60
    late.run()
    assert late.numbers(0) == list(range(10_000))


def test_a_failed_source_leaves_and_comes_back_from_its_checkpoint(address: str, clock: ServiceClock) -> None:
    changes = {"sourcesInQuery": "1", "sourcesInGroup": "2", "end": "199999", "maxRowsPerTrigger": "20000"}
    failing, other = source(address, **changes), source(address, **changes)
    for _ in range(3):
        failing.batch()
        other.batch()
    end([failing])
    for _ in range(5):
        other.batch()
    held = other.offset["subtasks"][0]["next"]
    stood = failing.offset["subtasks"][0]["next"]
    assert 0 < stood <= held <= stood + 30_001
    clock.now += 60
    for _ in range(3):
        other.batch()
    ahead = other.offset["subtasks"][0]["next"]
    assert ahead > held + 30_000
    failing.restart()
    failing.batch()
    offsets = []
    while failing.batch():
        other.batch()
        offsets.append(other.offset["subtasks"][0]["next"])
        if failing.offset["subtasks"][0]["next"] < ahead - 30_000:
            assert offsets[-1] == ahead  # it stands where it is, and waits
    assert offsets == sorted(offsets)
    other.run()
    assert failing.numbers(0) == other.numbers(0) == list(range(200_000))


class RestartedQueries:
    """Two queries over two sources each, one of them finished, that are restarted at random."""

    def __init__(self, address: str, clock: ServiceClock, seed: int) -> None:
        self.draw = random.Random(seed)
        self.clock = clock
        group = {"sourcesInGroup": "4", "maxRowsPerTrigger": "500", "maxAllowedWatermarkDrift": "2 seconds"}
        ends = [["99", "40000"], ["40000", "40000"]]
        self.queries = [[source(address, **group, end=last) for last in lasts] for lasts in ends]
        self.down = [False, False]

    def step(self) -> None:
        """Trigger a query that runs, or let one fail, or start one that has failed."""
        self.clock.now += self.draw.choice([0.0, 0.1, 5.0])
        index = self.draw.randrange(2)
        sources = self.queries[index]
        if self.down[index]:
            for each in sources:
                each.restart()
            self.down[index] = False
        elif self.draw.random() < 0.1:
            if self.draw.random() < 0.5:  # it has planned a batch and not read it
                for each in sources:
                    each.plan()
            end(sources)
            self.down[index] = True
        else:
            trigger(sources)
            if self.draw.random() < 0.02:
                self.clock.now += 61  # all that is not running now leaves

    @property
    def planned(self) -> int:
        return sum(each.offset["subtasks"][0]["next"] for sources in self.queries for each in sources)

    @property
    def restarts(self) -> int:
        return sum(self.down)


@pytest.mark.parametrize("seed", others_slower(range(10), (0, 1)))
def test_two_queries_that_are_restarted_at_random_do_not_stall(
    address: str, clock: ServiceClock, seed: int
) -> None:
    queries = RestartedQueries(address, clock, seed)
    restarts, in_vain, all_of_it = 0, 0, 100 + 3 * 40_001
    while queries.planned < all_of_it:
        before = queries.planned
        down = list(queries.down)
        queries.step()
        restarts += sum(was and not now for was, now in zip(down, queries.down, strict=True))
        in_vain = in_vain + 1 if queries.planned == before else 0
        assert in_vain < 200, (group_sources(address, "g"), restarts)
    for each in (each for sources in queries.queries for each in sources):
        if each.committed < len(each.log):
            each.restart()
        assert each.numbers(0) == list(range(int(each.options["end"]) + 1))
    assert restarts > 10
