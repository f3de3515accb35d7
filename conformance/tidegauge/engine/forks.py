"""Protects the kit from engines that fork: a copy of the kit's process must not answer, report or clean
up."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def not_in_a_fork() -> Iterator[None]:
    """At the end of the block, end the process if it was forked within the block."""
    process = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != process:
            os._exit(1)
