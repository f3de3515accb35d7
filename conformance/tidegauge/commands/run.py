"""`tidegauge run`: the suites in a child process, results and report from its journal."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import EntryPoint
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from msgspec.structs import replace
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ..engine.loading import adapter_names
from ..run.assembly import assemble, write_results
from ..run.confirmation import confirmed
from ..run.journal import FILE_NAME, AnyEvent, Ended, Finished, JournalReader, Refused, Started
from ..run.last_run import last_run_set_aside
from ..run.options import PYTEST_PREFIX, arguments_of
from ..run.registered_reports import Written, find_requested, write_registered
from ..run.request import Request
from ..run.request_check import check_request
from ..run.watch import IS_WATCHED, Watch, memory_of
from ..wire.implementation import NO_DEVIATIONS
from ..wire.results import FILE_NAME as RESULTS
from ..wire.results import Results, read_results
from ..wire.scenario import BadInput
from .console import ERR, OUT, complains
from .deviations import bring_up_to_date
from .request_options import takes_request
from .summary import print_problems, print_summary

_LOG = "pytest.log"
_POLL_SECONDS = 0.05
_SECONDS_BETWEEN_LINES = 20.0
_SECONDS_TO_START = float(os.environ.get("TIDEGAUGE_SECONDS_TO_START", "120"))
"""So long (s) the test session may take to load the engine and to plan the run."""

_REPORT_FAILED = 3
"""The exit code if every claimed rule passes, and a report could not be written."""

Requested = Annotated[
    list[str] | None,
    typer.Option(
        "--report", help="Write this report, too: allure, or another that is registered. Repeatable."
    ),
]


@complains
@takes_request()
def run(
    request: Request,
    suite: Annotated[str | None, typer.Option(hidden=True)] = None,
    update_deviations: Annotated[
        bool, typer.Option(help="After the run bring the file of known deviations up to date.")
    ] = False,
    reports: Requested = None,
    workers: Annotated[
        int | None, typer.Option("--workers", "-n", min=1, help="Processes; default: one a core.")
    ] = None,
    item_timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds after which a test item is given up.")
    ] = 300.0,
) -> None:
    """Run the conformance suites on an engine, and write results and reports.

    Exit code 0: every claimed rule passes.
    1: failures, errors or an incomplete run.
    2: bad input.
    3: as 0, but a report could not be written.
    """
    if suite is not None:
        raise BadInput("--suite is gone, since every check is scored: leave it out")
    deviations = None if request.deviations in (None, NO_DEVIATIONS) else Path(str(request.deviations))
    if update_deviations and deviations is None:
        raise BadInput("--update-deviations needs the file: give it as --deviations FILE")
    if update_deviations and deviations is not None and not deviations.exists():
        request = replace(request, deviations=NO_DEVIATIONS)
    check_request(request)
    requested = find_requested(reports or ())
    out = Path(request.out)
    began = time.monotonic()
    command = _pytest_command(request, workers or os.cpu_count() or 1, item_timeout)
    with (
        last_run_set_aside(out, _LOG) as remove_last_run,
        (out / _LOG).open("wb") as log,
        _child(command, log.fileno()) as child,
    ):
        events = _followed(child, out, remove_last_run, item_timeout)
    assembled = confirmed(_assembled(events, child.returncode, out, time.monotonic() - began), request, out)
    results, written = _recorded(assembled, out, requested)
    print_problems([event.not_closed for event in events if isinstance(event, Ended) and event.not_closed])
    if update_deviations and deviations is not None:
        bring_up_to_date(deviations, results)
    raise typer.Exit(_exit_code(results, written))


def _recorded(assembled: Results, out: Path, requested: list[EntryPoint]) -> tuple[Results, Written]:
    """Write `results.json`, and show what was written: reports of the run and reports that are made from the
    document later are the same, byte for byte."""
    results = read_results(write_results(assembled, out))
    return results, _shown(results, out, requested)


def _shown(results: Results, out: Path, requested: list[EntryPoint]) -> Written:
    """Write the reports and print the summary."""
    written = write_registered(results, out, requested)
    print_summary(results, written.paths)
    print_problems(written.problems)
    return written


def _exit_code(results: Results, written: Written) -> int:
    """A report that failed says nothing of the engine; what a foreign document says may be any number."""
    if results.exit_code:
        return 2 if results.exit_code == 2 else 1
    return _REPORT_FAILED if written.problems else 0


def _pytest_command(request: Request, workers: int, item_timeout: float) -> list[str]:
    suites = Path(str(files("tidegauge.run") / "suites"))
    command = [sys.executable, "-m", "pytest", "-c", str(suites / "pytest.ini"), "--rootdir", str(suites)]
    command += ["-n", str(workers), "--dist", "load", "-q", "--tb", "short"]
    command += ["--timeout", str(item_timeout), "--timeout-method", "thread"]
    command += ["--pyargs", "tidegauge.run.suites", *arguments_of(request, PYTEST_PREFIX)]
    return command


@contextmanager
def _child(command: list[str], log: int) -> Iterator[subprocess.Popen[bytes]]:
    """The test session; it ends with us, by Ctrl-C, termination or failure too, and its workers with it."""
    with TemporaryDirectory(prefix="tidegauge-") as scratch:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env={**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": scratch, IS_WATCHED: "1"},
        )
        previous = {
            number: signal.signal(number, lambda *_: _signal_group(child.pid, signal.SIGTERM))
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield child
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
            _signal_group(child.pid, signal.SIGKILL)
            child.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def _followed(
    child: subprocess.Popen[bytes], out: Path, when_started: Callable[[], None], item_timeout: float
) -> list[AnyEvent]:
    """The events of the journal, showing progress meanwhile: a bar, or in a log a line now and then. The
    session and its processes are watched; one that does not start, or does nothing any more, is killed."""
    reader, events = JournalReader(out), []
    watch: Watch | None = None
    began = said = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=ERR, transient=True, disable=not ERR.is_terminal) as progress:
        task = progress.add_task("starting", total=None)
        ended = False
        while not ended:
            ended = child.poll() is not None
            for event in reader.new_events():
                events.append(event)
                if isinstance(event, Started):
                    when_started()
                    watch = Watch(out, item_timeout, memory_of(event.request, event.implementation))
                    progress.update(task, total=len(event.planned), description=event.implementation.name)
                elif isinstance(event, Finished):
                    progress.update(task, advance=1, description=event.item)
            if progress.disable and time.monotonic() - said > _SECONDS_BETWEEN_LINES:
                said = time.monotonic()
                finished = sum(isinstance(event, Finished) for event in events)
                planned = sum(len(event.planned) for event in events if isinstance(event, Started))
                OUT.print(f"{said - began:.0f} s: {finished} of {planned or '?'} items finished")
            if watch is not None:
                watch.look()
            if not ended:
                if watch.is_stuck() if watch is not None else time.monotonic() - began > _SECONDS_TO_START:
                    _signal_group(child.pid, signal.SIGKILL)
                _wait(child)
    if watch is None and time.monotonic() - began > _SECONDS_TO_START and not events:
        raise BadInput(f"the engine did not load within {_SECONDS_TO_START:g} s; see {out / _LOG}")
    return events


def _wait(child: subprocess.Popen[bytes]) -> None:
    try:
        child.wait(_POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return


def _assembled(events: list[AnyEvent], exit_status: int, out: Path, duration_s: float) -> Results:
    for event in events:
        if isinstance(event, Refused):
            raise BadInput(event.problem)
    if not any(isinstance(event, Started) for event in events):
        last = (out / _LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        reason = f"signal {-exit_status}" if exit_status < 0 else f"exit status {exit_status}"
        raise BadInput(f"the test session did not start ({reason}): {' '.join(last)}; see {out / _LOG}")
    return assemble(events, out, ["tidegauge", *sys.argv[1:]], duration_s)


@complains
def report(
    source: Annotated[
        Path, typer.Argument(help=f"Folder with a {FILE_NAME} that a run left, or a {RESULTS}.")
    ],
    out: Annotated[Path | None, typer.Option(help="Folder for the reports; default: that of SOURCE.")] = None,
    reports: Requested = None,
) -> None:
    """Write the reports of a run that was killed, from its journal, or of any results.json again.

    Exit code: that of the run.
    2: bad input.
    """
    requested = find_requested(reports or ())
    if source.is_file() or (source.suffix == ".json" and not source.is_dir()):
        results, folder = read_results(source), out or source.parent
        _make(folder)
        written = _shown(results, folder, requested)
    else:
        events = JournalReader(source).new_events()
        if not any(isinstance(event, Started) for event in events):
            raise BadInput(f"{source / FILE_NAME} holds no run; give the --out folder of one")
        folder = out or source
        _make(folder)
        assembled = assemble(events, folder, ["tidegauge", *sys.argv[1:]], 0.0)
        results, written = _recorded(assembled, folder, requested)
    raise typer.Exit(_exit_code(results, written))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            f"output folder {folder} cannot be written: {error.strerror}; choose another"
        ) from None


@complains
def adapters() -> None:
    """List the adapters that are installed."""
    for name in adapter_names():
        OUT.print(escape(name))
