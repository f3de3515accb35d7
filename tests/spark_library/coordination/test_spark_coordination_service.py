"""The coordination service of tidegauge_spark without Spark: what it knows, what a source does when it is
gone, and how an application gets one. Watermarks are in ms.
"""

from __future__ import annotations

import json
import logging
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from tidegauge_spark import (
    CoordinationService,
    CoordinatorError,
    coordination,
    end_coordination,
    ensure_coordination,
    group_sources,
    leave_group,
)
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.group_coordination.client import (
    LONGEST_LINE,
    Address,
    CoordinatorGoneError,
    GroupReport,
    report,
)
from tidegauge_spark.group_coordination.groups import Groups
from tidegauge_spark.group_coordination.member import GroupMember
from tidegauge_spark.group_coordination.session import COORDINATOR_CONF


@pytest.fixture(name="address")
def _address() -> Iterator[str]:
    with coordination() as address:
        yield address


class Clock:
    """Seconds that pass only when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


# What the service knows


def test_align_8_the_last_report_of_a_source_counts_be_it_lower() -> None:
    groups = Groups()
    assert groups.report("g", "a", 10).minimum == 10
    assert groups.report("g", "b", 5).minimum == 5
    assert groups.report("g", "b", 20).minimum == 10
    assert groups.report("g", "b", 3).minimum == 3


def test_align_5_and_7_a_source_that_nobody_waits_for_is_in_the_group_all_the_same() -> None:
    groups = Groups()
    groups.report("g", "a", 10)
    found = groups.report("g", "b", MAX)
    assert (found.minimum, found.joined, found.slowest) == (10, 2, "a")
    found = groups.report("g", "a", MAX)
    assert (found.minimum, found.joined, found.slowest) == (MAX, 2, None)


def test_align_6_a_source_without_a_watermark_joins_and_is_not_waited_for() -> None:
    groups = Groups()
    found = groups.report("g", "a", MIN)
    assert (found.minimum, found.joined) == (MIN, 1)
    assert groups.report("g", "b", 7).minimum == 7
    assert groups.report("g", "a", MIN).minima == {"a": MIN, "b": 7}


def test_align_3_a_source_is_in_one_group_at_a_time() -> None:
    groups = Groups()
    groups.report("g", "a", 1)
    groups.report("g", "b", 2)
    assert groups.report("h", "a", 3).minima == {"a": 3}
    assert groups.report("g", "b", 2).minima == {"b": 2}


def test_a_source_leaves_the_group_it_is_in() -> None:
    groups = Groups()
    groups.report("g", "a", 1)
    groups.leave("h", "a")
    groups.leave("g", "unknown")
    assert groups.report("g", "b", 2).minimum == 1
    groups.leave("g", "a")
    assert groups.report("g", "b", 2).minima == {"b": 2}


def test_the_age_is_that_of_the_sources_own_report() -> None:
    clock = Clock()
    groups = Groups(clock)
    groups.report("g", "a", 1, GroupReport("another service", {"b": 5}))
    clock.now += 2.5
    assert groups.sources("g") == [("b", 5, None), ("a", 1, 2500)]


# A service that is started anew


def test_align_11_a_new_service_hears_of_those_who_have_not_reported_to_it() -> None:
    before, after = Groups(), Groups()
    before.report("g", "slow", 5)
    known = before.report("g", "fast", 900)
    found = after.report("g", "fast", 900, known)
    assert (found.minimum, found.slowest, found.service) == (5, "slow", after.service)
    assert before.service != after.service


def test_what_a_source_says_itself_counts_more_than_what_is_told_of_it() -> None:
    after = Groups()
    after.report("g", "slow", 50)
    assert after.report("g", "fast", 900, GroupReport("gone", {"slow": 5, "fast": 1})).minimum == 50


def test_of_two_tales_the_lower_one_is_safe() -> None:
    for tales in ((5, 8), (8, 5)):
        after = Groups()
        after.report("g", "a", 900, GroupReport("gone", {"slow": tales[0]}))
        assert after.report("g", "b", 900, GroupReport("gone", {"slow": tales[1]})).minimum == 5


def test_who_has_left_does_not_come_back_by_hearsay() -> None:
    groups = Groups()
    groups.report("g", "gone", 1)
    known = groups.report("g", "here", 9)
    groups.leave("g", "gone")
    assert groups.report("g", "here", 9, known).minima == {"here": 9}


def test_align_11_over_the_wire_the_group_outlives_its_service() -> None:
    with coordination() as address:
        where = Address.parse(address)
        slow, fast = (GroupMember(where, "g", name) for name in ("slow", "fast"))
        slow.report(5)
        fast.report(900)
    with coordination(address) as again:
        assert again == address
        answer = fast.report(900)
        assert answer is not None
        assert (answer.minimum, answer.joined) == (5, 2)
        assert group_sources(address, "g")[0] == ("slow", 5, None)
        slow.report(6)
        answer = fast.report(900)
        assert answer is not None
        assert answer.minimum == 6


def test_align_11_a_source_that_is_restarted_waits_for_those_it_knew() -> None:
    stored = json.loads(json.dumps(GroupReport("gone", {"slow": 5, "fast": 900}).to_json()))
    with coordination() as address:
        fast = GroupMember(Address.parse(address), "g", "fast", known=GroupReport.from_json(stored))
        answer = fast.report(900)
        assert answer is not None
        assert (answer.minimum, answer.slowest) == (5, "slow")
        leave_group(address, "g", "slow")  # its query will not be started again
        answer = fast.report(900)
        assert answer is not None
        assert answer.minimum == 900


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        {"service": "s"},
        {"service": 1, "minima": {}},
        {"service": "s", "minima": []},
        *({"service": "s", "minima": {"a": value}} for value in ("1", None, True, 1.0, 2**63)),
    ],
)
def test_something_else_is_not_taken_for_knowledge(stored: Any) -> None:
    with pytest.raises(ValueError, match="this is not the answer of a coordination service"):
        GroupReport.from_json(stored)


# Who is waited for and does not report


def test_it_is_said_once_for_whom_a_group_waits_in_vain(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr("tidegauge_spark.group_coordination.service.Groups", lambda: Groups(clock))
    with coordination() as address:
        slow, fast = (GroupMember(Address.parse(address), "g", name) for name in ("a", "b"))
        slow.report(5)
        fast.report(900)
        clock.now += 5.999
        fast.report(900)
        assert caplog.messages == []
        clock.now += 0.001
        fast.report(900)
        fast.report(900)
        assert len(caplog.messages) == 1
        assert "source b waits for source a of group 'g', which has been silent for 6000 ms" in caplog.text
        slow.report(6)
        fast.report(900)
        clock.now += 6
        fast.report(900)
        assert len(caplog.messages) == 2
        slow.report(901)
        clock.now += 6
        fast.report(900)  # it is the slowest itself
        assert len(caplog.messages) == 2
        clock.now += 60
        for _ in range(2):
            fast.report(902)
        assert len(caplog.messages) == 3
        assert "source b no longer waits for source a of group 'g'" in caplog.text


# A service that is gone


def test_without_its_service_a_source_stands_still_and_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Clock()
    with coordination() as address:
        member = GroupMember(Address.parse(address), "g", "orders", patience=60_000, clock=clock)
        assert member.status() == {
            "coordinator": "answers",
            "goneFor": 0,
            "sourcesInGroup": None,
            "groupMinimum": None,
            "waitsFor": None,
        }
        member.report(7)
    with caplog.at_level(logging.INFO, "tidegauge_spark"):
        assert member.report(8) is None
        clock.now += 59
        assert member.report(8) is None
        assert member.status() == {
            "coordinator": "gone",
            "goneFor": 59_000,
            "sourcesInGroup": 1,
            "groupMinimum": 7,
            "waitsFor": "orders",
        }
        assert member.known is not None
        assert member.known.minima == {"orders": 7}
        with coordination(address):
            answer = member.report(8)
            assert answer is not None
            assert answer.minimum == 8
            assert member.status()["coordinator"] == "answers"
            assert member.gone_for == 0
            member.report(9)
    gone, back = caplog.messages
    assert "source orders reads nothing more and fails after 60000 ms" in gone
    assert "does not answer" in gone
    assert "source orders continues" in back
    assert "after 59000 ms" in back


def test_when_its_patience_is_over_a_source_fails(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    with coordination() as address:
        pass
    member = GroupMember(Address.parse(address), "g", "orders", patience=1000, clock=clock)
    assert member.report(8) is None
    clock.now += 0.999
    assert member.report(8) is None
    clock.now += 0.001
    for _ in range(2):
        with pytest.raises(CoordinatorGoneError, match="source orders has waited for it for 1000 ms"):
            member.report(8)
    assert len(caplog.messages) == 1


def test_each_absence_has_the_whole_patience() -> None:
    clock = Clock()
    with coordination() as address:
        member = GroupMember(Address.parse(address), "g", "orders", patience=1000, clock=clock)
    assert member.report(1) is None
    clock.now += 0.9
    with coordination(address):
        assert member.report(1) is not None
    clock.now += 0.9
    assert member.report(1) is None


def test_without_patience_it_fails_at_once() -> None:
    with coordination() as address:
        pass
    with pytest.raises(CoordinatorGoneError, match="keep the process that runs it"):
        GroupMember(Address.parse(address), "g", "orders", patience=0).report(8)


def test_a_refusal_is_not_waited_for(address: str) -> None:
    member = GroupMember(Address.parse(address + "x"), "g", "orders")
    with pytest.raises(CoordinatorError, match="the token in the address is not the one") as refused:
        member.report(8)
    assert not isinstance(refused.value, CoordinatorGoneError)


@pytest.mark.parametrize(
    ("line", "gone"),
    [
        (b"", True),
        (b"HTTP/1.1 400 Bad Request\n", False),
        (b"[]\n", False),
        (b'{"unknown": 1}\n', False),
        (b'{"service": "s", "minima": {"a": "1"}}\n', False),
    ],
)
def test_what_closes_the_connection_is_gone_and_what_talks_otherwise_is_another_service(
    line: bytes, gone: bool
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer_once, args=(server, line))
        thread.start()
        where = Address("127.0.0.1", server.getsockname()[1], "token")
        with pytest.raises(CoordinatorError) as caught:
            report(where, "g", "s", 1)
        thread.join()
    assert isinstance(caught.value, CoordinatorGoneError) == gone
    assert "service at 127.0.0.1:" in str(caught.value)


def answer_once(server: socket.socket, line: bytes) -> None:
    connection, _ = server.accept()
    with connection:
        connection.recv(65_536)
        connection.sendall(line)


def test_a_member_goes_with_its_reader_to_the_executors(address: str) -> None:
    member = GroupMember(Address.parse(address), "g", "orders")
    member.report(7)
    copy: GroupMember = pickle.loads(pickle.dumps(member))
    assert copy.known == member.known


def test_two_services_cannot_have_the_same_address(address: str) -> None:
    with pytest.raises(CoordinatorError, match="no coordination service can listen at 127.0.0.1:"):
        CoordinationService(address)


def test_two_hundred_sources_may_report_at_the_same_moment(address: str) -> None:
    where, together = Address.parse(address), threading.Barrier(200)

    def reported(number: int) -> int:
        together.wait()
        return report(where, "g", f"source-{number}", number).joined

    with ThreadPoolExecutor(200) as sources:
        joined = list(sources.map(reported, range(200)))
    assert max(joined) == 200
    assert [len(group_sources(address, "g")), min(joined) >= 1] == [200, True]


STRANGERS = """
import resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (2048, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
host, port, count, said = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4].encode()
connections = []
for _ in range(count):
    connections.append(socket.create_connection((host, port), timeout=60))
    if said:
        connections[-1].sendall(said)
