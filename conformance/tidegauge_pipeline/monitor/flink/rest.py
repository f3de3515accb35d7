"""Requests to the REST interface of a JobManager, over one connection that is kept open."""

import base64
import http.client
import ssl
from typing import Any, Final, TypeVar
from urllib.parse import unquote, urlsplit

import msgspec

from tidegauge.wire.scenario import BadInput

_MOST_BYTES: Final = 64 << 20
"""The maximum size of an answer (bytes)."""

_RETRIED: Final = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)
"""The errors of a request if the server has closed the connection since the last request."""

_REMEDY: Final = "give the URL of the JobManager's web interface, such as http://localhost:8081"

T = TypeVar("T")


class Unreachable(Exception):
    """The JobManager does not answer, or answers that it is not ready. It may come back."""


class NotFound(Unreachable):
    """The JobManager answers that there is no such job or vertex."""


class FlinkRest:
    """The REST interface of a JobManager.

    A user and a password in the URL are sent as basic authentication, for the proxies that ask for it; no
    message shows them. Raises `BadInput` for a URL of another form.
    """

    def __init__(self, url: str, seconds: float = 10) -> None:
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
            raise BadInput(f"--flink {_without_password(url)!r} is not an http or https URL: {_REMEDY}")
        if parts.query or parts.fragment:
            raise BadInput(f"--flink {_without_password(url)!r} has a query or a fragment: {_REMEDY}")
        self.url = _without_password(url).rstrip("/")
        self._prefix = parts.path.rstrip("/")
        self._headers = {"Accept": "application/json"}
        if parts.username is not None:
            user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._headers["Authorization"] = f"Basic {base64.b64encode(user.encode()).decode()}"
        self._connection: http.client.HTTPConnection
        if parts.scheme == "https":
            context = ssl.create_default_context()
            self._connection = http.client.HTTPSConnection(
                parts.hostname, port, timeout=seconds, context=context
            )
        else:
            self._connection = http.client.HTTPConnection(parts.hostname, port, timeout=seconds)

    def get(self, path: str, of: type[T]) -> T:
        """Return the answer to a GET request.

        Raises `Unreachable` if there is no answer, and `BadInput` if the answer is not one of Flink's.
        """
        try:
            status, location, body = self._answer(self._prefix + path)
        except ssl.SSLCertVerificationError as problem:
            raise BadInput(
                f"{self.url}: its certificate is not trusted: {problem.verify_message}; set SSL_CERT_FILE to "
                "the certificate of its authority"
            ) from problem
        except (OSError, http.client.HTTPException) as problem:
            self._connection.close()
            raise Unreachable(f"{self.url} does not answer: {_line(problem)}") from problem
        if 300 <= status < 400:
            raise BadInput(f"{self.url} leads to {_without_password(location)}: give that URL")
        if status in (401, 403):
            raise BadInput(f"{self.url} refuses access (HTTP {status}): write http://USER:PASSWORD@HOST")
        if status == 404 and _is_error_of_flink(body):
            raise NotFound(f"{self.url} has no {path.partition('?')[0]}")
        if status >= 500:
            raise Unreachable(f"{self.url} is not ready: HTTP {status}")
        try:
            if status != 200:
                raise msgspec.DecodeError(f"HTTP {status}")
            return msgspec.json.decode(body, type=of)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            raise BadInput(
                f"{self.url}: what answers is not the REST interface of Flink ({_line(problem)}): {_REMEDY}"
            ) from problem

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _answer(self, path: str) -> tuple[int, str, bytes]:
        try:
            return self._requested(path)
        except _RETRIED:
            self._connection.close()
            return self._requested(path)

    def _requested(self, path: str) -> tuple[int, str, bytes]:
        self._connection.request("GET", path, headers=self._headers)
        response = self._connection.getresponse()
        body = response.read(_MOST_BYTES)
        if len(body) == _MOST_BYTES:
            self._connection.close()
            raise http.client.HTTPException(f"an answer has more than {_MOST_BYTES >> 20} MiB")
        return response.status, response.getheader("Location", ""), body


def _without_password(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{separator}{place.rpartition('@')[2]}{slash}{path}"


def _is_error_of_flink(body: bytes) -> bool:
    try:
        answer: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(answer, dict) and "errors" in answer


def _line(problem: BaseException) -> str:
    text = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    return " ".join(str(text).split())[:200]
