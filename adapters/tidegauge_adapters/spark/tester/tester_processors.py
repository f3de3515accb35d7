"""Processors in PySpark's TwsTester: the code of a query, without a query and without a JVM."""

import pickle
from collections.abc import Iterator, Sequence

from tidegauge import Failure, Session, Transcript
from tidegauge.engine.errors import ProtocolBreach, failure_of
from tidegauge.engine.foreign_text import message_of
from tidegauge.engine.in_process import UnmadeSession
from tidegauge.engine.interruption import from_outside
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.transcript import Outputs
from tidegauge.wire.vocabulary import Restore, Setup, Snapshot, Step

from ..binding.made_processors import MadeProcessors, pickled
from ..binding.processor_binding import ProcessorBinding
from ..binding.step_rows import (
    Rise,
    between_batches,
    scenario_batches,
    step_outputs,
    step_row,
    transcript,
)
from .declared_schema import RowDoesNotFit
from .guarded_state import Entries
from .guarded_tester import GuardedTester, Rows, watermark_of

_AT_ONCE = 1000


class TesterProcessors:
    """Runs the processors of `binding`, each scenario in two batches at least, state carried between."""

    def __init__(self, binding: ProcessorBinding) -> None:
        self._binding = binding

    def transcripts(self, scenarios: Sequence[Scenario]) -> Iterator[Transcript]:
        """Scenarios side by side, a key each; the batches are the groups of the scenarios."""
        for start in range(0, len(scenarios), _AT_ONCE):
            yield from self._some(scenarios[start : start + _AT_ONCE])

    def session(self, setup: Setup) -> Session:
        """A component that gets every step in a batch of its own. Where its processor cannot be made, each
        step raises why."""
        try:
            return _TesterSession(self._binding, setup)
        except BaseException as error:
            if from_outside(error):
                raise
            return UnmadeSession(error)

    def _some(self, scenarios: Sequence[Scenario]) -> Iterator[Transcript]:
        made = MadeProcessors(self._binding, scenarios)
        yield from made.failures
        tester = GuardedTester(made.pickled, self._binding.output_schema, self._binding.time_mode)
        remaining = {one.id: scenario_batches(self._binding, one) for one in made.scenarios}
        names = {one.id: made.number(one) for one in made.scenarios}
        outputs: dict[str, Rows] = {scenario.id: [] for scenario in made.scenarios}
        rises: dict[str, list[Rise]] = {scenario.id: [] for scenario in made.scenarios}
        failures: dict[str, tuple[Failure, int]] = {}
        states: dict[str, Entries] = {}
        saved: dict[str, Entries] = {}
        while any(remaining.values()):
            batch: dict[str, tuple[int, Rows | Rise]] = {}
            for key, batches in remaining.items():
                while batches and key not in batch:
                    following = batches.pop(0)
                    if isinstance(following, Snapshot | Restore):
                        _save_or_restore(following, key, states, saved)
                    elif isinstance(following, list) or _advances(following, states.get(key)):
                        batch[key] = names[key], following
            answers, states = tester.batch(batch, states)
            for key, answer in answers.items():
                if isinstance(answer, BaseException):
                    failures[key] = failure_of(_no_answer(answer)), _first_step(batch[key][1])
                    remaining[key] = []
                    continue
                outputs[key] += answer
                if isinstance(rise := batch[key][1], Rise):
                    rises[key].append(rise)
        for scenario in made.scenarios:
            failure, steps = failures.get(scenario.id, (None, 0))
            rows = outputs[scenario.id]
            yield transcript(self._binding, scenario, rows, failure, steps, rises[scenario.id])


class _TesterSession(Session):
    """One component, stepped."""

    def __init__(self, binding: ProcessorBinding, setup: Setup) -> None:
        self._binding = binding
        self._setup = setup
        processors = [pickled(binding.make(setup))]
        self._tester = GuardedTester(processors, binding.output_schema, binding.time_mode)
        self._states: dict[str, Entries] = {}
        self._saved: dict[str, Entries] = {}
        self._reader = binding.reader(setup)

    def state_bytes(self) -> int | None:
        """All states of the key, as they are kept between batches."""
        return len(pickle.dumps(self._states))

    def step(self, step: Step) -> Outputs:
        """One batch of one row."""
        apart = between_batches(self._binding, 0, step)
        if isinstance(apart, Snapshot | Restore):
            _save_or_restore(apart, "key", self._states, self._saved)
            return step_outputs(self._reader, (), [step])[0]
        if apart is not None and not _advances(apart, self._states.get("key")):
            return ()
        work = apart or [step_row(self._binding, "key", self._setup, 0, step)]
        answers, self._states = self._tester.batch({"key": (0, work)}, self._states)
        answer = answers["key"]
        if isinstance(answer, BaseException):
            raise _no_answer(answer)
        try:
            return step_outputs(self._reader, answer, [step], [apart] if apart else [])[0]
        except (ValueError, TypeError, KeyError) as problem:
            raise ProtocolBreach(message_of(problem)) from problem


def _advances(rise: Rise, entries: Entries | None) -> bool:
    """Whether Spark's watermark rises: it never goes back."""
    return rise.watermark > watermark_of(entries or {})


def _first_step(work: Rows | Rise) -> int:
    first: int = work.sequence if isinstance(work, Rise) else work[0]["sequence"]
    return first


def _no_answer(error: BaseException) -> BaseException:
    """Rows and states that do not fit their schema are a breach of the protocol; all else stays as it was
    raised."""
    if not isinstance(error, RowDoesNotFit):
        return error
    breach = ProtocolBreach(message_of(error))
    breach.__cause__ = error
    return breach


def _save_or_restore(step: object, key: str, states: dict[str, Entries], saved: dict[str, Entries]) -> None:
    """A snapshot keeps the state as it was serialised; a restore starts from it, or from none."""
    source, target = (states, saved) if isinstance(step, Snapshot) else (saved, states)
    target.pop(key, None)
    if key in source:
        target[key] = source[key]
