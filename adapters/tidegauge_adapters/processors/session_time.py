"""Set the time zone of a Spark session to UTC, whatever the time zone of the machine is."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def in_utc() -> Iterator[None]:
    """Read timestamps without a time zone as UTC inside the block."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()
