"""Scenarios of many test items in one call of an engine, before the items ask for their transcripts.

A call of a Spark or Flink adapter starts queries, which takes seconds whatever they are fed. One call for a
whole component costs little more than one for a single item.
"""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from queue import SimpleQueue

from msgspec.structs import replace

from ..wire.scenario import Scenario
from ..wire.transcript import Transcript
from ..wire.vocabulary import Setup
from .adapter import Adapter
from .session import Session
from .single_answers import single_answers

_CALLS_AT_A_TIME = 2
_SECONDS_BETWEEN_LOOKS = 0.1

_LONGEST_TURN = 0.0005
"""So long (s), a tenth of what is usual, a thread may keep Python's lock that others wait for. The thread
that judges always has something to do, and a call needs the lock for a moment after each answer from outside,
hundreds of times a micro-batch."""


class AnswersAhead(Adapter):
    """Stands for `adapter`, and answers from the calls that `start` began.

    Each answer is given as often as `start` was asked for it; a scenario that runs again, to be repeated or
    shrunk, goes to the engine. So does a scenario for which the call brought no answer, or a failure: its
    item runs it by itself, and a failure is laid to the item's own call.

    Calls that make no progress for `patience` seconds while an item waits are ended by `adapter.interrupt`,
    and no others are begun. `patience` is a part of the time that an item has.
    """

    def __init__(
        self, adapter: Adapter, patience: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(adapter.options)
        self._adapter = adapter
        self._patience, self._clock = patience, clock
        self._changed = threading.Condition()
        self._uses: Counter[Scenario] = Counter()
        self._under_way: set[Scenario] = set()
        self._answers: dict[Scenario, Transcript] = {}
        self._ended = False
        self._calls: SimpleQueue[Sequence[Scenario] | None] = SimpleQueue()
        self._usual_turn = sys.getswitchinterval()
        sys.setswitchinterval(_LONGEST_TURN)
        for _ in range(_CALLS_AT_A_TIME):
            threading.Thread(target=self._work, daemon=True).start()

    def start(self, scenarios: Iterable[Scenario]) -> None:
        """Begin a call with these scenarios, equal ones once."""
        if self._ended:
            return
        wanted = Counter(scenarios)
        with self._changed:
            new = [scenario for scenario in wanted if scenario not in self._uses]
            self._uses.update(wanted)
            self._under_way.update(new)
        if new:
            self._calls.put(new)

    def run(self, scenarios: Iterable[Scenario]) -> Iterator[Transcript]:
        """Those that are there or under way; the others by a call of their own."""
        remaining = []
        for scenario in scenarios:
            answer = self._taken(scenario)
            if answer is None:
                remaining.append(scenario)
            else:
                yield answer
        if remaining:
            yield from self._adapter.run(remaining)

    def inexpressible(self, scenario: Scenario) -> str | None:
        """As the adapter says."""
        return self._adapter.inexpressible(scenario)

    def session(self, setup: Setup) -> Session | None:
        """One of the adapter."""
        return self._adapter.session(setup)

    def close(self) -> None:
        """End the calls that are under way; the adapter stays open."""
        with self._changed:
            busy = bool(self._under_way)
        self._end(interrupt=busy)

    def _taken(self, scenario: Scenario) -> Transcript | None:
        """The answer to a scenario, once it is there; None if there will be none."""
        with self._changed:
            if scenario not in self._uses:
                return None
            self._uses[scenario] -= 1
            last = not self._uses[scenario]
            if last:
                del self._uses[scenario]
            moved, progress = self._clock(), self._adapter.progress()
            while scenario in self._under_way and not self._ended:
                if progress != (progress := self._adapter.progress()):
                    moved = self._clock()
                elif self._clock() - moved > self._patience:
                    self._end(interrupt=True)
                self._changed.wait(_SECONDS_BETWEEN_LOOKS)
            return self._answers.pop(scenario, None) if last else self._answers.get(scenario)

    def _end(self, interrupt: bool) -> None:
        with self._changed:
            self._ended = True
            self._under_way.clear()
        if interrupt:
            self._adapter.interrupt()
        for _ in range(_CALLS_AT_A_TIME):
            self._calls.put(None)
        sys.setswitchinterval(self._usual_turn)

    def _work(self) -> None:
        for scenarios in iter(self._calls.get, None):
            if not self._ended:
                self._call(scenarios)

    def _call(self, scenarios: Sequence[Scenario]) -> None:
        """One call of the engine. What it raises, the items will see in calls of their own."""
        named = _with_ids_of_their_own(scenarios)
        try:
            renamed = [replace(one, id=id) for id, one in named.items()]
            for transcript in single_answers(self._adapter, renamed):
                self._keep(named.get(transcript.scenario), transcript)
                if self._ended:
                    break
        except Exception:
            return
        finally:
            with self._changed:
                self._under_way.difference_update(scenarios)
                self._changed.notify_all()

    def _keep(self, scenario: Scenario | None, transcript: Transcript) -> None:
        with self._changed:
            if scenario in self._under_way:
                self._under_way.remove(scenario)
                if transcript.failure is None:
                    self._answers[scenario] = replace(transcript, scenario=scenario.id)
                self._changed.notify_all()
            elif scenario is not None and transcript.failure is not None:  # it has contradicted itself
                self._answers.pop(scenario, None)


def _with_ids_of_their_own(scenarios: Sequence[Scenario]) -> dict[str, Scenario]:
    """The scenarios by their ids; where several have the same one, the others get numbers."""
    named: dict[str, Scenario] = {}
    for number, scenario in enumerate(scenarios):
        named[f"{scenario.id}#{number}" if scenario.id in named else scenario.id] = scenario
    return named
