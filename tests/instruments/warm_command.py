"""The command `tidegauge` in a fork of a process that has loaded the kit: all that a new Python does, but for its
start, which takes longer than most commands do."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import forkserver
from pathlib import Path
from tempfile import TemporaryDirectory

LOADED = (
    "tidegauge.__main__",
    "tidegauge.commands.execute",
    "tidegauge.commands.promote",
    "tidegauge.commands.run",
    "tidegauge.commands.vectors",
    "tidegauge_adapters.reference",
    "tidegauge_reports.compliance.html",
)
"""What most commands load."""

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(list(LOADED))


def warm_command(
    arguments: Sequence[str], folder: Path, input: str, environment: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """`python -m tidegauge arguments`, run in `folder`; `seconds`: after so long it is killed, and this raises."""
    with TemporaryDirectory() as scratch:
        streams = [Path(scratch, name) for name in ("stdin", "stdout", "stderr")]
        streams[0].write_text(input, encoding="utf-8")
        packages = [path for path in sys.path if path and not Path(path).is_relative_to(_TESTS)]
        told = (arguments, [str(folder), *packages], dict(environment), streams)
        child = _CONTEXT.Process(target=_be_the_command, args=told)
        _warm(environment)
        child.start()
        child.join(seconds)
        if child.exitcode is None:
            child.kill()
            raise subprocess.TimeoutExpired(["tidegauge", *arguments], seconds)
        said = [stream.read_text(encoding="utf-8") for stream in streams[1:]]
        return subprocess.CompletedProcess(["tidegauge", *arguments], child.exitcode, *said)


_TESTS = Path(__file__).parent.parent


def _warm(environment: Mapping[str, str]) -> None:
    """Start the process that is forked, if it does not run: in the environment of commands, since the kit looks
    at the width of the terminal when it is loaded."""
    ours = dict(os.environ)
    os.environ.update(environment)
    try:
        forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(ours)


def _be_the_command(
    arguments: Sequence[str], path: list[str], environment: Mapping[str, str], streams: Sequence[Path]
) -> None:
    """Run the command in this process, which ends with it."""
    for number, stream in enumerate(streams):
        file = os.open(stream, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - open to the end
        for number in range(3)
    )
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(path[0])
    sys.path[:] = path
    sys.argv = ["tidegauge", *arguments]
    from tidegauge.__main__ import main

    try:
        main()
    finally:
        atexit._run_exitfuncs()  # what a process of multiprocessing leaves out
