"""One Spark session a process: started when it is first needed, silent, and gone without a trace."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import threading
import zipfile
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

from pyspark import SparkContext
from pyspark.find_spark_home import _find_spark_home
from pyspark.sql import SparkSession

from tidegauge.engine.process_tree import kill_tree

from ..required_pyspark import CHECKPOINT_PACKAGE
from .jvm_launch import environment, output_to
from .temporary_folder import TemporaryFolder

DEFAULT_MASTER = "local[2]"
MEMORY_MIB = 8192
"""What a process with its JVM and the Python workers of that may take; usually it is less than half of it."""
_SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC -Xms1g -Xmn400m"
"""A JVM that lives for minutes and is fed little never earns back what the optimizing compiler takes: a run
needs two thirds of the processor time without it. Without it the cache for compiled code is small, and what
is compiled is thrown out again and again; so it is enlarged. A new generation of 400 MB is seldom full."""

_SHIPPED = ("tidegauge_spark", "tidegauge_adapters")
_SECONDS_TO_END = 20
_STREAMING = "org.apache.spark.sql.execution.streaming"
_running: RunningSpark | None = None
_starting = threading.Lock()
_micro_batches = 0
_counting = threading.Lock()


def running_spark(master: str = DEFAULT_MASTER, parent: Path | None = None) -> RunningSpark:
    """The Spark of this process, started if it does not run yet; one for another master is ended first.

    `parent` is where its temporary folder goes: executors on other machines must see it too.
    """
    global _running
    with _starting:
        if _running is not None and not _running.serves(master, parent):
            end_spark()
        if _running is None:
            _running = RunningSpark(master, parent)
        return _running


def end_spark() -> None:
    """End the Spark of this process, if it runs: its JVM, its workers and its temporary folder."""
    global _running
    ending, _running = _running, None
    if ending is not None:
        ending.end()


def kill_spark() -> None:
    """Kill the JVM of this process, if there is one: whatever waits for it raises. The next query starts
    another."""
    jvm = _jvm()
    if jvm is not None:
        kill_tree(jvm.pid)
        jvm.wait()


def note_micro_batch() -> None:
    """A micro-batch of a query of this process came out."""
    global _micro_batches
    with _counting:
        _micro_batches += 1


def micro_batches() -> int:
    """How many micro-batches have come out of the queries of this process so far."""
    return _micro_batches


def is_local(master: str) -> bool:
    """Whether tasks run in the process of the driver."""
    return re.fullmatch(r"local(\[.*\])?", master) is not None


class RunningSpark:
    """A Spark session with the JVM that it brought up and the folder for everything it writes."""

    def __init__(self, master: str, parent: Path | None) -> None:
        self._master, self._parent = master, parent
        self._process = os.getpid()
        self.folder = TemporaryFolder(parent)
        self._log = self.folder.path / "spark.log"
        atexit.register(self.end)
        try:
            with environment(not is_local(master), self.folder.path), output_to(self._log):
                self.session = _session(master, self.folder.path)
            if not is_local(master):
                self.session.sparkContext.addPyFile(str(_shipped(self.folder.path)))
        except Exception as error:
            log = self._log.read_text(errors="replace") if self._log.exists() else ""
            said = " ".join(log.splitlines()[-3:]) or str(error)
            self.end()
            raise RuntimeError(f"Spark did not start on {master}: {said}") from None

    def serves(self, master: str, parent: Path | None) -> bool:
        """Whether this is the Spark asked for, and alive."""
        jvm = _jvm()
        alive = jvm is not None and jvm.poll() is None and self._process == os.getpid()
        return alive and (master, parent) == (self._master, self._parent)

    def end(self) -> None:
        """Stop the session, wait for the JVM to go, and remove the folder. Can be called twice."""
        atexit.unregister(self.end)
        if self._process != os.getpid():
            return
        jvm = _jvm()
        work = self._work_folder()
        with suppress(Exception):  # whatever it is, the JVM goes next
            for query in self.session.streams.active:
                query.stop()
            self.session.stop()
        gateway = SparkContext._gateway
        with suppress(Exception):
            if gateway is not None:
                gateway.shutdown()
        SparkContext._gateway = SparkContext._jvm = None
        if jvm is not None:
            _ended(jvm)
        if work is not None:
            shutil.rmtree(work, ignore_errors=True)
            with suppress(OSError):
                work.parent.rmdir()
        self.folder.remove()

    def _work_folder(self) -> Path | None:
        """Where the workers of a local cluster write, of all places into the installation of Spark."""
        if not self._master.startswith("local-cluster"):
            return None
        with suppress(Exception):
            return Path(_find_spark_home(), "work", self.session.sparkContext.applicationId)
        return None


def _jvm() -> subprocess.Popen[bytes] | None:
    process: subprocess.Popen[bytes] | None = getattr(SparkContext._gateway, "proc", None)
    return process


def _ended(jvm: subprocess.Popen[bytes]) -> None:
    """The JVM ends when its standard input does; if not, it is killed."""
    with suppress(OSError):
        if jvm.stdin is not None:
            jvm.stdin.close()
    try:
        jvm.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        kill_tree(jvm.pid)
        jvm.wait()


def _session(master: str, folder: Path) -> SparkSession:
    """Quiet and small. Level OFF because ERROR still dumps stack traces when a query stops in mid-batch."""
    java = f"-Djava.io.tmpdir={folder} -XX:-UsePerfData {_SHORT_LIVED}"
    settings = {
        "spark.app.name": "tidegauge",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": java,
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(folder),
        "spark.log.level": "OFF",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.checkpointFileManagerClass": (
            f"{_STREAMING}.{CHECKPOINT_PACKAGE}FileSystemBasedCheckpointFileManager"
        ),
        "spark.sql.streaming.pollingDelay": "1ms",
        "spark.sql.streaming.stateStore.providerClass": f"{_STREAMING}.state.RocksDBStateStoreProvider",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if not is_local(master):
        settings["spark.executor.extraJavaOptions"] = "-XX:-UsePerfData"
        if not master.startswith("local-cluster"):
            del settings["spark.driver.bindAddress"], settings["spark.driver.host"]
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _shipped(folder: Path) -> Path:
    """The packages that Python workers need, as a file to send to them."""
    archive = folder / "tidegauge.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for package in _SHIPPED:
            root = Path(str(files(package)))
            for source in sorted(root.rglob("*.py")):
                packed.write(source, source.relative_to(root.parent))
    return archive
