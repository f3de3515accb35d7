"""Whole jobs on a cluster of Flink in a JVM of its own, in virtual time.

Not claimed: backpressure, which Flink measures on the wall, and restarts.
"""

from tempfile import TemporaryDirectory

from ..process.adapter import ProcessAdapter
from .driver import DRIVER
from .jars import NEWEST

_REMARK = " Jobs run on a MiniCluster, in virtual time: watermarks come with each record"
_BUFFER = ", and pipeline.watermark-alignment.buffer-size is {}"

_JVM = ("-XX:+UseSerialGC", "-Xmx768m", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1")
_OPENED = ("java.base/java.lang", "java.base/java.util")
"""What Flink needs of the JDK from 17 on."""

_SECONDS = "120"
"""A job says nothing before it has ended, which takes some seconds."""


def remark(release: str, buffer: str) -> str:
    """Return the sentence on how jobs run, for the description of the adapter."""
    return _REMARK + (_BUFFER.format(buffer) if release == NEWEST else "") + "."


class JobsOnACluster(ProcessAdapter):
    """The driver in a JVM in which Flink's cluster can run. It is started with the first job."""

    def __init__(self, java: str, class_path: str, buffer: str) -> None:
        self._folder = TemporaryDirectory(prefix="tidegauge-flink-")
        opened = [word for package in _OPENED for word in ("--add-opens", f"{package}=ALL-UNNAMED")]
        place = f"-Djava.io.tmpdir={self._folder.name}"
        samples = f"-Dtidegauge.alignment-buffer={buffer}"
        command = (java, *_JVM, *opened, place, samples, "-cp", class_path, DRIVER.main_class)
        super().__init__({"seconds": _SECONDS}, command)

    def close(self) -> None:
        """End the cluster, and remove what it wrote."""
        super().close()
        self._folder.cleanup()
