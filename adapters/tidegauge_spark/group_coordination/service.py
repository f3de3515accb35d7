"""The coordination service: where the sources of a group meet, in one query or in several.

It runs in a thread of the user's driver process and stores nothing on disk: sources that restart report
again, and their reports are in their own checkpoints.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from tidegauge_spark.group_coordination.client import LONGEST_LINE, TIMEOUT, Address, CoordinatorError
from tidegauge_spark.group_coordination.groups import Groups

LOCAL: Final = "127.0.0.1"
WAITING: Final = 256
"""The number of connections that may wait to be accepted: many sources may plan at the same moment."""
AT_ONCE: Final = 512
"""The number of connections that are served at once. Further connections are closed, so that foreign clients
cannot fill the driver with threads. To a source a closed connection means a service that is gone, and it
tries again."""


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = WAITING

    def __init__(self, host: str, port: int, token: str) -> None:
        self.groups = Groups()
        self.token = token
        self._free = threading.Semaphore(AT_ONCE)
        super().__init__((host, port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a separate thread, if one is free."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and release the thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore the error of a client that has disconnected."""


class _Handler(socketserver.StreamRequestHandler):
    timeout = TIMEOUT
    server: _Server

    def handle(self) -> None:
        """Answer one line of JSON with one line of JSON."""
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


LEAST_TOKEN: Final = 16
"""The minimum length of a token that the user chooses."""


class CoordinationService:
    """A coordination service in a thread of this process, from its construction to `close`."""

    def __init__(self, address: str | None = None) -> None:
        """Listen at an address, by default on a free port of 127.0.0.1 with a new token.

        Raises `ValueError` for a text that is not an address or whose token is too short, and
        `CoordinatorError` if the address is not available.
        """
        host, port, token = LOCAL, 0, secrets.token_urlsafe(16)
        if address is not None:
            wanted = Address.parse(address)
            host, port, token = wanted.host, wanted.port, wanted.token
            if len(token) < LEAST_TOKEN:
                raise ValueError(
                    f"the token of the address {host}:{port}/... has {len(token)} characters, which is "
                    f"easy to guess: use at least {LEAST_TOKEN} random characters"
                )
        try:
            self._server = _Server(host, port, token)
        except OSError as error:
            raise CoordinatorError(
                f"no coordination service can listen at {host}:{port} ({error}); end what does, or choose "
                "another port, and give the new address in the option coordinator of all sources"
            ) from error
        self.address = str(Address(host, int(self._server.server_address[1]), token))
        """The address of the service, for the option "coordinator" of the sources."""
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name="tidegauge-coordination",
            daemon=True,
        )
        self._thread.start()

    def close(self) -> None:
        """Stop the service. The sources in its groups read nothing more."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextmanager
def coordination(address: str | None = None) -> Iterator[str]:
    """Run a coordination service; the value is its address, for the option "coordinator" of the sources.

    Start it before the queries and keep it open until they have ended: a source whose service is gone reads
    nothing more. It listens on 127.0.0.1 only, and serves clients that know the token in the address.
    Planning happens in the driver, so this is sufficient on a cluster, too.

    address: where to listen and with which token, "host:port/token". With the address of a service that is
    gone, the sources that knew it continue, and report the other sources of their groups to the new service.
    On another host than 127.0.0.1 the token is sent unprotected.

    Raises `ValueError` for a text that is not an address or whose token has fewer than 16 characters, and
    `CoordinatorError` if the address is not available.
    """
    service = CoordinationService(address)
    try:
        yield service.address
    finally:
        service.close()
