"""How a source speaks with the coordination service: its minimum goes there, the group's comes back.

A request and its answer are one line of JSON each, on a connection of their own. Watermarks are in ms.
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
    """The coordination service did not answer, or refused. The source must not read on: nobody bounds it."""


class CoordinatorGoneError(CoordinatorError):
    """Nobody answers at the address of the coordination service; it may come back."""


class GroupReport(NamedTuple):
    """What the service says of a group to one of its sources.

    service: which service it is; one that is started anew is another one, be it at the same address. minima:
    the last report of each source that counts as joined (ms), by identity; `MIN`: it has no watermark yet,
    `MAX`: nobody has to wait for it. silent: for how long the service has heard nothing of the slowest (ms).
    reach: how far all of them will be with the batch that they plan now (ms), None: not all have said so.
    present: how many of them have reported what holds for the present run of the source. former: how many
    more are known that belong to earlier runs. overdue: whether the source has waited for its restart timeout
    in this run. left: those of the minima whose queries have been down for too long.
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
        """Return what `from_json` reads: all that is true later, too."""
        return {"service": self.service, "minima": dict(self.minima)}

    @classmethod
    def from_json(cls, stored: Any) -> GroupReport:
        """Return what `to_json` has written. Raises `ValueError` for anything else."""
        if isinstance(stored, dict):
            service, minima = stored.get("service"), stored.get("minima")
            if (
                isinstance(service, str)
                and isinstance(minima, dict)
                and all(map(is_watermark, minima.values()))
            ):
                return cls(service, minima)
        raise ValueError(f"this is not what a coordination service says of a group: {stored!r}")

    def answer(self) -> dict[str, Any]:
        """Return what `from_answer` reads: all that the service says, as JSON."""
        return {**self._asdict(), "minima": dict(self.minima), "left": list(self.left)}

    @classmethod
    def from_answer(cls, answer: Mapping[str, Any]) -> GroupReport:
        """Return what `answer` has written. Raises `ValueError` for anything else."""
        now = {name: answer[name] for name in _OF_THE_MOMENT if name in answer}
        return cls.from_json(answer)._replace(**now, left=tuple(answer.get("left", ())))

    def is_complete(self, sources_in_group: int, sources_in_query: int) -> bool:
        """Return whether the sources have joined that have to, so that something may be read.

        Sources of earlier runs do not count. Only a source that has waited for its restart timeout continues
        without those that are missing, if that many have been there: the query of a source that had nothing
        new may have ended before this one began.
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
        """How many sources are in the group, those included that nobody has to wait for."""
        return len(self.minima)

    @property
    def slowest(self) -> str | None:
        """The identity of the source that the others wait for, None if they wait for nobody."""
        minimum = self.minimum
        if minimum == MAX:
            return None
        return next((source for source, watermark in self.minima.items() if watermark == minimum), None)


class GroupSource(NamedTuple):
    """A source as the service knows it.

    source: its identity. minimum: what it reported last (ms), `MAX` if nobody has to wait for it, as after a
    normal end, or when its query has been down for its `restartTimeout`. age: how long ago its last sign of
    life was (ms), None if it was another source that told of it and not yet this one.
    """

    source: str
    minimum: int
    age: int | None


_OF_THE_MOMENT: Final = ("silent", "reach", "present", "former", "overdue")


def is_watermark(value: Any) -> bool:
    """Return whether this is a watermark (ms), or `MIN` or `MAX`."""
    return type(value) is int and MIN <= value <= MAX


@dataclass(frozen=True)
class Address:
    """Where a coordination service listens, and the token that it asks for: "host:port/token"."""

    host: str
    port: int
    token: str

    def __str__(self) -> str:
        return f"{self.host}:{self.port}/{self.token}"

    @classmethod
    def parse(cls, text: str) -> Address:
        """Return the address that `str` of an address has written. Raises `ValueError` for another text."""
        place, slash, token = text.partition("/")
        host, colon, port = place.rpartition(":")
        if not (slash and colon and host and token and port.isascii() and port.isdigit()):
            raise ValueError(f"no address of a coordination service: {text!r}")
        if not 0 < int(port) < 65536:
            raise ValueError(f"no port: {port}")
        return cls(host, int(port), token)


def report(
    address: Address,
    group: str,
    source: str,
    minimum: int | None,
    known: GroupReport | None = None,
    presence: Presence | None = None,
) -> GroupReport:
    """Report the minimum of a source (ms; None or `MAX`: nobody has to wait for it).

    Return what the group says. A source joins it by its first report. known: what the source heard last of
    the group. A service that has been started anew takes from it who else was there, and how far, so that
    nobody runs away from those who have not reported again (ALIGN-11). presence: in which run of the source
    this is reported. Raises `CoordinatorError`.
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
    """Say how far a source will be with its next batch (ms), if nobody holds it back.

    Raises `CoordinatorError`.
    """
    _ask(address, {"do": "promise", "group": group, "source": source, "reach": reach})


def renew(address: Address, group: str, source: str, run: str) -> None:
    """Say that a run of a source goes on, without a report. Raises `CoordinatorError`."""
    _ask(address, {"do": "renew", "group": group, "source": source, "run": run})


def leave_group(address: str, group: str, source: str) -> None:
    """Take a source, by its identity, out of its group: the others no longer wait for it.

    That is not needed where a query has come to its end, or is started again. For a query that has failed, or
    was stopped, the others wait for the option `restartTimeout` of its source; this function spares them the
    time. Unknown sources are ignored. Raises `CoordinatorError`.
    """
    _ask(Address.parse(address), {"do": "leave", "group": group, "source": source})


def group_sources(address: str, group: str) -> list[GroupSource]:
    """Return the sources that are in a group: for whom does it wait? Raises `CoordinatorError`."""
    answer = _ask(Address.parse(address), {"do": "list", "group": group}, "sources")
    return [GroupSource(*each) for each in answer["sources"]]


def _ask(address: Address, request: dict[str, Any], *expected: str) -> Any:
    """Send a request; return the answer, which has the expected keys.

    Raises `CoordinatorGoneError` if there is no answer, `CoordinatorError` for one that is a refusal or not
    understood.
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
