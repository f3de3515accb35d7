"""The adapter `process`: any engine that speaks the process protocol (`tidegauge.wire.protocol`)."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice

import msgspec

from tidegauge import Adapter, Implementation, Scenario, Session, Transcript
from tidegauge.components.registry import component_by_setup
from tidegauge.engine.errors import NotAnswered
from tidegauge.engine.never_sent import never_sent
from tidegauge.engine.shape_check import read_shapes
from tidegauge.wire.protocol import Description
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.transcript import Failure, Outputs
from tidegauge.wire.unknown_names import unknown
from tidegauge.wire.vocabulary import Setup, Step

from .conversation import Conversation
from .engine_process import EngineGone

_AT_A_TIME = 64
"""Scenarios of one request."""

_MOST_ENDS = 10
"""After so many processes that ended or had to be killed the engine is not started again."""

_NUMBERS = {"seconds": 10.0, "start-seconds": 60.0, "memory-mib": 2048.0}


class ProcessAdapter(Adapter):
    """An engine as a process of its own, which is started again where it ends.

    Options: `command`, as in a shell; `seconds`, how long it may be silent (10); `start-seconds`, the same
    for its first answer (60); `memory-mib`, what it and its children may take (2048). `command`, word by
    word, is given by adapters of an engine that start it themselves.
    """

    def __init__(self, options: Mapping[str, str], command: Sequence[str] = ()) -> None:
        super().__init__(options)
        known = ("command", *_NUMBERS)
        for name in options:
            if name not in known:
                raise ValueError(unknown("option", name, known))
        self._command = list(command) or _command(options.get("command", ""))
        self._numbers = {name: _number(name, options, usual) for name, usual in _NUMBERS.items()}
        self._conversation: Conversation | None = None
        self._description: Description | None = None
        self._ends = 0
        self._last = Failure("missing", "")
        self._sessions = count(1)

    def describe(self) -> Implementation:
        """What the engine says of itself; starts it."""
        if self._description is None:
            try:
                self._talk()
            except EngineGone as gone:
                raise BadInput(_in_one_line(gone.failure)) from None
        assert self._description is not None
        told = {
            name: value
            for name, value in msgspec.structs.asdict(self._description).items()
            if name not in ("protocol", "sessions", "hides", "shapes")
        }
        shapes = read_shapes(self._description.shapes)
        return Implementation(**told, shapes=shapes, options=self.options)

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """Many scenarios a request. Where the engine is lost among them, all of them are asked again one by
        one, so that each loss is laid to its scenario."""
        remaining = iter(scenarios)
        while some := tuple(islice(remaining, _AT_A_TIME)):
            yield from self._run(some)

    def inexpressible(self, scenario: Scenario) -> str | None:
        """What no runtime sends, if the engine does not refuse it; otherwise what the engine says that it
        lacks for the scenario."""
        if self._description is None:
            self.describe()
        assert self._description is not None
        unsent = None if self._description.refuses else never_sent(scenario, self._description.profile)
        if unsent is not None or not self._description.hides:
            return unsent
        try:
            return self.talk().inexpressible(scenario) or None
        except EngineGone as gone:
            self.lost(gone.failure)
            raise

    def session(self, setup: Setup) -> Session | None:
        """An instance in the engine's process; None if the engine has no sessions."""
        if self._description is None:
            self.describe()
        if self._description is None or not self._description.sessions:
            return None
        return ProcessSession(self, str(next(self._sessions)), setup)

    def close(self) -> None:
        """Ask the process to end, and see to it that it does."""
        talk, self._conversation = self._conversation, None
        if talk is not None and talk.is_ours:
            talk.stop()
            talk.end()

    def talk(self) -> Conversation:
        """The process that answers now; a new one where the last has ended. Raises `NotAnswered` where
        too many have ended."""
        if self._ends >= _MOST_ENDS:
            raise NotAnswered(
                Failure(
                    "missing",
                    f"not asked: {self._ends} processes of the engine have ended; {self._last.text}",
                )
            )
        return self._talk()

    def conversation(self) -> Conversation:
        """A new process of the engine, which nobody has asked anything. Raises `BadInput`."""
        memory = int(self._numbers["memory-mib"] * 2**20)
        return Conversation(self._command, self._numbers["start-seconds"], self._numbers["seconds"], memory)

    def is_in(self, talk: Conversation) -> bool:
        """Whether that process is the one that answers now."""
        return self._conversation is talk

    def lost(self, failure: Failure) -> None:
        """The process is gone."""
        self._conversation, self._last = None, failure
        self._ends += 1

    def _talk(self) -> Conversation:
        if self._conversation is None or not self._conversation.is_ours:
            self._conversation = self.conversation()
            try:
                described = self._conversation.describe()
                if self._description not in (None, described):
                    raise self._conversation.breach(
                        "the engine does not describe itself as at its first start"
                    )
                self._description = described
            except EngineGone as gone:
                self.lost(gone.failure)
                raise
        return self._conversation

    def _run(self, scenarios: tuple[Scenario, ...]) -> Iterator[Transcript]:
        try:
            yield from self.talk().run(scenarios)
        except NotAnswered as error:
            if isinstance(error, EngineGone) and self._conversation is not None:
                self.lost(error.failure)
            if len(scenarios) == 1:
                yield Transcript(scenarios[0].id, (), error.failure)
                return
            for scenario in scenarios:
                yield from self._run((scenario,))


class ProcessSession(Session):
    """An instance in the engine's process; it is lost with it."""

    def __init__(self, adapter: ProcessAdapter, name: str, setup: Setup) -> None:
        self._adapter, self._name = adapter, name
        self._talk = adapter.talk()
        try:
            self._talk.open(name, component_by_setup(setup).name, setup)
        except EngineGone as gone:
            adapter.lost(gone.failure)
            raise

    def step(self, step: Step) -> Outputs:
        """Do one step."""
        if not self._adapter.is_in(self._talk):
            raise NotAnswered(Failure("crashed", "the process in which the session was opened has ended"))
        try:
            return self._talk.step(self._name, step)
        except EngineGone as gone:
            self._adapter.lost(gone.failure)
            raise

    def resident_bytes(self) -> int | None:
        """That of the engine's process."""
        return self._talk.resident_bytes()

    def close(self) -> None:
        """Release the instance, if its process is still there."""
        if self._adapter.is_in(self._talk):
            try:
                self._talk.close_session(self._name)
            except EngineGone as gone:
                self._adapter.lost(gone.failure)


def _command(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"option command={text!r} cannot be split into words: {error}") from None
    if not words:
        raise ValueError("option command is missing: --command 'node my_engine.js', for example")
    return words


def _number(name: str, options: Mapping[str, str], usual: float) -> float:
    text = options.get(name)
    if text is None:
        return usual
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ValueError(f"option {name}={text!r} is no number above 0")
    return number


def _in_one_line(failure: Failure) -> str:
    last = [line for line in failure.traceback.splitlines() if line.strip()][-1:]
    said = f"; its stderr ends: {last[0].strip()}" if last else ""
    return f"the engine cannot be asked who it is: {failure.text}{said}"
