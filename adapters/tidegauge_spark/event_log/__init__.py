"""Event logs: what a job did, as a table that `tidegauge check-log` can judge.

`tidegauge_spark.event_log.monitor(spark, folder)` writes the log of all queries of a session, and reports
findings about them while they run.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tidegauge_spark.event_log.running_monitor import monitor

__all__ = ["monitor"]


def __getattr__(name: str) -> Any:
    """Import `monitor` when it is used: sources import this package in each worker, without the listener."""
    if name != "monitor":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tidegauge_spark.event_log.running_monitor import monitor

    return monitor
