"""The coordination service: where the sources of a group meet, in one query or in several.

It runs in a thread of the user's driver process and stores nothing on disk: sources that restart report
again, and their reports are in their own checkpoints.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from tidegauge_spark.group_coordination.client import LONGEST_LINE, TIMEOUT, Address, CoordinatorError
from tidegauge_spark.group_coordination.groups import Groups

LOCAL: Final = "127.0.0.1"
WAITING: Final = 256
"""The number of connections that may wait to be accepted: many sources may plan at the same moment."""
MOST_SILENT: Final = 256
"""The maximum number of connections on which no request has arrived yet. A further connection closes the
oldest of them. A source sends its request immediately, so it is served even if foreign clients hold many
connections open. The limit is well below 1,024, the usual limit of open files per process."""


class _Server:
    """Answers one request per connection, in the thread that calls `run`."""

    def __init__(self, host: str, port: int, token: str) -> None:
        """Listen. Raises `OSError` if the address is not available."""
        self._groups = Groups()
        self._token = token
        self._silent: dict[asyncio.StreamWriter, None] = {}
        self._socket = socket.create_server((host, port), backlog=WAITING)
        self.port = int(self._socket.getsockname()[1])
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()

    def run(self) -> None:
        """Serve until `end` is called."""
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    def end(self) -> None:
        """End `run`. Called from another thread."""
        self._loop.call_soon_threadsafe(self._end.set)

    async def _serve(self) -> None:
        server = await asyncio.start_server(
            self._answer, sock=self._socket, limit=LONGEST_LINE, backlog=WAITING
        )
        await self._end.wait()
        server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one line of JSON with one line of JSON."""
        while len(self._silent) >= MOST_SILENT:
            oldest = next(iter(self._silent))
            del self._silent[oldest]
            oldest.transport.abort()
        self._silent[writer] = None
        try:
            async with asyncio.timeout(TIMEOUT):
                line = await self._line(reader)
                self._silent.pop(writer, None)
                writer.write(json.dumps(self._answer_to(line)).encode() + b"\n")
                await writer.drain()
        except (TimeoutError, OSError):
            pass  # the client has disconnected or is too slow
        finally:
            self._silent.pop(writer, None)
            writer.close()

    async def _line(self, reader: asyncio.StreamReader) -> bytes:
        with suppress(ValueError):  # the line is longer than the limit
            return await reader.readline()
        return b""

    def _answer_to(self, line: bytes) -> dict[str, Any]:
        try:
            request = json.loads(line)
        except ValueError:
            request = None
        if not isinstance(request, dict):
            return {"refused": "the request is not understood"}
        if not hmac.compare_digest(str(request.get("token")).encode(), self._token.encode()):
            return {"refused": "the token in the address is not the one of this service"}
        return self._groups.answer(request)


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
        self.address = str(Address(host, self._server.port, token))
        """The address of the service, for the option "coordinator" of the sources."""
        self._thread = threading.Thread(target=self._server.run, name="tidegauge-coordination", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the service. The sources in its groups read nothing more."""
        self._server.end()
        self._thread.join()


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
