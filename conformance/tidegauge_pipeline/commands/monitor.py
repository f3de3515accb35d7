"""`tidegauge monitor`: findings about a job while the job runs."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from tidegauge.commands.console import complains
from tidegauge.wire.scenario import BadInput

from ..event_log.names import FINDINGS

_PACKAGE = "tidegauge_pipeline.monitor"


def _print_file(name: str) -> None:
    typer.echo(files(_PACKAGE).joinpath(name).read_text(encoding="utf-8"), nl=False)
    raise typer.Exit


def _alert_rules(wanted: bool) -> None:
    if wanted:
        _print_file("alerts.yml")


def _dashboard(wanted: bool) -> None:
    if wanted:
        _print_file("dashboard.json")


@complains
def monitor(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="[PATH]", help="An event log that grows: a file or a folder; s3://, too."),
    ] = None,
    flink: Annotated[
        str | None,
        typer.Option(metavar="URL", help="A job of Apache Flink, by its JobManager's REST interface."),
    ] = None,
    job: Annotated[
        str | None, typer.Option(metavar="JOB", help="With --flink: the job's name or id, if several run.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="With --flink: write what is seen as an event log, for check-log."),
    ] = None,
    every: Annotated[str, typer.Option(metavar="TIME", help="The time between two polls, as 5s.")] = "5s",
    window: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="Findings are about the last 10m, say, and end when their cause has left it."
        ),
    ] = "10m",
    once: Annotated[bool, typer.Option("--once", help="Read what is there, and end.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(metavar="FINDING", help=f"Fail on any, or on {', '.join(FINDINGS)}; may be repeated."),
    ] = None,
    skip_bad_files: Annotated[
        bool, typer.Option("--skip-bad-files", help="Go on without files that cannot be read.")
    ] = False,
    prometheus: Annotated[
        int | None,
        typer.Option(metavar="PORT", min=0, max=65_535, help="Serve metrics on this port; 0: on a free one."),
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address on which metrics are served.")
    ] = "127.0.0.1",
    until_stdin_closes: Annotated[
        bool,
        typer.Option("--until-stdin-closes", help="End when the process at the other end of stdin ends."),
    ] = False,
    alert_rules: Annotated[
        bool,
        typer.Option(
            "--alert-rules", callback=_alert_rules, is_eager=True, help="Print alert rules for Prometheus."
        ),
    ] = False,
    dashboard: Annotated[
        bool,
        typer.Option(
            "--dashboard", callback=_dashboard, is_eager=True, help="Print a dashboard for Grafana, as JSON."
        ),
    ] = False,
) -> None:
    """Report findings about a job while it runs: a line when one begins, and a line when it ends.

    `conformance/MONITOR.md` describes the lines, the metrics, and what a monitor cannot see.
    Ctrl-C ends the monitor. Exit code 0: no finding of `--fail-on` has begun.
    1: one has, or files were skipped.
    2: bad input.
    """
    del alert_rules, dashboard  # their callbacks print the file, and end the command
    try:
        from .flink_source import FlinkJob
        from .monitored import Settings, monitored
    except ModuleNotFoundError as missing:
        raise BadInput(f"the monitor needs {missing.name}: pip install 'tidegauge[logs]'") from missing
    if flink is None and (job is not None or out is not None):
        raise BadInput("--job and --out go with --flink only")
    settings = Settings(
        path=path,
        flink=None if flink is None else FlinkJob(flink, job, out),
        every=every,
        window=window,
        is_once=once,
        is_json=json,
        fail_on=tuple(fail_on or ()),
        skips_bad_files=skip_bad_files,
        port=prometheus,
        host=host,
        until_stdin_closes=until_stdin_closes,
    )
    raise typer.Exit(0 if monitored(settings) else 1)
