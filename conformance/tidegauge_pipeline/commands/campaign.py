"""`tidegauge campaign`: very many scenarios through one engine, here or on Spark."""

from typing import Annotated

import typer

from tidegauge.commands.console import KIT_FAILED, complain, complains
from tidegauge.commands.force_option import Force
from tidegauge.commands.progress_display import ProgressForm, ShownProgress
from tidegauge.commands.request_options import takes_request
from tidegauge.commands.stop_signals import stop_of
from tidegauge.commands.stopped_run import resuming_command
from tidegauge.run.full_disk import is_full_disk
from tidegauge.run.request import Request
from tidegauge.wire.scenario import BadInput

from ..campaign.names import MOST_IN_PROCESS


@complains
@takes_request(
    "adapter",
    "option",
    "profile",
    "component",
    "seed",
    "diagnose-steps",
    "scenario-seconds",
    "memory",
    "deviations",
    "out",
)
def campaign(
    request: Request,
    count: Annotated[
        int | None,
        typer.Option(
            min=1, help="Scenarios of each component, with the indices from 0 on; default: 100,000."
        ),
    ] = None,
    exhaustive: Annotated[
        bool,
        typer.Option("--exhaustive", help="In place of random scenarios all histories of a small world."),
    ] = False,
    length: Annotated[int | None, typer.Option(min=1, help="Steps of these histories.")] = None,
    channels: Annotated[
        int | None, typer.Option(min=1, help="The world: a valve of so many channels, and two timestamps.")
    ] = None,
    scope: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The world: a scope of the state cover; default: each of them."),
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help=f"Run on this Spark; default: without Spark, above {MOST_IN_PROCESS:,} scenarios local[*].",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-n", min=1, max=256, help="Processes without Spark; default: one a core."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the campaign in the --out folder that was killed.")
    ] = False,
    force: Force = False,
    progress: ShownProgress = ProgressForm.AUTO,
) -> None:
    """Search very many scenarios for one in which an engine differs from the specification.

    The rows, one for each scenario, are Parquet in the folder `scenarios` of --out.
    `conformance/CAMPAIGNS.md` describes them, and how to run on a cluster.
    Exit code 0: the engine agrees in every scenario.
    1: it differs, or gives no answer.
    2: bad input.
    4: trouble of the kit itself, or a full disk; then, `--resume` continues.
    130, 143, 129: SIGINT, SIGTERM or SIGHUP has stopped it; `--resume` continues.
    """
    try:
        from ..campaign.specification import Exhaustively
        from .judged_campaign import Where, run_campaign
    except ModuleNotFoundError as missing:
        raise BadInput(f"campaigns need {missing.name}: pip install 'tidegauge[logs]'") from missing
    if exhaustive != (length is not None):
        raise BadInput("--exhaustive needs --length, and --length goes with --exhaustive only")
    if not exhaustive and (channels is not None or scope is not None):
        raise BadInput("--channels and --scope go with --exhaustive only")
    if channels is not None and scope is not None:
        raise BadInput("--channels and --scope both name the world: leave one out")
    every = Exhaustively(length, channels, scope) if length is not None else None
    try:
        where = Where(master, workers)
        agrees = run_campaign(request, count, every, where, resume=resume, force=force, progress=progress)
    except KeyboardInterrupt as interrupt:
        stop = stop_of(interrupt)
        complain(f"stopped by {stop.number.name}; finished parts are kept; continue: {resuming_command()}")
        raise typer.Exit(stop.exit_code) from None
    except OSError as error:
        if not is_full_disk(error):
            raise
        what = f"{error.filename or request.out} cannot be written: {error.strerror}"
        complain(f"{what}; finished parts are kept; make space, and continue: {resuming_command()}")
        raise typer.Exit(KIT_FAILED) from None
    raise typer.Exit(0 if agrees else 1)
