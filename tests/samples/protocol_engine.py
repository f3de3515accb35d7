"""The reference as a process that speaks the protocol, and hostile ones: `python protocol_engine.py [DEED]`.

A deed is what it does in place of an answer, in scenarios of a valve with five channels and nowhere else; or at
its start, at its end, or in sessions, where its name says so.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from tidegauge.engine.session import Session
from tidegauge.wire.protocol import (
    AnyRequest,
    Close,
    Describe,
    Inexpressible,
    Open,
    Run,
    StepSession,
    Stop,
)
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.transcript import Transcript
from tidegauge_adapters.reference import ReferenceAdapter

REQUESTS = msgspec.json.Decoder(AnyRequest)
ENGINE = ReferenceAdapter({})


def say(answer: object) -> None:
    write(msgspec.json.encode(answer) + b"\n")


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def endless(data: bytes) -> None:
    while True:
        write(data)


def forever() -> None:
    while True:
        time.sleep(1000)


def take_memory() -> None:
    taken = []
    while True:
        taken.append(bytearray(os.urandom(2**20)) * 64)
        time.sleep(0.05)


def leave_a_child() -> None:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"], start_new_session=True)
    os.kill(os.getpid(), signal.SIGKILL)


def answer_slowly() -> None:
    while True:
        write(b" ")
        time.sleep(0.05)


def hold_stdout() -> None:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"], stdout=1, start_new_session=True)
    os._exit(6)


def leave_no_trace() -> None:
    """Nothing but its parent tells where this child comes from."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"], env={}, start_new_session=True)
    forever()


def fill_stderr() -> None:
    for _ in range(2000):
        sys.stderr.write("x" * 2**15 + "\n")
    sys.stderr.flush()
    os._exit(3)


DEEDS: dict[str, Callable[[], Any]] = {
    "dies": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "exits": lambda: os._exit(0),
    "raises": lambda: 1 / 0,
    "hangs": forever,
    "computes": lambda: any(iter(lambda: False, True)),
    "stops-itself": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "closes-stdout": lambda: (os.close(1), forever()),
    "closes-stdin": lambda: (os.close(0), os._exit(4)),
    "prints": lambda: write(b"hello\n"),
    "prints-bytes": lambda: write(b"\xff\xfe\x00\n"),
    "prints-control": lambda: write(b'{"answer":"\x1b]0;evil\x07"}\n'),
    "prints-nothing": lambda: write(b"\n"),
    "a-key-twice": lambda: write(
        b'{"answer":"transcript","scenario":"x","outputs":[[{"output":"idle","output":"idle"}]]}\n'
    ),
    "prints-null": lambda: write(b"null\n"),
    "nests": lambda: write(b"[" * 100_000 + b"\n"),
    "half-a-line": lambda: (write(b'{"answer":"transcript","scen'), os._exit(0)),
    "a-line-without-end": lambda: endless(b"x" * 2**20),
    "lines-without-end": lambda: endless(b"{}\n" * 1000),
    "fills-stderr": fill_stderr,
    "takes-memory": take_memory,
    "leaves-a-child": leave_a_child,
    "half-a-line-and-no-end": lambda: (write(b'{"answer":"transcript","scen'), forever()),
    "byte-by-byte": answer_slowly,
    "a-child-holds-stdout": hold_stdout,
    "a-child-without-a-trace": leave_no_trace,
    "answers-in-utf-16": lambda: write('{"answer":"transcript"}\n'.encode("utf-16")),
}
"""In place of the answer to a scenario with five channels."""

