"""An adapter whose own exceptions fail the scenarios in which they are raised, and no others.

`Adapter.run`, `inexpressible`, `session`, `hints`, `stand_in` and `close` are code of the engine's author,
the same as the steps. An exception that they raise is an error of the engine, with its text and its place in
the adapter. Without hints or a stand-in, nothing fails.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Literal

from msgspec.structs import replace

from ..wire.implementation import Implementation
from ..wire.scenario import BadInput, Scenario, copied
from ..wire.transcript import Failure, Outputs, Transcript
from ..wire.vocabulary import Setup, Step
from .adapter import Adapter
from .errors import NotAnswered, ProtocolBreach, failure_of
from .foreign_text import message_of, name_of, place_of, printable, shown, text_of, traceback_of
from .forks import not_in_a_fork
from .interruption import from_outside
from .session import Session

_Method = Literal["run", "inexpressible", "session", "hints", "close"]


class ContainedAdapter(Adapter):
    """Wraps `adapter`, and answers with a failure where `adapter` raises or returns an invalid value.

    If a call of `run` raises, the scenarios that it has taken and not answered fail. If it has taken none,
    all remaining scenarios fail. The others are passed to a new call. A scenario for which `inexpressible`
    raises counts as expressible and is not run: its answer is the failure.

    Attributes:
        adapter: the adapter of the engine's author.
        not_closed: the first failure to close the adapter or one of its sessions; None if there was none.
    """

    def __init__(self, adapter: Adapter) -> None:
        super().__init__(getattr(adapter, "options", {}))
        self.adapter = adapter
        self.ahead = adapter.ahead
        self._not_asked: dict[int, Failure] = {}
        self.not_closed: Failure | None = None

    def describe(self) -> Implementation:
        """Return the description that the adapter gives."""
        return self.adapter.describe()

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """Yield the transcripts of the adapter, and a failure for each scenario that an exception of it
        fails."""
        remaining = iter(scenarios)
        for first in remaining:
            yield from self._call(chain([first], remaining))

    def inexpressible(self, scenario: Scenario) -> str | None:
        """Return the answer of the adapter; None if the adapter raises."""
        if self._not_asked:
            self._not_asked.pop(_content(scenario), None)
        try:
            reason = self.adapter.inexpressible(scenario)
            if reason is None:
                return None
            if not isinstance(reason, str):
                raise ProtocolBreach(f"`inexpressible` returned {shown(reason)}; expected is a text or None")
            return printable(reason)
        except BaseException as error:
            if from_outside(error):
                raise
            self._not_asked[_content(scenario)] = self._failure(error, "inexpressible")
            return None

    def not_asked(self, scenario: Scenario) -> Failure | None:
        """Return how the last call of `inexpressible` for such a scenario failed; None if it did not."""
        return self._not_asked.get(_content(scenario)) if self._not_asked else None

    def session(self, setup: Setup) -> Session | None:
        """Return a session of the adapter. If the adapter raises, every step of the session raises that
        failure."""
        try:
            session = self.adapter.session(setup)
            if session is None:
                return None
            if not isinstance(session, Session):
                raise ProtocolBreach(f"`session` returned {shown(session)}; expected is a Session or None")
            return _ContainedSession(self, session)
        except BaseException as error:
            if from_outside(error):
                raise
            return _FailedSession(self._failure(error, "session"))

    def hints(self, scenario: Scenario) -> Sequence[str]:
        """Return the hints of the adapter, each in one line; if the adapter raises, how it failed."""
        try:
            return [printable(" ".join(str(hint).split())) for hint in self.adapter.hints(copied(scenario))]
        except BaseException as error:
            if from_outside(error):
                raise
            return [f"There are no hints: {self._failure(error, 'hints').text}."]

    def stand_in(self) -> "ContainedAdapter | None":
        """Return the stand-in of the adapter; None if there is none, or if the adapter raises."""
        try:
            adapter = self.adapter.stand_in()
        except BaseException as error:
            if from_outside(error):
                raise
            return None
        return ContainedAdapter(adapter) if isinstance(adapter, Adapter) else None

    def progress(self) -> int:
        """Return the progress that the adapter reports."""
        return self.adapter.progress()

    def interrupt(self) -> None:
        """End the calls of the adapter."""
        self.adapter.interrupt()

    def close(self) -> None:
        """Close the adapter. Raises `BadInput`, in one line, if closing the adapter or a session fails."""
        try:
            self.adapter.close()
        except BaseException as error:
            if from_outside(error):
                raise
            self.closing_failed(error)
        if self.not_closed is not None:
            raise BadInput(f"the engine was not closed: {self.not_closed.text}")

    def closing_failed(self, error: BaseException) -> None:
        """Record an exception raised by closing the adapter or a session. The first one is kept."""
        self.not_closed = self.not_closed or self._failure(error, "close")

    def _call(self, scenarios: Iterator[Scenario]) -> Iterator[Transcript]:
        """Yield the answers of one call of the adapter, which ends if the adapter raises."""
        waiting: dict[str, None] = {}
        not_asked: list[Transcript] = []
        last = ""

        def taken() -> Iterator[Scenario]:
            nonlocal last
            for scenario in scenarios:
                failure = self.not_asked(scenario)
                if failure is not None:
                    not_asked.append(Transcript(scenario.id, (), failure))
                    continue
                last = scenario.id
                waiting[last] = None
                yield copied(scenario)

        failure = None
        try:
            answers = iter(self.adapter.run(taken()))
        except BaseException as error:
            if from_outside(error):
                raise
            failure = self._failure(error, "run")
        while failure is None:
            try:
                with not_in_a_fork():
                    transcript = next(answers, None)
                if transcript is None:
                    break
                _check(transcript)
            except BaseException as error:
                if from_outside(error):
                    raise
                failure = self._failure(error, "run")
                break
            waiting.pop(transcript.scenario, None)
            yield transcript
        if failure is not None:
            if not last and not not_asked:
                waiting.update(dict.fromkeys(scenario.id for scenario in scenarios))
            for name in waiting or [last]:
                yield Transcript(name, (), failure)
        yield from not_asked

    def _failure(self, error: BaseException, method: _Method) -> Failure:
        if isinstance(error, NotAnswered):
            return error.failure
        if isinstance(error, ProtocolBreach):
            return failure_of(error)
        said = message_of(error) + ("; " if text_of(error) else ": ")
        text = f"{said}raised by `{method}` of the adapter, at {self._place(error, method)}"
        return Failure("exception", printable(text), traceback_of(error))

    def _place(self, error: BaseException, method: _Method) -> str:
        """Return the file and line in the adapter at which it raised, or else at which its method begins."""
        code: Any = getattr(getattr(type(self.adapter), method, None), "__code__", None)
        return place_of(error, code) or name_of(type(self.adapter))


class _ContainedSession(Session):
    def __init__(self, adapter: ContainedAdapter, session: Session) -> None:
        self._adapter, self._session = adapter, session
        self.step = session.step  # type: ignore[method-assign]  # saves a call per step

    def state_bytes(self) -> int | None:
        return self._session.state_bytes()

    def resident_bytes(self) -> int | None:
        return self._session.resident_bytes()

    def close(self) -> None:
        try:
            self._session.close()
        except BaseException as error:
            if from_outside(error):
                raise
            self._adapter.closing_failed(error)


class _FailedSession(Session):
    def __init__(self, failure: Failure) -> None:
        self._failure = failure

    def step(self, step: Step) -> Outputs:
        raise NotAnswered(self._failure)


def own_adapter(adapter: Adapter) -> Adapter:
    """Return the adapter of the engine's author."""
    return adapter.adapter if isinstance(adapter, ContainedAdapter) else adapter


def _content(scenario: Scenario) -> int:
    """Return the hash of a scenario without its id: properties run the scenario under another id."""
    return hash(replace(scenario, id=""))


def _check(transcript: object) -> None:
    """Raise `ProtocolBreach` unless the object is a transcript that names its scenario."""
    if type(transcript) is not Transcript or type(transcript.scenario) is not str:
        raise ProtocolBreach(f"`run` of the adapter yielded {shown(transcript)}; expected is a Transcript")
