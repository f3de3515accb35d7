"""Python looks for garbage less often than by itself, while many objects live that are none."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS_A_COLLECTION = 20_000
"""Scenarios and transcripts are many small objects without cycles, which live as long as their item or as the
judging: as often as Python looks for garbage by itself, every 700 objects, that is a tenth of the time."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """For as long as the block runs, or the function that it decorates."""
    usual = gc.get_threshold()
    gc.set_threshold(_OBJECTS_A_COLLECTION)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