CHANGES: dict[str, Callable[[dict[str, Any]], list[dict[str, Any]]]] = {
    "an-id-in-capitals": lambda done: [{**done, "scenario": done["scenario"].upper()}],
    "another-id": lambda done: [{**done, "scenario": "another"}],
    "answers-twice": lambda done: [done, done],
    "an-unknown-field": lambda done: [{**done, "more": 1}],
    "an-unknown-answer": lambda done: [{**done, "answer": "song"}],
    "an-unknown-output": lambda done: [{**done, "outputs": [[{"output": "song"}]]}],
    "a-timestamp-as-text": lambda done: [
        {**done, "outputs": [[{"output": "watermark", "timestamp": "soon"}]]}
    ],
    "a-timestamp-too-large": lambda done: [
        {**done, "outputs": [[{"output": "watermark", "timestamp": 2**60}]]}
    ],
    "a-fraction": lambda done: [{**done, "outputs": [[{"output": "watermark", "timestamp": 1.5}]]}],
    "an-unknown-error": lambda done: [{**done, "outputs": [[{"output": "error", "error": "oops"}]]}],
    "no-outputs": lambda done: [{**done, "outputs": []}],
    "outputs-are-null": lambda done: [{**done, "outputs": None}],
    "many-outputs": lambda done: [{**done, "outputs": [[{"output": "idle"}] * 200_000]}],
    "says-error": lambda done: [{"answer": "error", "text": "not today"}],
    "says-it-raised": lambda done: [
        {**done, "outputs": [], "failure": {"text": "ValueError: five", "traceback": "at five"}}
    ],
    "a-long-text-in-an-output": lambda done: [
        {**done, "outputs": [[{"output": "idle", "to": "x" * 10 * 2**20}]]}
    ],
    "raises-at-length": lambda done: [
        {
            **done,
            "outputs": [],
            "failure": {"text": "\x1b[31m" * 2**17, "traceback": "\x9b\u202e" * 2**17},
        }
    ],
    "a-surrogate": lambda done: [{**done, "outputs": [], "failure": {"text": "\ud800\x1b[31m"}}],
}
"""What becomes of the answer to a scenario with five channels."""

AT_THE_START: dict[str, Callable[[], Any]] = {
    "start-dies": lambda: os._exit(7),
    "start-hangs": forever,
    "start-prints": lambda: write(b"Welcome!\n"),
    "start-speaks-protocol-9": lambda: say(
        {"answer": "description", "protocol": 9, "name": "n", "version": "1", "capabilities": ["valve"]}
    ),
    "start-claims-nonsense": lambda: say(
        {"answer": "description", "protocol": 1, "name": "n", "version": "1", "capabilities": ["vavle"]}
    ),
    "start-says-a-key-twice": lambda: write(
        b'{"answer":"description","protocol":1,"name":"n","version":"1","version":"2","capabilities":["valve"]}\n'
    ),
    "start-says-error": lambda: say({"answer": "error", "text": "who are you?"}),
}
"""In place of the description."""

MARKUP = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"

DESCRIPTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "described-with-markup": lambda: {
        "name": MARKUP,
        "version": f"1 {MARKUP} [bold]x[/nothing] :smiley:",
        "remark": f"{MARKUP}\x1b[31m\u202e\n# {MARKUP}",
        "overshoot": f"{MARKUP}\x9b31m",
    },
    "described-with-control-characters": lambda: {"name": "\x1b]0;evil\x07"},
    "described-with-two-lines": lambda: {"name": "one\ntwo"},
    "described-at-length": lambda: {"version": "9" * 2 * 2**20},
    "described-with-a-long-remark": lambda: {"remark": "x" * 2 * 2**20},
    "described-with-negative-limits": lambda: {"at_most": {"vectors": -1}},
    "described-with-negative-time": lambda: {"reaction_ms": -5},
    "described-otherwise-each-time": lambda: {"version": str(os.getpid())},
    "described-with-groups": lambda: {"observes": "group"},
    "hides-five": lambda: {"hides": True},
    "dies-when-asked-what-it-hides": lambda: {"hides": True},
    "names-another-that-it-hides": lambda: {"hides": True},
}
"""What the engine says of itself; else it answers as the reference."""

HARMLESS = {
    "warns": lambda: sys.stderr.write("a warning\n"),
    "a-child-of-its-own": lambda: subprocess.run([sys.executable, "-c", "pass"], check=True),
    "closes-stderr": lambda: os.close(2),
}
"""Before the right answer."""


