"""`tidegauge run`: runs the items of the suites in worker processes; their journal gives results and
reports."""

import os
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from ..engine.loading import adapter_names
from ..run.assembly import assemble, write_results
from ..run.confirmation import confirmed
from ..run.full_disk import is_full_disk
from ..run.journal import FILE_NAME, Ended, JournalReader, Started
from ..run.log_reports import PAGE, write_log_reports
from ..run.log_reports import RESULTS as LOG_RESULTS
from ..run.options import with_whole_paths
from ..run.own_folder import complaining, own_files, own_folder
from ..run.progress import RunProgress, telling
from ..run.registered_reports import Written, find_requested, write_registered
from ..run.request import Request
from ..run.request_check import checked
from ..run.run_folder import LOG, RUN, killed_run, remove_old_counterexamples, run_folder
from ..run.scenario_cache import NO_CACHE
from ..run.trial_answers import answers_in, asking
from ..run.workers import WorkersOfRun, running_items
from ..wire.implementation import NO_DEVIATIONS
from ..wire.results import FILE_NAME as RESULTS
from ..wire.results import Results, encode_results, read_results
from ..wire.scenario import BadInput
from .console import ERR, KIT_FAILED, OUT, complains
from .deviations import bring_up_to_date
from .force_option import Force
from .json_option import AsJson
from .progress_display import ProgressDisplay, ProgressForm, ShownProgress
from .progress_of_run import followed
from .request_options import takes_request
from .stop_signals import stop_of
from .stopped_run import show_full_disk, show_stopped_run
from .summary import Detail, print_problems, print_summary
from .terminal_text import inline
from .written_reports import show_written

_REPORT_FAILED = 3
"""The exit code if every claimed rule passes, and a report could not be written."""

Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print every failure, every part of the model and every rule.")
]

Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print only the verdict, the diagnosis and the report's place.")
]

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
        bool,
        typer.Option(
            "--update-deviations", help="After the run bring the file of known deviations up to date."
        ),
    ] = False,
    reports: Requested = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            "-n",
            min=1,
            max=256,
            help="Processes; default: one a core, one for one component at smoke.",
        ),
    ] = None,
    item_timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds after which a test item is given up.")
    ] = 300.0,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="End the run at its first failure.")] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Run again on each change in this folder, to the first failure."),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run in the --out folder that was killed.")
    ] = False,
    no_cache: Annotated[
        bool,
        typer.Option(
            "--no-cache", help="Draw all scenarios again, in place of those that an earlier run has kept."
        ),
    ] = False,
    force: Force = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
    progress: ShownProgress = ProgressForm.AUTO,
) -> None:
    """Run the conformance suites on an engine, and write results and reports.

    Exit code 0: every claimed rule passes.
    1: failures, errors or an incomplete run.
    2: bad input, also an engine that answers nothing.
    3: as 0, but a report could not be written.
    4: trouble of the kit itself, or a full disk; then, `--resume` continues.
    130, 143, 129: SIGINT, SIGTERM or SIGHUP has stopped it; `--resume` continues.
    """
    if suite is not None:
        raise BadInput("--suite is gone, since every check is scored: leave it out")
    deviations = None if request.deviations in (None, NO_DEVIATIONS) else Path(str(request.deviations))
    if update_deviations and deviations is None:
        raise BadInput("--update-deviations needs the file: give it as --deviations FILE")
    if update_deviations and deviations is not None and not deviations.exists():
        request = replace(request, deviations=NO_DEVIATIONS)
    if watch and as_json:
        raise BadInput("--watch runs again and again, and --json prints one document: leave one of them out")
    request = checked(request)
    if watch:
        from .watching import run_again_and_again  # its library is for this alone

        again = [argument for argument in sys.argv[1:] if argument != "--watch"]
        run_again_and_again([*again, "--fail-fast"], Path.cwd(), Path(request.out))
        return
    requested = find_requested(reports or ())
    out = Path(request.out)
    request = with_whole_paths(request)
    processes = workers or os.cpu_count() or 1
    began = time.monotonic()
    with run_folder(out, resume, force) as folder:
        try:
            with ProgressDisplay(progress, quiet) as display:
                run_progress = RunProgress(display.show)
                with (folder.path / LOG).open("ab") as log:
                    settings = WorkersOfRun(
                        processes=processes,
                        is_given=workers is not None,
                        item_seconds=item_timeout,
                        log=log.fileno(),
                        environment={NO_CACHE: "1"} if no_cache else {},
                    )
                    with running_items(request, folder.path, settings) as running:
                        shown = followed(running, run_progress, fail_fast, quiet or as_json)
                events = JournalReader(folder.path).new_events()
                took = time.monotonic() - began
                called, ask = ["tidegauge", *sys.argv[1:]], asking(events, request, folder.path)
                with telling(run_progress.later):
                    assembled = assemble(events, out, called, took, processes=processes, ask=ask)
                    results = _recorded(confirmed(assembled, request, out), out)
                    written = write_registered(results, out, requested)
            _print(results, written, Detail(verbose, quiet, shown), as_json)
            folder.take_place()
        except KeyboardInterrupt as interrupt:
            stop = stop_of(interrupt)
            show_stopped_run(stop, folder, reports or (), as_json)
            raise typer.Exit(stop.exit_code) from None
        except OSError as error:
            if not is_full_disk(error):
                raise
            show_full_disk(error, folder)
            raise typer.Exit(KIT_FAILED) from None
    print_problems([event.not_closed for event in events if isinstance(event, Ended) and event.not_closed])
    if running.left_behind:
        left = ", ".join(running.left_behind)
        print_problems([f"the engine left processes behind, which were ended: {left}"])
    if update_deviations and deviations is not None:
        bring_up_to_date(deviations, results, ERR if as_json else OUT)
    raise typer.Exit(_exit_code(results, written))


