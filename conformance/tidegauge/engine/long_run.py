"""A session kept busy for long: the size of its state and its memory on the way, and how long steps take."""

import gc
import time
import tracemalloc
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from ..wire.scenario import Scenario
from .errors import NotAnswered, failure_of
from .interruption import from_outside
from .session import Session, played

MOMENTS = 4
"""The state is looked at after each quarter of the rounds."""


@dataclass(frozen=True)
class LongRun:
    """`state` and `memory` (bytes) at each of the `MOMENTS`, `state` is empty where it is not known.
    `resident`: the memory is that of another process. `seconds`: what a step took, on average, in each round.
    """

    rounds: int
    steps: int
    state: tuple[int, ...]
    memory: tuple[int, ...]
    resident: bool
    seconds: tuple[float, ...]

    @property
    def slower(self) -> float:
        """How many times as long a step of the last third of the rounds takes as one of the first third, 1 if
        the rounds are too few or too short to tell. A round that something else held up does not count:
        medians are compared."""
        third = len(self.seconds) // 3
        if self.rounds < _TELLING or sum(self.seconds) / self.rounds * self.steps < _TELLING_SECONDS:
            return 1.0
        first, last = median(self.seconds[:third]), median(self.seconds[-third:])
        return last / first if first else 1.0


def long_run(
    session: Session,
    opening: Scenario,
    round: Callable[[int], Scenario],
    rounds: int,
    with_state: bool,
    with_memory: bool,
) -> LongRun:
    """Step a session through `opening` and a number of rounds.

    Args:
        session: the session.
        opening: the steps before the first round.
        round: returns the steps of a round, by its number.
        rounds: the number of measured rounds.
        with_state: whether the engine has snapshots, so that the size of its state is measured.
        with_memory: whether the engine runs unchanged, so that its memory is worth measuring.

    Raises:
        NotAnswered: with the failure of a step.
    """
    in_this_process = session.resident_bytes() is None
    clock = time.process_time if in_this_process else time.perf_counter  # CPU time excludes other processes
    with _traced(in_this_process and with_memory):
        _play(session, opening)
        for number in range(_FIRST):
            _play(session, round(number))
        state, memory, steps = [], [], len(opening.history)
        seconds = array("d", bytes(8 * rounds))  # takes no more memory from here on
        quarters = {rounds * quarter // MOMENTS for quarter in range(1, MOMENTS + 1)}
        for number in range(rounds):
            scenario = round(number + _FIRST)
            started = clock()
            _play(session, scenario)
            seconds[number] = (clock() - started) / len(scenario.history)
            steps += len(scenario.history)
            if number + 1 in quarters:
                if with_memory:
                    memory.append(_memory(session))
                if with_state and (size := _state(session)) is not None:
                    state.append(size)
    return LongRun(rounds, steps, tuple(state), tuple(memory), not in_this_process, tuple(seconds))


_FIRST = 4
"""The number of rounds before the measured ones. They fill what is filled only once."""

_TELLING = 200
"""So many rounds tell whether steps take longer and longer."""

_TELLING_SECONDS = 1.0
"""So long (s) are they together: in less, whatever else the machine does shows."""


def _play(session: Session, scenario: Scenario) -> None:
    failure = played(session, scenario).failure
    if failure is not None:
        raise NotAnswered(failure)


def _state(session: Session) -> int | None:
    try:
        return session.state_bytes()
    except BaseException as error:  # what an engine's snapshot raises may be anything
        if from_outside(error):
            raise
        raise NotAnswered(failure_of(error)) from error


def _memory(session: Session) -> int:
    resident = session.resident_bytes()
    if resident is not None:
        return resident
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@contextmanager
def _traced(wanted: bool) -> Iterator[None]:
    """If it is `wanted`, Python counts what objects take for as long as the block runs. What was there before
    is frozen, garbage included, for it is not counted: so the search for garbage is quick."""
    if not wanted or tracemalloc.is_tracing():
        yield
        return
    gc.freeze()
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()
        gc.unfreeze()


def grows(sizes: Sequence[int], at_least: int) -> bool:
    """Whether sizes at even distances increase from each to the next, by `at_least` bytes in all. What is
    dropped now and then, or is filled once, does not grow so."""
    increases = all(earlier < later for earlier, later in pairwise(sizes))
    return len(sizes) == MOMENTS and increases and sizes[-1] - sizes[0] >= at_least
