"""`tidegauge check-log`: what the event log of a production job shows of event time."""

from pathlib import Path
from typing import Annotated

import typer

from tidegauge.commands.console import complains
from tidegauge.commands.force_option import Force
from tidegauge.commands.json_option import AsJson
from tidegauge.wire.scenario import BadInput

from ..event_log.names import FINDINGS, FORMATS, MOST_ROWS, PAGE, RESULTS, TROUBLES


@complains
def check_log(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A file, or a folder with all that is in it; s3://, too.")
    ],
    format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"One of {', '.join(FORMATS)}; default: by the names of files."),
    ] = None,
    max_drift: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="The sources are aligned: so far ahead may one be, as 30s (JOB-2)."
        ),
    ] = None,
    overshoot: Annotated[
        str, typer.Option(metavar="TIME", help="How much farther ahead a source may be before it reacts.")
    ] = "0ms",
    group: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="The aligned sources, as orders,payments; default: all."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="PROPERTY", help="Do not judge this one; may be repeated.")
    ] = None,
    tolerate: Annotated[
        list[str] | None,
        typer.Option(metavar="TROUBLE", help=f"One of {', '.join(TROUBLES)}; may be repeated."),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(metavar="FINDING", help=f"Fail on any, or on {', '.join(FINDINGS)}; may be repeated."),
    ] = None,
    skip_bad_files: Annotated[
        bool,
        typer.Option("--skip-bad-files", help="Go on without files that cannot be read, and count them."),
    ] = False,
    master: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help=f"Run on this Spark; default: in this process, above {MOST_ROWS:,} rows local[*].",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help=f"Write {RESULTS} and {PAGE} into this folder.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Check the event log of a job that ran: broken rules, and findings about the job.

    Nothing runs again, and no reference is queried: each rule that such a log can show is judged by what must
    be true of every log. `conformance/EVENT_LOGS.md` describes the columns.
    Exit code 0: nothing is broken.
    1: a property is broken; or files were skipped, the log is in trouble that is not tolerated, or it has a
    finding of `--fail-on`.
    2: bad input.
    """
    try:
        from .checked_log import checked
    except ModuleNotFoundError as missing:
        raise BadInput(f"event logs need {missing.name}: pip install 'tidegauge[logs]'") from missing
    is_right = checked(
        path=path,
        format=format,
        aligned=(max_drift, overshoot, group),
        ignore=ignore or [],
        tolerate=tolerate or [],
        fail_on=fail_on or [],
        skip_bad_files=skip_bad_files,
        master=master,
        out=out,
        force=force,
        as_json=as_json,
    )
    raise typer.Exit(0 if is_right else 1)