class Engine:
    """Answers requests by the reference, but for one deed."""

    def __init__(self, deed: str) -> None:
        self.deed = deed
        self.sessions: dict[str, tuple[Open, Session]] = {}

    def serve(self) -> None:
        for line in sys.stdin.buffer:
            try:
                request = REQUESTS.decode(line)
            except msgspec.DecodeError as error:
                say({"answer": "error", "text": str(error)})
                continue
            if isinstance(request, Stop):
                break
            self.answer(request)
        if self.deed == "end-hangs":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            forever()
        if self.deed == "end-fails":
            sys.exit(9)
        if self.deed == "end-leaves-a-child":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"], start_new_session=True)

    def answer(self, request: AnyRequest) -> None:
        if isinstance(request, Describe):
            self.describe()
        elif isinstance(request, Run):
            for scenario in request.scenarios:
                self.run(scenario)
        elif isinstance(request, Inexpressible):
            self.express(request.scenario)
        elif isinstance(request, Open):
            made = of_a_session(request, ())
            self.sessions[request.session] = (request, ENGINE.session(made.setup))
            say({"answer": "opened", "session": request.session})
        elif isinstance(request, StepSession):
            if self.deed == "session-dies":
                os._exit(5)
            name = "9" if self.deed == "session-of-another-name" else request.session
            opened, session = self.sessions[request.session]
            if self.deed == "session-with-a-key-twice":
                write(f'{{"answer":"outputs","session":"{name}","outputs":[],"outputs":[]}}\n'.encode())
                return
            outputs = session.step(of_a_session(opened, [request.step]).history[0])
            say({"answer": "outputs", "session": name, "outputs": outputs})
        elif isinstance(request, Close):
            del self.sessions[request.session]
            say({"answer": "closed", "session": request.session})

    def describe(self) -> None:
        if self.deed in AT_THE_START:
            AT_THE_START[self.deed]()
            return
        told = ENGINE.describe()
        say(
            {
                "answer": "description",
                "protocol": 1,
                "name": "reference in a process",
                "version": "1",
                "capabilities": told.capabilities,
                "sessions": True,
                **DESCRIPTIONS.get(self.deed, dict)(),
            }
        )

    def express(self, scenario: Scenario) -> None:
        if self.deed == "dies-when-asked-what-it-hides":
            os._exit(7)
        name = "another" if self.deed == "names-another-that-it-hides" else scenario.id
        has_five = getattr(scenario.setup, "channels", 0) == 5
        say({"answer": "expressed", "scenario": name, "reason": "five channels" if has_five else ""})

    def run(self, scenario: Scenario) -> None:
        five = getattr(scenario.setup, "channels", 0) == 5 and scenario.id.startswith("valve")
        if five and self.deed in DEEDS:
            DEEDS[self.deed]()
            return
        if five and self.deed == "described-otherwise-each-time":
            os._exit(0)
        if five and self.deed == "stops-the-kit":
            os.kill(os.getppid(), signal.SIGSTOP)
        if five and self.deed in HARMLESS:
            HARMLESS[self.deed]()
        [transcript] = ENGINE.run([scenario])
        done = done_of(transcript)
        changed = CHANGES.get(self.deed) if five else None
        answers = changed(done) if changed is not None else [done]
        write(b"".join(json.dumps(answer).encode() + b"\n" for answer in answers))


def of_a_session(opened: Open, history: Sequence[Any]) -> Scenario:
    """The scenario of a session's setup, with steps of it: so both are read."""
    told = {"id": "session", "component": opened.component, "setup": opened.setup, "history": history}
    return msgspec.convert(told, Scenario)


def done_of(transcript: Transcript) -> dict[str, Any]:
    told = msgspec.to_builtins(transcript)
    told.pop("protocol", None)
    return {"answer": "transcript", **told}


if __name__ == "__main__":
    Engine(sys.argv[1] if len(sys.argv) > 1 else "").serve()
