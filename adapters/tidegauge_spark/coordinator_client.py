"""How a source speaks with the coordination service: its minimum goes there, the group's comes back.

A request and its answer are one line of JSON each, on a connection of their own.
"""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

TIMEOUT: Final = 10.0
"""How long a source waits for an answer (seconds). The service answers from memory, in less than 1 ms."""

LONGEST_LINE: Final = 1 << 20


class CoordinatorError(RuntimeError):
    """The coordination service did not answer, or refused. The source must not read on: nobody bounds it."""


class GroupReport(NamedTuple):
    """What the service says of a group.

    minimum: the smallest watermark of its sources that are not finished (ms), None if all are. joined: how
    many sources have reported, the finished ones included.
    """

    minimum: int | None
    joined: int


class GroupSource(NamedTuple):
    """A source as the service knows it.

    source: its identity. minimum: what it reported last (ms), None if it is finished. age: how long ago
    that was (ms).
    """

    source: str
    minimum: int | None
    age: int


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


def report(address: Address, group: str, source: str, minimum: int | None) -> GroupReport:
    """Report the minimum of a source (ms, None: it is finished); return what the group says.

    A source joins its group by its first report. Raises `CoordinatorError`.
    """
    request = {"do": "report", "group": group, "source": source, "minimum": minimum}
    answer = _ask(address, request, "minimum", "joined")
    return GroupReport(answer["minimum"], answer["joined"])


def leave_group(address: str, group: str, source: str) -> None:
    """Take a source, by its identity, out of its group: the others no longer wait for it.

    A source that is stopped stays in its group with its last report, since it may be restarted; one whose
    query will never be started again has to be taken out, unless it was finished. Unknown sources are
    ignored. Raises `CoordinatorError`.
    """
    _ask(Address.parse(address), {"do": "leave", "group": group, "source": source})


def group_sources(address: str, group: str) -> list[GroupSource]:
    """Return the sources that have reported in a group: for whom does it wait? Raises `CoordinatorError`."""
    answer = _ask(Address.parse(address), {"do": "list", "group": group}, "sources")
    return [GroupSource(*each) for each in answer["sources"]]


def _ask(address: Address, request: dict[str, Any], *expected: str) -> Any:
    """Send a request; return the answer, which has the expected keys.

    Raises `CoordinatorError` if there is no answer, or one that is a refusal or not understood.
    """
    place = f"{address.host}:{address.port}"
    try:
        with socket.create_connection((address.host, address.port), timeout=TIMEOUT) as connection:
            connection.sendall(json.dumps({"token": address.token, **request}).encode() + b"\n")
            with connection.makefile("rb") as answers:
                line = answers.readline(LONGEST_LINE)
        answer = json.loads(line)
    except (OSError, ValueError) as error:
        raise CoordinatorError(
            f"the coordination service at {place} does not answer ({error}): nothing is read without it; "
            "keep `with tidegauge_spark.coordination() as address:` open until all queries have ended, and "
            "give that address in the option coordinator"
        ) from error
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
