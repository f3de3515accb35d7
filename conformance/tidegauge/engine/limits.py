"""Limits for engines that may never answer, or ask for all memory. Unix only."""

import gc
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from .interruption import Interruption

MEMORY = 4 * 2**30
"""Bytes of address space of a process that runs mutants."""


_AGAIN = 0.1
"""Seconds of computing after which `NoAnswer` is raised once more."""


class NoAnswer(Interruption):
    """The engine takes too long."""


def limit_memory() -> None:
    """From now on this process gets a `MemoryError` where it would take more than `MEMORY`."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))


@contextmanager
def answering_within(seconds: float) -> Iterator[None]:
    """Raise `NoAnswer` in the block once it has computed for so long: time of the processor, so that a busy
    machine ends no engine; and again and again, where the block does not end then. In the main thread only;
    blocks do not nest."""
    previous = signal.signal(signal.SIGPROF, _end)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def _end(_number: int, frame: FrameType | None) -> None:
    """Python swallows what is raised in a callback of the garbage collector: then the next time counts."""
    if frame is None or not any(getattr(one, "__code__", None) is frame.f_code for one in gc.callbacks):
        raise NoAnswer