def _recorded(assembled: Results, out: Path) -> Results:
    """Write `results.json`, and return what was written: the reports of the run and reports that are made
    from the document later are then identical, byte for byte."""
    results = read_results(write_results(assembled, out))
    remove_old_counterexamples(out)
    return results


def _print(results: Results, written: Written, detail: Detail, as_json: bool) -> None:
    """Print the summary or the results document, and the reports that could not be written."""
    if as_json:
        typer.echo(encode_results(results).decode(), nl=False)
    else:
        print_summary(results, written.paths, detail)
    print_problems(written.problems)


def _exit_code(results: Results, written: Written) -> int:
    """A report that failed says nothing of the engine; what a foreign document says may be any number."""
    if results.exit_code:
        return 2 if results.exit_code == 2 else 1
    return _REPORT_FAILED if written.problems else 0


@complains
def report(
    source: Annotated[
        Path,
        typer.Argument(
            help=f"Folder with a {FILE_NAME} that a run left, a {RESULTS}, or a {LOG_RESULTS} of check-log."
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="Folder for the reports; default: that of SOURCE.")] = None,
    reports: Requested = None,
    force: Force = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write the reports of a run that was killed, from its journal, or of any results.json again; or the page
    of an event log that check-log has checked.

    Exit code: that of the run; 0 for an event log.
    2: bad input.
    """
    requested = find_requested(reports or ())
    log = source if source.name == LOG_RESULTS else source / LOG_RESULTS
    if log == source or (log.is_file() and not (source / FILE_NAME).exists()):
        _report_log(log, out or log.parent, force=force, as_json=as_json)
        return
    if source.is_file() or (source.suffix == ".json" and not source.is_dir()):
        results, folder = read_results(source), out or source.parent
        with complaining(folder):
            folder.mkdir(parents=True, exist_ok=True)
        if force or RUN.is_in(folder):
            own_folder(folder, RUN, force=force)
    else:
        killed = killed_run(source)
        events = JournalReader(source if killed is None else killed.path).new_events()
        if killed is not None:
            killed.copy_out()
        if not any(isinstance(event, Started) for event in events):
            raise BadInput(f"{source / FILE_NAME} holds no run; give the --out folder of one")
        folder = out or source
        own_folder(folder, RUN, force=force)
        try:
            called = ["tidegauge", *sys.argv[1:]]
            processes, ask = os.cpu_count() or 1, answers_in(events)
            assembled = assemble(events, folder, called, 0.0, processes=processes, ask=ask)
        except BadInput as problem:
            raise BadInput(f"{source / FILE_NAME}: {problem}") from None
        results = _recorded(assembled, folder)
    written = write_registered(results, folder, requested)
    _print(results, written, Detail(verbose, quiet), as_json)
    raise typer.Exit(_exit_code(results, written))


def _report_log(source: Path, folder: Path, *, force: bool, as_json: bool) -> None:
    """Write the views of an event log. Raises `BadInput` if none can be written."""
    own_files(folder, [PAGE], force=force)
    written = write_log_reports(source, folder)
    if written.problems:
        raise BadInput(written.problems[0])
    if as_json:
        typer.echo(source.read_text(encoding="utf-8"), nl=False)
    else:
        show_written(written)


@complains
def adapters() -> None:
    """List the adapters that are installed."""
    for name in adapter_names():
        OUT.print(inline(name))
