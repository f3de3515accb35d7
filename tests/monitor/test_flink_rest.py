"""What answers at the URL of a JobManager, and what is said if that is not Flink or has no such job."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tidegauge.wire.scenario import BadInput
from tidegauge_pipeline.monitor.flink.flink_rows import FlinkRows

CONFIG = {"flink-version": "2.3.0", "refresh-interval": 3000}


def listed(*jobs: tuple[str, str, str]) -> dict[str, Any]:
    return {"jobs": [{"jid": jid, "name": name, "state": state} for jid, name, state in jobs]}


def details(records: int = 0, state: str = "RUNNING") -> dict[str, Any]:
    return {
        "name": "shop",
        "state": state,
        "now": 1_790_000_000_000 + records,
        "timestamps": {"RUNNING": 1},
        "vertices": [{"id": "v", "name": "Source: a", "parallelism": 1, "status": "RUNNING"}],
        "plan": {"nodes": [{"id": "v"}]},
    }


def running(records: int, state: str = "RUNNING") -> dict[str, Any]:
    """The answers about a job whose source has counted so many records."""
    names = ["0.Source__a.numRecordsOut", "0.Source__a.currentOutputWatermark"]
    values = zip(names, (str(records), "-9223372036854775808"), strict=True)
    return {
        "/config": CONFIG,
        "/jobs/overview": listed(("1", "shop", "RUNNING")),
        "/jobs/1": details(records, state),
        "/jobs/1/vertices/v": {"subtasks": [{"subtask": 0, "attempt": 0}]},
        "/jobs/1/vertices/v/metrics": [{"id": name} for name in names],
        f"/jobs/1/vertices/v/metrics?get={','.join(names)}": [{"id": id, "value": at} for id, at in values],
    }


class Http(ThreadingHTTPServer):
    """Does not wait for connections that are still open."""

    daemon_threads = True
    block_on_close = False


class Server:
    """An HTTP server with given answers: JSON, a text, or a status with its headers."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = answers
        self.seen: list[tuple[str, str | None]] = []
        """The requests: the path, and the header for authentication."""
        self.connections = 0
        self.closes = False


@contextmanager
def serving(answers: Mapping[str, Any]) -> Iterator[tuple[Server, str]]:
    server = Server(answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            server.connections += 1

        def do_GET(self) -> None:
            server.seen.append((self.path, self.headers.get("Authorization")))
            missing = (404, {}, b'{"errors": ["not found"]}')
            answer = server.answers.get(self.path, missing)
            status, headers, body = answer if isinstance(answer, tuple) else (200, {}, _encoded(answer))
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = server.closes

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    http = Http(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server, f"http://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def _encoded(answer: Any) -> bytes:
    return answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("localhost:8081", "is not an http or https URL"),
        ("ftp://host", "is not an http or https URL"),
        ("http://host:port", "is not an http or https URL"),
        ("http://", "is not an http or https URL"),
        ("http://u:secret@host/?a=1", "'http://host/?a=1' has a query or a fragment"),
    ],
)
def test_a_url_of_another_form(url: str, words: str) -> None:
    with pytest.raises(BadInput) as problem:
        FlinkRows(url)
    assert words in str(problem.value)
    assert "secret" not in str(problem.value)
    assert "give the URL of the JobManager's web interface" in str(problem.value)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("<html>hello</html>", "what answers is not the REST interface of Flink"),
        ({"version": 1}, "what answers is not the REST interface of Flink"),
        ((404, {}, b"nothing here"), "what answers is not the REST interface of Flink (HTTP 404)"),
        ((404, {}, b'{"errors": []}'), "has no /config"),
        ((302, {"Location": "http://u:secret@other:1/"}, b""), "leads to http://other:1/: give that URL"),
        ((401, {}, b""), "refuses access (HTTP 401): write http://USER:PASSWORD@HOST"),
        ((503, {}, b""), "is not ready: HTTP 503"),
    ],
)
def test_a_server_that_is_not_a_job_manager(config: Any, words: str) -> None:
    with serving({"/config": config}) as (_, url), pytest.raises(BadInput) as problem:
        FlinkRows(url)
    assert words in str(problem.value)
    assert "\n" not in str(problem.value)
    assert "secret" not in str(problem.value)


@pytest.mark.parametrize(
    ("jobs", "job", "words"),
    [
        ((), None, "no job is running there; running are: none"),
        ((("1", "shop", "RUNNING"),), "bank", "no job 'bank' is running there; running are: shop"),
        ((("1", "shop", "FINISHED"),), "shop", "the job 'shop' is FINISHED"),
        (
            (("1", "shop", "RUNNING"), ("2", "shop", "RESTARTING")),
            None,
            "2 jobs are running: choose one by its id with --job: shop (1), shop (2)",
        ),
    ],
)
def test_a_job_that_is_not_there(jobs: tuple[tuple[str, str, str], ...], job: str | None, words: str) -> None:
    answers = {"/config": CONFIG, "/jobs/overview": listed(*jobs)}
    with serving(answers) as (_, url), pytest.raises(BadInput) as problem:
        FlinkRows(url, job)
    assert words in str(problem.value)


def test_a_path_before_flinks_own_and_a_password_for_a_proxy() -> None:
    answers = {f"/proxy/flink{path}": answer for path, answer in running(0).items()}
    with serving(answers) as (server, url):
        rows = FlinkRows(f"{url.replace('//', '//me:a%40b@')}/proxy/flink/", "shop")
        assert len(rows.poll()) == 0
        rows.close()
        assert not rows.has_ended
    assert {header for _, header in server.seen} == {"Basic bWU6YUBi"}


def test_a_password_is_in_no_message() -> None:
    with serving({"/config": (503, {}, b"")}) as (_, url), pytest.raises(BadInput) as problem:
        FlinkRows(url.replace("//", "//me:secret@"))
    assert str(problem.value).startswith(f"{url} is not ready: HTTP 503")


def test_polls_use_one_connection_and_few_requests() -> None:
    with serving(running(0)) as (server, url):
        rows = FlinkRows(url)
        rows.poll()
        before = len(server.seen)
        rows.poll()
        assert [path.partition("?")[0] for path, _ in server.seen[before:]] == [
            "/jobs/1",
            "/jobs/1/vertices/v/metrics",
        ]
        rows.close()
        assert server.connections == 1


def test_a_server_that_closes_the_connection_is_asked_again() -> None:
    with serving(running(0)) as (server, url):
        server.closes = True
        rows = FlinkRows(url)
        rows.poll()
        server.answers = running(5)
        assert rows.poll().column("count").to_pylist() == [5]
        rows.close()


def test_a_job_that_is_unknown_for_a_while_and_comes_back() -> None:
    clock = [0.0]
    with serving(running(10)) as (server, url):
        rows = FlinkRows(url, patience=60, clock=lambda: clock[0])
        rows.poll()
        server.answers = {"/config": CONFIG}
        clock[0] = 50
        assert len(rows.poll()) == 0
        server.answers = running(12)
        assert rows.poll().column("count").to_pylist() == [2]
        server.answers = {"/config": CONFIG}
        clock[0] = 111
        rows.poll()
        assert rows.has_ended
        assert rows.end == f"{url} has no /jobs/1, for 60 s"
        rows.close()


def test_a_job_that_has_ended() -> None:
    with serving(running(10)) as (server, url):
        rows = FlinkRows(url)
        rows.poll()
        server.answers = running(11, "FAILED")
        assert rows.poll().column("kind").to_pylist() == ["record"]
        assert (rows.has_ended, rows.end) == (True, "the job 'shop' is FAILED")
        rows.close()
