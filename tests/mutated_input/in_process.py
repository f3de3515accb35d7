"""The command `tidegauge` in a fork of a process that has loaded it: as a user calls it, without a new Python."""

from __future__ import annotations

import gc
import io
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path

PLAIN = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200", "PYTHONIOENCODING": "utf-8"}
"""No styles on the terminal, whose escape sequences would be the kit's own. To be set before rich is loaded."""

SECONDS = 60
"""After so long a command that has not ended is killed."""

MEMORY = 4 * 2**30
"""Bytes of address space that it gets."""

OUR_OWN_TROUBLE = 99
"""The exit code of a fork in which something else than the command raised."""


@dataclass(frozen=True)
class Ended:
    """How a command ended. `code` is None if it was killed because it took too long, negative for a signal;
    `seconds` are those that it computed."""

    code: int | None
    stdout: bytes
    stderr: bytes
    seconds: float


def warm(arguments: Sequence[str], folder: Path) -> None:
    """Run the command in this process, with valid files: what it loads and keeps need not be made in forks."""
    from tidegauge.__main__ import main
    from tidegauge.vectors.published import own_vectors

    here, given, silent = Path.cwd(), sys.argv, io.StringIO()
    os.chdir(folder)
    sys.argv = ["tidegauge", *arguments]
    try:
        with redirect_stdout(silent), redirect_stderr(silent), suppress(SystemExit):
            main()
    finally:
        os.chdir(here)
        sys.argv = given
    own_vectors.cache_clear()  # kept by the name of a folder, which forks have, too
    gc.collect()
    gc.freeze()  # so that forks share the memory of this process


def forked(arguments: Sequence[str], folder: Path, stdin: bytes) -> Ended:
    """The command, run in `folder`."""
    out, err = os.memfd_create("out"), os.memfd_create("err")
    given = os.memfd_create("in")
    os.write(given, stdin)
    os.lseek(given, 0, os.SEEK_SET)
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _command(arguments, folder, (given, out, err))
    handle = os.pidfd_open(child)
    too_long = not select.select([handle], [], [], SECONDS)[0]
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # and all that it started
    _, status, used = os.wait4(child, 0)
    os.close(handle)
    os.close(given)
    code = None if too_long else os.waitstatus_to_exitcode(status)
    return Ended(code, _read(out), _read(err), used.ru_utime + used.ru_stime)


def spawned(arguments: Sequence[str], folder: Path, stdin: bytes) -> Ended:
    """The same in a new Python, as a user's shell does it."""
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "tidegauge", *arguments],
            cwd=folder,
            input=stdin,
            capture_output=True,
            env={**os.environ, **PLAIN, "TMPDIR": _temporary(folder)},
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return Ended(None, b"", b"", SECONDS)
    return Ended(ran.returncode, ran.stdout, ran.stderr, 0.0)


def kept_traceback(folder: Path) -> str:
    """The traceback that the kit has kept of a defect of its own; empty if there is none."""
    kept = sorted((folder / "tmp").glob("tidegauge-*.txt"))
    return kept[0].read_text(encoding="utf-8", errors="replace") if kept else ""


def _command(arguments: Sequence[str], folder: Path, streams: tuple[int, int, int]) -> None:
    """Be the command. Never returns."""
    code: object = OUR_OWN_TROUBLE
    try:
        os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(folder)
        tempfile.tempdir = _temporary(folder)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - the parent has read of its own
        sys.argv = ["tidegauge", *arguments]
        from tidegauge.__main__ import main

        main()
        code = 0
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _temporary(folder: Path) -> str:
    (folder / "tmp").mkdir(exist_ok=True)
    return str(folder / "tmp")


def _read(file: int) -> bytes:
    size = os.lseek(file, 0, os.SEEK_END)
    content = os.pread(file, size, 0)
    os.close(file)
    return content
