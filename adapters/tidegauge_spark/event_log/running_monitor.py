"""The monitor of a session: a recorder in the driver, and `tidegauge monitor` as a child process.

The child reads the log that the recorder writes. As a process, it does not compete for the interpreter of the
driver. It ends when the driver ends, even if the driver is killed: its stdin is a pipe, which the operating
system closes with the driver.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

from tidegauge_spark.event_log.progress_recorder import ProgressRecorder
from tidegauge_spark.places.place import is_local, place_of

_SECONDS_TO_END: Final = 60
"""How long `stop` waits for the child to read the rest of the log (s)."""

_STDERR: Final = 2

_running: Final[set[RunningMonitor]] = set()
"""The monitors that are not stopped. Without a reference, a monitor would close the pipe of its child."""


class RunningMonitor:
    """The monitor of a session. It runs until `stop` or the end of the driver."""

    def __init__(
        self, spark: SparkSession, recorder: ProgressRecorder, child: subprocess.Popen[bytes]
    ) -> None:
        self._spark, self._recorder, self._child = spark, recorder, child
        spark.streams.addListener(recorder)
        _running.add(self)

    def stop(self) -> None:
        """Remove the recorder; the child ends when it has read the log. Further calls do nothing.

        Spark delivers the progress of a batch some time after the batch: a monitor that stops at once misses
        the last batches.
        """
        if self not in _running:
            return
        _running.discard(self)
        self._spark.streams.removeListener(self._recorder)
        assert self._child.stdin is not None
        self._child.stdin.close()
        with suppress(subprocess.TimeoutExpired):  # the child ends later, when it has read a long log
            self._child.wait(_SECONDS_TO_END)


def monitor(
    spark: SparkSession,
    folder: str | Path,
    inputs: Mapping[str, str] | None = None,
    port: int | None = None,
    *,
    window: str = "10m",
    every: str = "5s",
    output: str | Path | None = None,
) -> RunningMonitor:
    """Write the event log of all queries of a session, and report findings about them while they run.

    A line is printed when a finding begins, and a line when it ends. A healthy query prints nothing. The
    folder may be new, or hold the log of earlier runs.

    Args:
        spark: the session. Queries that have started already are monitored, too.
        folder: where the log is written, a folder on the driver's machine, or `s3://bucket/folder`.
        inputs: the delay of each observed input, as for `ProgressRecorder`.
        port: the port of 127.0.0.1 on which Prometheus reads metrics, 0 for a free one; None for no metrics.
        window: the length of the window of processing time that findings are about.
        every: the time between two polls of the log.
        output: the file to which lines are appended; None for the driver's stderr.

    Raises:
        ModuleNotFoundError: if the distribution `tidegauge` is not installed in the driver's Python.
        ValueError: for a delay that is not a duration, and for a store that is not supported.
    """
    recorder = ProgressRecorder(folder, inputs)
    arguments = ["--window", window, "--every", every]
    if port is not None:
        arguments += ["--prometheus", str(port)]
    return RunningMonitor(spark, recorder, started_child(folder, arguments, output))


def started_child(
    folder: str | Path, arguments: list[str], output: str | Path | None
) -> subprocess.Popen[bytes]:
    """Start `tidegauge monitor` on a folder, as a child that ends with this process."""
    if find_spec("tidegauge_pipeline") is None:
        raise ModuleNotFoundError(
            "the monitor is a command of the distribution tidegauge, which is not installed in this Python: "
            f"{sys.executable} -m pip install 'tidegauge[monitor]'"
        )
    place = place_of(str(folder))
    if is_local(place):
        Path(place).mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tidegauge", "monitor", place, "--until-stdin-closes", *arguments]
    with nullcontext(_STDERR) if output is None else Path(output).open("ab") as lines:
        # A session of its own: Ctrl-C in the driver's terminal must not end the child before the driver.
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=lines, stderr=lines, start_new_session=True
        )
