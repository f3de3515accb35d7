"""The metrics of a monitor, for Prometheus.

The labels are job, source, subtask and the name of a finding, never a path, a split or a key. The number of
series is bounded.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from tidegauge.wire.scenario import BadInput
from tidegauge.wire.timestamps import MAX, MIN

from ..event_log.names import FINDINGS
from .watch import Watch

MOST_SUBTASKS: Final = 1_000
"""The maximum number of subtasks with series of their own: those with the most recent rows."""

MOST_OPERATORS: Final = 1_000
"""The maximum number of operators with series for each finding."""

_LONGEST_LABEL: Final = 200
"""The number of characters after which the name of a job or a source is cut."""

_OF_SUBTASK: Final = ("job", "source", "subtask")


class WatchMetrics(Collector):
    """Reads the metrics of a watch each time Prometheus scrapes them."""

    def __init__(self, watch: Watch, clock: Callable[[], float] = time.time) -> None:
        self._watch = watch
        self._clock = clock

    def describe(self) -> Iterator[Any]:
        """Yield nothing: the registry need not collect anything to learn the names."""
        return iter(())

    def collect(self) -> Iterator[Any]:
        """Yield the metrics as they are now."""
        with self._watch.lock:
            yield from [*self._of_subtasks(), *self._of_findings(), *self._of_the_monitor()]

    def _of_subtasks(self) -> Iterator[Any]:
        lag = GaugeMetricFamily(
            "tidegauge_watermark_lag_seconds",
            "How far the watermark is behind the clock.",
            labels=_OF_SUBTASK,
        )
        records = CounterMetricFamily(
            "tidegauge_records", "The number of records in the log of the subtask.", labels=_OF_SUBTASK
        )
        late = CounterMetricFamily("tidegauge_late_rows", "The number of late rows.", labels=_OF_SUBTASK)
        state = GaugeMetricFamily("tidegauge_state_rows", "The number of rows in state.", labels=_OF_SUBTASK)
        seen = GaugeMetricFamily(
            "tidegauge_last_row_timestamp_seconds", "The time of the newest row.", labels=_OF_SUBTASK
        )
        for (job, source, number), subtask in list(self._watch.folds.subtasks.items())[-MOST_SUBTASKS:]:
            labels = [_label(job), _label(source), str(number)]
            if subtask.watermark is not None and subtask.watermark not in (MIN, MAX):
                lag.add_metric(labels, self._clock() - subtask.watermark / 1000)
            records.add_metric(labels, subtask.records)
            late.add_metric(labels, subtask.late)
            if subtask.state_rows is not None:
                state.add_metric(labels, subtask.state_rows)
            seen.add_metric(labels, subtask.at / 1000)
        yield from (lag, records, late, state, seen)

    def _of_findings(self) -> Iterator[Any]:
        """Yield 1 for each finding that an operator has, and 0 for the others."""
        active = GaugeMetricFamily(
            "tidegauge_finding_active",
            "Whether an operator has a finding (1) or not (0).",
            labels=("finding", "job", "source"),
        )
        present = {key[:3] for key in self._watch.episodes}
        operators = dict.fromkeys((job, source) for job, source, _ in reversed([*self._watch.folds.subtasks]))
        for job, source in list(operators)[:MOST_OPERATORS]:
            for name in FINDINGS:
                active.add_metric([name, _label(job), _label(source)], float((name, job, source) in present))
        yield active

    def _of_the_monitor(self) -> Iterator[Any]:
        yield CounterMetricFamily(
            "tidegauge_rows_read", "The number of rows that the monitor has read.", self._watch.rows
        )
        number = len(self._watch.folds.subtasks)
        yield GaugeMetricFamily(
            "tidegauge_subtasks_not_exported",
            f"The number of subtasks beyond the {MOST_SUBTASKS} that have metrics.",
            max(0, number - MOST_SUBTASKS),
        )


def _label(name: str) -> str:
    return name[:_LONGEST_LABEL]


def serve(watch: Watch, host: str, port: int) -> int:
    """Serve the metrics of a watch on a port (0: a free one), and return the port.

    Raises `BadInput` if the address cannot be used.
    """
    registry = CollectorRegistry()
    registry.register(WatchMetrics(watch))
    try:
        server, _ = start_http_server(port, host, registry)
    except (OSError, OverflowError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise BadInput(
            f"--prometheus {port}: {host}:{port} cannot be used: {reason}; name another port, or 0 for any"
        ) from problem
    return int(server.server_port)
