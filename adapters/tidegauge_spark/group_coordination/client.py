"""The client of the coordination service: a source reports its minimum and receives the group's.

A request and its answer are one line of JSON each, on a separate connection. Watermarks are in ms.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tidegauge_spark.decisions.sources.coordinator import minimum_of
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.group_coordination.presence import Presence

TIMEOUT: Final = 10.0
"""How long a source waits for an answer (seconds). The service answers from memory, in less than 1 ms."""

LONGEST_LINE: Final = 1 << 20


class CoordinatorError(RuntimeError):
    """The coordination service did not answer, or refused. The source must stop reading, because it has no
    bound."""


class CoordinatorGoneError(CoordinatorError):
    """The coordination service does not answer at its address; it may come back."""


class GroupReport(NamedTuple):
    """The answer of the service about a group to one of its sources.

    service: the identity of the service; a restarted service has another one, even at the same address.
    minima: the last report of each source that counts as joined (ms), by identity; `MIN`: it has no watermark
    yet, `MAX`: the others do not wait for it. silent: the time since the last sign of life of the slowest
    source (ms). reach: the smallest watermark of all of them after the batch that they plan now (ms), None:
    not all have reported it. present: the number of them whose last report holds for the source's present
    run. former: the number of further known sources that belong to earlier runs. overdue: whether the source
    has waited for its restart timeout in this run. left: the sources among the minima whose queries have been
    down for too long.
    """

    service: str
    minima: Mapping[str, int]
    silent: int = 0
    reach: int | None = None
    present: int = 0
    former: int = 0
    overdue: bool = False
    left: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the input of `from_json`: the part that remains valid later."""
        return {"service": self.service, "minima": dict(self.minima)}

    @classmethod
    def from_json(cls, stored: Any) -> GroupReport:
        """Return the report that `to_json` has written. Raises `ValueError` for anything else."""
        if isinstance(stored, dict):
            service, minima = stored.get("service"), stored.get("minima")
            if (
                isinstance(service, str)
                and isinstance(minima, dict)
                and all(map(is_watermark, minima.values()))
            ):
                return cls(service, minima)
        raise ValueError(f"this is not the answer of a coordination service about a group: {stored!r}")

    def answer(self) -> dict[str, Any]:
        """Return the input of `from_answer`: the complete answer of the service, as JSON."""
        return {**self._asdict(), "minima": dict(self.minima), "left": list(self.left)}

    @classmethod
    def from_answer(cls, answer: Mapping[str, Any]) -> GroupReport:
        """Return the report that `answer` has written. Raises `ValueError` for anything else."""
        now = {name: answer[name] for name in _OF_THE_MOMENT if name in answer}
        return cls.from_json(answer)._replace(**now, left=tuple(answer.get("left", ())))

    def is_complete(self, sources_in_group: int, sources_in_query: int) -> bool:
        """Return whether the required sources have joined, so that reading may begin.

        Sources of earlier runs do not count. Only a source that has waited for its restart timeout continues
        without the missing sources, if former sources make up the number: the query of a source that had
        nothing new may have ended before this one began.
        """
        joined = self.joined
        if joined >= sources_in_group and self.present >= sources_in_query:
            return True
        return self.overdue and joined + self.former >= sources_in_group

    @property
    def minimum(self) -> int:
        """The smallest watermark of the group (ms): see `source_coordinator.minimum_of`."""
        return minimum_of(self.minima.values())

    @property
    def joined(self) -> int:
        """The number of sources in the group, including those that the others do not wait for."""
        return len(self.minima)

    @property
    def slowest(self) -> str | None:
        """The identity of the source that the others wait for, None if there is none."""
        minimum = self.minimum
        if minimum == MAX:
            return None
        return next((source for source, watermark in self.minima.items() if watermark == minimum), None)


class GroupSource(NamedTuple):
    """A source as the service knows it.

    source: its identity. minimum: its last report (ms), `MAX` if the others do not wait for it, as after a
    normal end, or when its query has been down for its `restartTimeout`. age: the time since its last sign of
    life (ms), None if only another source has reported it so far.
    """

    source: str
    minimum: int
    age: int | None


_OF_THE_MOMENT: Final = ("silent", "reach", "present", "former", "overdue")


def is_watermark(value: Any) -> bool:
    """Return whether a value is a watermark (ms), or `MIN` or `MAX`."""
    return type(value) is int and MIN <= value <= MAX


