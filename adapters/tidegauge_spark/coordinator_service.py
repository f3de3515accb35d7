"""The coordination service: where the sources of a group meet, in one query or in several.

It runs in a thread of the user's driver process and keeps nothing: sources that restart report again, and
what they report is in their own checkpoints.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tidegauge_spark.coordinator_client import LONGEST_LINE, TIMEOUT, Address


class _Report(NamedTuple):
    """The last report of a source: its minimum (ms, None: finished) and when it came (monotonic seconds)."""

    minimum: int | None
    at: float


class Groups:
    """The last reports of all sources, by group and identity. Groups do not know each other (ALIGN-3)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: dict[str, dict[str, _Report]] = {}

    def report(self, group: str, source: str, minimum: int | None) -> tuple[int | None, int]:
        """Take the minimum of a source (ms, None: finished); return the group's and how many have joined.

        A report replaces the last one of the same source. A source that never reported is left out; one
        that has fallen silent is not.
        """
        with self._lock:
            sources = self._groups.setdefault(group, {})
            sources[source] = _Report(minimum, time.monotonic())
            unfinished = [each.minimum for each in sources.values() if each.minimum is not None]
            return min(unfinished, default=None), len(sources)

    def leave(self, group: str, source: str) -> None:
        """Forget a source."""
        with self._lock:
            self._groups.get(group, {}).pop(source, None)

    def sources(self, group: str) -> list[tuple[str, int | None, int]]:
        """Return the sources of a group: identity, minimum (ms), age of the report (ms)."""
        with self._lock:
            now = time.monotonic()
            return [
                (source, report.minimum, int((now - report.at) * 1000))
                for source, report in self._groups.get(group, {}).items()
            ]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a request of a client whose token was right."""
        what, group = request.get("do"), request.get("group")
        source, minimum = request.get("source"), request.get("minimum")
        if isinstance(group, str) and what == "list":
            return {"sources": self.sources(group)}
        if isinstance(group, str) and isinstance(source, str):
            if what == "report" and (minimum is None or type(minimum) is int):
                group_minimum, joined = self.report(group, source, minimum)
                return {"minimum": group_minimum, "joined": joined}
            if what == "leave":
                self.leave(group, source)
                return {}
        return {"refused": "the request is not understood; are both of the same version?"}


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self) -> None:
        self.groups = Groups()
        self.token = secrets.token_urlsafe(16)
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Be silent about a client that has gone away; it knows best."""


class _Handler(socketserver.StreamRequestHandler):
    timeout = TIMEOUT
    server: _Server

    def handle(self) -> None:
        """Answer one line of JSON by one line of JSON."""
        try:
            request = json.loads(self.rfile.readline(LONGEST_LINE))
        except ValueError:
            request = None
        if not isinstance(request, dict):
            answer: dict[str, Any] = {"refused": "the request is not understood"}
        elif not hmac.compare_digest(str(request.get("token")).encode(), self.server.token.encode()):
            answer = {"refused": "the token in the address is not the one of this service"}
        else:
            answer = self.server.groups.answer(request)
        self.wfile.write(json.dumps(answer).encode() + b"\n")


@contextmanager
def coordination() -> Iterator[str]:
    """Run a coordination service; the value is its address, for the option "coordinator" of the sources.

    Start it before the queries and keep it open until they have ended: a source whose service is gone fails
    rather than run ahead. It listens on 127.0.0.1 only, and serves who knows the token in the address;
    planning happens in the driver, so that is enough on a cluster, too.
    """
    with _Server() as server:
        thread = threading.Thread(
            target=server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name="tidegauge-coordination",
            daemon=True,
        )
        thread.start()
        try:
            yield str(Address("127.0.0.1", int(server.server_address[1]), server.token))
        finally:
            server.shutdown()
            thread.join()