print("connected", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("said", ["", '{"token": "not whole'])
def test_a_thousand_strangers_do_not_hold_out_a_source(address: str, said: str) -> None:
    where = Address.parse(address)
    before = threading.active_count()
    started = [sys.executable, "-c", STRANGERS, where.host, str(where.port), "1000", said]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as strangers:
        assert strangers.stdout is not None
        assert strangers.stdout.readline() == "connected\n"
        assert report(where, "g", "s", 7).joined == 1
        assert threading.active_count() == before
        assert report(where, "g", "other", 7).joined == 2
        strangers.communicate()
    assert report(where, "g", "s", 8).joined == 2


def test_a_request_that_is_too_long_is_not_read_to_its_end(address: str) -> None:
    where = Address.parse(address)
    stranger = socket.create_connection((where.host, where.port), timeout=60)
    with stranger, suppress(ConnectionError):  # the service may close it while it sends
        stranger.sendall(b'"' + b"x" * 4 * LONGEST_LINE + b'"\n')
        assert stranger.recv(1) in (b"", b"{")
    assert report(where, "g", "s", 7).joined == 1


def test_a_service_is_closed_with_its_thread() -> None:
    service = CoordinationService()
    name = "tidegauge-coordination"
    assert [thread.name for thread in threading.enumerate()].count(name) == 1
    service.close()
    assert name not in [thread.name for thread in threading.enumerate()]


# An application


class Settings(dict[str, str]):
    """The settings of a session."""

    set = dict.__setitem__
    unset = dict.__delitem__


class Session:
    """What `ensure_coordination` needs of a Spark session."""

    def __init__(self, application: str = "application-1") -> None:
        self.conf = Settings()
        self.sparkContext = SimpleNamespace(applicationId=application)


@pytest.fixture(name="session")
def _session() -> Iterator[Any]:
    session = Session()
    yield session
    end_coordination(session)  # type: ignore[arg-type]


def test_an_application_has_one_service_which_its_sessions_share(session: Any) -> None:
    address = ensure_coordination(session)
    assert session.conf == {COORDINATOR_CONF: address}
    assert ensure_coordination(session) == address
    other: Any = Session()
    assert ensure_coordination(other) == address
    report(Address.parse(address), "g", "s", 7)
    assert group_sources(address, "g")[0].minimum == 7


def test_the_token_is_in_a_setting_that_spark_hides() -> None:
    assert "token" in COORDINATOR_CONF  # spark.redaction.regex is (?i)secret|password|token|access[.]?key


def test_a_service_that_runs_elsewhere_takes_its_place(session: Any, address: str) -> None:
    session.conf.set(COORDINATOR_CONF, address)
    assert ensure_coordination(session) == address
    end_coordination(session)
    assert session.conf == {COORDINATOR_CONF: address}
    assert group_sources(address, "g") == []


def test_a_setting_that_is_no_address_is_refused(session: Any) -> None:
    session.conf.set(COORDINATOR_CONF, "here")
    with pytest.raises(ValueError, match=f"{COORDINATOR_CONF}: not an address .*'here'; set it to"):
        ensure_coordination(session)


def test_after_its_end_another_one_is_started(session: Any) -> None:
    address = ensure_coordination(session)
    other: Any = Session()
    ensure_coordination(other)
    end_coordination(session)
    assert session.conf == {}
    with pytest.raises(CoordinatorGoneError):
        group_sources(address, "g")
    again = ensure_coordination(other)  # its setting is that of the one that was ended
    assert again != address
    assert group_sources(again, "g") == []


def test_another_application_has_another_one(session: Any) -> None:
    address = ensure_coordination(session)
    other: Any = Session("application-2")
    assert ensure_coordination(other) != address


def test_a_connect_client_is_told_what_to_do(session: Any) -> None:
    del session.sparkContext
    with pytest.raises(CoordinatorError, match="a Spark Connect client is not the driver"):
        ensure_coordination(session)
