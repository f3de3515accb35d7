"""Engines that fork: a copy of the kit's process must not answer, report or clean up beside the kit."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def not_in_a_fork() -> Iterator[None]:
    """End the process at the end of the block if it is not the one that began the block."""
    process = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != process:
            os._exit(1)
