"""Requests and answers: what an engine in a process of its own is asked, and what it may say to that."""

import os
from collections.abc import Sequence
from typing import TypeVar

from tidegauge.engine.errors import NotAnswered
from tidegauge.engine.foreign_text import LONGEST_TRACEBACK, printable, shown
from tidegauge.wire.protocol import (
    ANSWERS,
    AnyAnswer,
    AnyRequest,
    Close,
    Closed,
    Describe,
    Description,
    Expressed,
    Inexpressible,
    NotUnderstood,
    Open,
    Opened,
    Raised,
    Run,
    ScenarioDone,
    StepDone,
    StepSession,
    Stop,
    request_line,
)
from tidegauge.wire.repeated_key import repeated_key
from tidegauge.wire.scenario import UNREADABLE, Scenario
from tidegauge.wire.transcript import Failure, Outputs, Transcript
from tidegauge.wire.vocabulary import PROTOCOL, Setup, Step

from .engine_process import EngineGone, EngineProcess

_SECONDS_TO_STOP = 5.0

Expected = TypeVar("Expected", Description, ScenarioDone, Expressed, Opened, StepDone, Closed)


class Conversation:
    """One process of the engine, from its start to its end. Each method raises `EngineGone` where the engine
    does not answer as the protocol says; the process has been killed then.

    `start_seconds`: how long it may take for its first answer, `seconds` how long for each other one.
    """

    def __init__(self, command: Sequence[str], start_seconds: float, seconds: float, memory: int) -> None:
        self._process = EngineProcess(command, memory)
        self._start_seconds, self._seconds = start_seconds, seconds

    @property
    def is_ours(self) -> bool:
        """Whether this process started it, and was not forked since."""
        return self._process.owner == os.getpid()

    def describe(self) -> Description:
        """Who is under test; the first question."""
        self._ask(Describe())
        description = self._answer(Description, "describe", self._start_seconds)
        if description.protocol != PROTOCOL:
            raise self.breach(f"the engine speaks protocol {description.protocol}, and the kit {PROTOCOL}")
        return description

    def run(self, scenarios: Sequence[Scenario]) -> list[Transcript]:
        """The transcript of each scenario, in the order in which the engine answers."""
        done_so_far: list[Transcript] = []
        waiting = {scenario.id for scenario in scenarios}
        self._ask(Run(tuple(scenarios)))
        while waiting:
            done = self._answer(ScenarioDone, "run", self._seconds)
            if done.scenario not in waiting:
                twice = any(done.scenario == scenario.id for scenario in scenarios)
                how = "twice" if twice else f"and not {shown(min(waiting))}, which it was asked for"
                raise self.breach(f"the engine answered for scenario {shown(done.scenario)} {how}")
            waiting.remove(done.scenario)
            if not waiting and (more := self._process.unread()):
                raise self.breach(f"after its last answer the engine wrote {shown(more)} to stdout")
            done_so_far.append(Transcript(done.scenario, done.outputs, _failure(done.failure)))
        return done_so_far

    def inexpressible(self, scenario: Scenario) -> str:
        """What the engine lacks for a scenario; empty if it lacks nothing."""
        self._ask(Inexpressible(scenario))
        answer = self._answer(Expressed, "inexpressible", self._seconds)
        if answer.scenario != scenario.id:
            raise self.breach(
                f"the engine answered for scenario {shown(answer.scenario)}; asked was {shown(scenario.id)}"
            )
        return printable(answer.reason)

    def open(self, session: str, component: str, setup: Setup) -> None:
        """Make an instance."""
        self._ask(Open(session, component, setup))
        self._of(session, self._answer(Opened, "open", self._seconds))

    def step(self, session: str, step: Step) -> Outputs:
        """The outputs of one step. Raises `NotAnswered` where the engine raised something."""
        self._ask(StepSession(session, step))
        done = self._answer(StepDone, "step", self._seconds)
        self._of(session, done)
        if (failure := _failure(done.failure)) is not None:
            raise NotAnswered(failure)
        return done.outputs

    def resident_bytes(self) -> int:
        """The resident set of the engine's process."""
        return self._process.resident_bytes()

    def close_session(self, session: str) -> None:
        """Release an instance."""
        self._ask(Close(session))
        self._of(session, self._answer(Closed, "close", self._seconds))

    def send(self, line: bytes) -> AnyAnswer:
        """The answer to any line, whatever that is."""
        self._process.write(line)
        return self._decoded(self._process.line(self._seconds))

    def stop(self) -> int | None:
        """Ask it to end; its exit code, None if it does not end."""
        self._ask(Stop())
        return self._process.ended_within(_SECONDS_TO_STOP)

    def end_of_input(self) -> int | None:
        """Close its stdin; its exit code, None if it does not end."""
        return self._process.ended_within(_SECONDS_TO_STOP)

    def left_over(self) -> bytes:
        """What it wrote to stdout and nobody asked for."""
        return self._process.left_over()

    def end(self) -> list[str]:
        """End it and all that it started; the names of children that outlived it."""
        return self._process.end()

    def _ask(self, request: AnyRequest) -> None:
        self._process.write(request_line(request))

    def _answer(self, expected: type[Expected], request: str, seconds: float) -> Expected:
        answer = self._decoded(self._process.line(seconds))
        if isinstance(answer, expected):
            return answer
        if isinstance(answer, NotUnderstood):
            raise self.breach(
                f"the engine did not understand the request {request!r}: {printable(answer.text)}"
            )
        tags = (str(type(answer).__struct_config__.tag), str(expected.__struct_config__.tag))
        raise self.breach(f"the engine answered {request!r} by {tags[0]!r}; expected is {tags[1]!r}")

    def _decoded(self, line: bytes) -> AnyAnswer:
        try:
            answer = ANSWERS.decode(line)
        except UNREADABLE as error:
            said = shown(line.decode("utf-8", "replace"))
            raise self.breach(
                f"the engine wrote {said} to stdout, which is no answer: {error}; stderr is for all else"
            ) from None
        if (key := repeated_key(line)) is not None:
            said = shown(line.decode("utf-8", "replace"))
            raise self.breach(f"the engine wrote an object with the key {shown(key)} twice: {said}")
        return answer

    def _of(self, session: str, answer: Opened | StepDone | Closed) -> None:
        if answer.session != session:
            raise self.breach(
                f"the engine answered for session {shown(answer.session)}; asked was {shown(session)}"
            )

    def breach(self, text: str) -> EngineGone:
        """Kill the process, which does not do as the protocol says; what is to be raised."""
        return self._process.gone("protocol", text)


def _failure(raised: Raised | None) -> Failure | None:
    """What the engine says that it raised: the start of the text, the end of the traceback."""
    if raised is None:
        return None
    traceback = printable(raised.traceback[-LONGEST_TRACEBACK:], LONGEST_TRACEBACK)
    return Failure("exception", printable(raised.text), traceback)
