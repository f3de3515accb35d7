"""Sources of one query, and a clock for the coordination service, driven as Spark drives them, without Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

from spark_programs.driven_query import DrivenQuery
from tidegauge_spark import coordination
from tidegauge_spark.group_coordination.groups import Groups


class ServiceClock:
    """The clock of a coordination service: seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def clocked_coordination(groups: Groups) -> Iterator[str]:
    """Run a coordination service over these groups, which have a clock of their own."""
    with (
        patch("tidegauge_spark.group_coordination.service.Groups", lambda: groups),
        coordination() as address,
    ):
        yield address


def trigger(sources: Sequence[DrivenQuery]) -> bool:
    """Run a micro-batch of a query over these sources; return whether there was one."""
    ends = [source.latest() for source in sources]
    planned = [source.take(end) for source, end in zip(sources, ends, strict=True)]
    for source, is_new in zip(sources, planned, strict=True):
        if is_new:
            source.execute()
    return any(planned)


def end(sources: Sequence[DrivenQuery]) -> None:
    """End the process of each source as Spark does, which often kills it: nobody hears of it."""
    for source in sources:
        heartbeat = source.reader._heartbeat
        if heartbeat is not None:
            heartbeat.stop()