@dataclass(frozen=True)
class Address:
    """The address of a coordination service and the token that it requires: "host:port/token"."""

    host: str
    port: int
    token: str

    def __str__(self) -> str:
        return f"{self.host}:{self.port}/{self.token}"

    @classmethod
    def parse(cls, text: str) -> Address:
        """Return the address from its text form. Raises `ValueError` for another text."""
        place, slash, token = text.partition("/")
        host, colon, port = place.rpartition(":")
        if not (slash and colon and host and token and port.isascii() and port.isdigit()):
            raise ValueError(f"not an address of a coordination service: {text!r}")
        if not 0 < int(port) < 65536:
            raise ValueError(f"not a port: {port}")
        return cls(host, int(port), token)


def report(
    address: Address,
    group: str,
    source: str,
    minimum: int | None,
    known: GroupReport | None = None,
    presence: Presence | None = None,
) -> GroupReport:
    """Report the minimum of a source (ms; None or `MAX`: the others do not wait for it).

    Returns the answer of the service about the group. A source joins the group with its first report. known:
    the group as the source last knew it. A restarted service takes the other sources and their minima from
    it, so that no source runs ahead of sources that have not reported again (ALIGN-11). presence: the run of
    the source in which this is reported. Raises `CoordinatorError`.
    """
    request: dict[str, Any] = {
        "do": "report",
        "group": group,
        "source": source,
        "minimum": MAX if minimum is None else minimum,
    }
    if known is not None:
        request["known"] = known.to_json()
    if presence is not None:
        request["presence"] = presence.to_json()
    answer = _ask(address, request, "service", "minima")
    try:
        return GroupReport.from_answer(answer)
    except ValueError as error:
        raise CoordinatorError(
            f"the service at {address.host}:{address.port} is another one: {error}"
        ) from error


def promise(address: Address, group: str, source: str, reach: int) -> None:
    """Report how far the next batch will bring a source (ms), if no other source holds it back.

    Raises `CoordinatorError`.
    """
    _ask(address, {"do": "promise", "group": group, "source": source, "reach": reach})


def renew(address: Address, group: str, source: str, run: str) -> None:
    """Report that a run of a source continues, without a minimum. Raises `CoordinatorError`."""
    _ask(address, {"do": "renew", "group": group, "source": source, "run": run})


def leave_group(address: str, group: str, source: str) -> None:
    """Remove a source, by its identity, from its group: the others no longer wait for it.

    That is not needed if a query has come to its end, or is started again. For a query that has failed, or
    was stopped, the others wait for the option `restartTimeout` of its source; this function ends the wait at
    once. Unknown sources are ignored. Raises `CoordinatorError`.
    """
    _ask(Address.parse(address), {"do": "leave", "group": group, "source": source})


def group_sources(address: str, group: str) -> list[GroupSource]:
    """Return the sources of a group, to see which source it waits for. Raises `CoordinatorError`."""
    answer = _ask(Address.parse(address), {"do": "list", "group": group}, "sources")
    return [GroupSource(*each) for each in answer["sources"]]


def _ask(address: Address, request: dict[str, Any], *expected: str) -> Any:
    """Send a request; return the answer, which has the expected keys.

    Raises `CoordinatorGoneError` if there is no answer, `CoordinatorError` for a refusal or an answer that is
    not understood.
    """
    place = f"{address.host}:{address.port}"
    try:
        with socket.create_connection((address.host, address.port), timeout=TIMEOUT) as connection:
            connection.sendall(json.dumps({"token": address.token, **request}).encode() + b"\n")
            with connection.makefile("rb") as answers:
                line = answers.readline(LONGEST_LINE)
        if not line:
            raise ConnectionError("the connection was closed")
    except OSError as error:
        raise CoordinatorGoneError(
            f"the coordination service at {place} does not answer ({error}): nothing is read without it; "
            "keep the process that runs it, or `with tidegauge_spark.coordination() as address:`, until all "
            "queries have ended, and give that address in the option coordinator"
        ) from error
    try:
        answer = json.loads(line)
    except ValueError:
        answer = None
    reason = None
    if not isinstance(answer, dict):
        reason = "its answer is not one of such a service"
    elif "refused" in answer or not answer.keys() >= set(expected):
        reason = answer.get("refused", "its answer is not one of such a service")
    if reason is not None:
        raise CoordinatorError(
            f"the coordination service at {place} refuses: {reason}; "
            "give the address that tidegauge_spark.coordination() gave in the option coordinator"
        )
    return answer
