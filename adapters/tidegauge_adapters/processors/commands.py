"""The command `tidegauge processor` runs checks that need no model on a user's processor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markup import escape
from rich.progress import Progress, TextColumn

from tidegauge.commands.console import ERR, OUT, complains
from tidegauge.wire.scenario import BadInput

from ..java import require_java
from ..required_pyspark import refuse_connect
from .batch_results import BatchFunctionFails
from .checks import CHECKS
from .explaining.mistakes import mistakes_found
from .options import Options
from .picture import picture
from .playing.player import Player
from .playing.trace import Trace
from .processor_under_test import ProcessorUnderTest
from .searching.search import TRACES, Counterexample, Searched, checked, in_queries, searched
from .session_time import in_zone
from .target import processor_named
from .terminal import lines_of_checks, lines_of_counterexample, lines_of_gaps, lines_of_trace
from .trace_files import UnreadableTrace, read, written

Engine = Literal["tester", "streaming"]

_TRACES_IN_QUERIES = 6
"""A trace takes some seconds in a query. This number keeps the smoke test within three minutes."""

_COLOURS = {"broken": "bold red", "held": "green", "skipped": "dim"}


@complains
@in_zone("UTC")
def processor(
    target: Annotated[
        str,
        typer.Argument(metavar="MODULE:NAME", help="A ProcessorUnderTest, or the class of a processor."),
    ],
    input_schema: Annotated[
        str,
        typer.Option(
            "--input",
            metavar="DDL",
            help="Its input: 'user string, at timestamp', or a constant.",
        ),
    ] = "",
    output_schema: Annotated[
        str, typer.Option("--output", metavar="DDL", help="Its output: 'user string, n long', or a constant.")
    ] = "",
    key: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="The key; repeatable.")] = None,
    time_column: Annotated[str, typer.Option("--time", metavar="COLUMN", help="The event time.")] = "",
    time_mode: Annotated[
        str, typer.Option(metavar="MODE", help="None, EventTime (if there is a --time) or ProcessingTime.")
    ] = "",
    form: Annotated[str, typer.Option(metavar="FORM", help="rows (default), or pandas.")] = "",
    late_rows: Annotated[
        str, typer.Option(metavar="HOW", help="dropped by Spark in front of it (default), or seen.")
    ] = "",
    example: Annotated[
        list[str] | None, typer.Option(metavar="JSON", help="A row; values are drawn from it. Repeatable.")
    ] = None,
    once: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Identifies a result that comes once a key; repeatable."),
    ] = None,
    due: Annotated[
        str, typer.Option(metavar="COLUMN", help="When a result of a timer is due: the end of a window.")
    ] = "",
    any_order: Annotated[
        bool, typer.Option("--any-order", help="The order of rows between two watermarks changes nothing.")
    ] = False,
    any_zone: Annotated[
        bool, typer.Option("--any-zone", help="The time zone of the machine changes nothing.")
    ] = False,
    ordered: Annotated[bool, typer.Option("--ordered", help="The order of output rows counts.")] = False,
    updates: Annotated[
        bool, typer.Option("--updates", help="Each micro-batch returns the current value of a key.")
    ] = False,
    keeps: Annotated[
        list[str] | None, typer.Option(metavar="STATE", help="A state that may remain; repeatable.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="CHECK", help="Leave this check out; repeatable.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="CHECK", help="Make this check alone; repeatable.")
    ] = None,
    traces: Annotated[int, typer.Option(min=1, metavar="N", help="How many random traces.")] = TRACES,
    seed: Annotated[int, typer.Option(metavar="N", help="The seed of the random traces.")] = 0,
    engine: Annotated[
        Engine,
        typer.Option(help="tester: without a JVM; streaming: some traces in queries of a real Spark, too."),
    ] = "tester",
    replay: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Play the trace of this file instead.")
    ] = None,
    mistakes: Annotated[
        bool,
        typer.Option("--mistakes", help="Measure the checks: which typical mistakes do they find in it?"),
    ] = False,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where counterexamples are written.")] = Path(
        "tidegauge-processor"
    ),
) -> None:
    """Check a stateful PySpark processor against what holds for every one: no cut into micro-batches, restart
    or other key changes its results, nothing is left, streaming equals batch.

    Exit code 0: all checks hold.
    1: one is broken, and a counterexample is shown; or no row comes out, and nothing is checked.
    2: bad input.
    """
    subject = processor_named(
        target,
        Options(
            input_schema=input_schema,
            output_schema=output_schema,
            key=key or (),
            time=time_column,
            time_mode=time_mode,
            form=form,
            late_rows=late_rows,
            examples=example or (),
            once=once or (),
            due=due,
            any_order=any_order,
            any_zone=any_zone,
            ordered=ordered,
            updates=updates,
            keeps=keeps or (),
            without=without or (),
        ),
        on_read=lambda line: OUT.print(escape(line), style="dim", soft_wrap=True),
    )
    known = [check.name for check in CHECKS]
    for name in only or ():
        if name not in known:
            raise BadInput(f"--only {name}: there is no such check; known are {', '.join(known)}")
    player = _player(target, subject)
    try:
        if replay is not None:
            trace = read(subject, replay)
            result = checked(player, trace, only or ())
            _print_trace(player, trace)
        else:
            result = _searched(player, traces, seed, only or [])
        if engine == "streaming":
            _play_in_queries(player, result, seed, random_traces=0 if replay else _TRACES_IN_QUERIES)
    except UnreadableTrace as problem:
        raise BadInput(str(problem)) from None
    except BatchFunctionFails as problem:
        raise BadInput(f"{target}: {problem}") from None
    _print_result(result, player, replay is not None)
    if mistakes and not result.broken:
        _print_mistakes(player, seed)
    for counterexample in result.broken:
        _print_counterexample(player, counterexample)
        if replay is None:
            _write(player, counterexample, out, target)
    if result.broken or result.is_vacuous:
        raise typer.Exit(1)


def _play_in_queries(player: Player, result: Searched, seed: int, random_traces: int) -> None:
    from ..spark_session.session import end_spark  # only this option loads a JVM
    from .real_query import QUERY

    try:
        refuse_connect("local")
        require_java("Spark", instead="--engine tester")
    except (ValueError, ImportError) as problem:
        raise BadInput(str(problem)) from None
    try:
        for progress in in_queries(player, result, QUERY, traces=random_traces, seed=seed):
            ERR.print(progress, style="dim", soft_wrap=True)
    finally:
        end_spark()


def _player(target: str, subject: ProcessorUnderTest) -> Player:
    try:
        return Player(subject)
    except Exception as error:
        raise BadInput(f"{target} cannot be created: {type(error).__name__}: {error}") from error


def _searched(player: Player, traces: int, seed: int, only: list[str]) -> Searched:
    with Progress(
        TextColumn("{task.description}"),
        TextColumn("{task.completed}/{task.total}"),
        console=ERR,
        transient=True,
        disable=not ERR.is_terminal,
    ) as progress:
        task = progress.add_task("traces", total=traces)

        def show(phase: str, done: int, of: int) -> None:
            progress.update(task, description=phase, completed=done, total=of)

        return searched(player, traces=traces, seed=seed, only=only, on_progress=show)


def _print_trace(player: Player, trace: Trace) -> None:
    for line in lines_of_trace(player, trace, player.as_spark(trace).outputs):
        OUT.print(escape(line), soft_wrap=True)


def _print_result(result: Searched, player: Player, is_replay: bool) -> None:
    if not is_replay:
        counts = f"{result.traces} traces, {result.rows} rows in, {result.outputs} rows out"
        OUT.print(f"{escape(player.name)}: {counts}", soft_wrap=True)
    subject = player.subject
    if subject.mode == "EventTime" and subject.late_rows == "dropped":
        late = "Spark drops late rows in front of the processor; its handling of late rows is not tested."
        OUT.print(late, style="dim", soft_wrap=True)
    for outcome, line in lines_of_checks(result):
        OUT.print(f"[{_COLOURS[outcome]}]{outcome:8}[/]{escape(line)}", soft_wrap=True)
    for text in lines_of_gaps(result) if not is_replay else ():
        OUT.print(escape(text), style="yellow", soft_wrap=True)
    undeclared = [name for name, reason in result.skipped.items() if reason.startswith("not declared")]
    if undeclared and not is_replay:
        OUT.print(
            f"Skipped, as nothing is declared: {', '.join(undeclared)}. Declare it by options or in a file; "
            "`tidegauge init --language pyspark` writes one.",
            soft_wrap=True,
        )


def _print_mistakes(player: Player, seed: int) -> None:
    OUT.print("\nMistakes made on purpose:", soft_wrap=True)
    for mistake in mistakes_found(player, seed=seed):
        outcome = f"found by {mistake.found_by}" if mistake.found_by else "not found"
        OUT.print(
            f"[{'green' if mistake.found_by else 'bold red'}]{outcome:18}[/]{escape(mistake.words)}",
            soft_wrap=True,
        )


def _print_counterexample(player: Player, counterexample: Counterexample) -> None:
    OUT.print()
    OUT.print(f"[bold red]{counterexample.check.name}[/]", end=": ")
    for line in lines_of_counterexample(player, counterexample):
        OUT.print(escape(line), soft_wrap=True)


def _write(player: Player, counterexample: Counterexample, out: Path, target: str) -> None:
    name = counterexample.check.name
    path = out / f"{name}.json"
    try:
        out.mkdir(parents=True, exist_ok=True)
        path.write_text(written(player.subject, counterexample.trace), encoding="utf-8")
        (out / f"{name}.svg").write_text(picture(player, counterexample), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{out} cannot be written: {error.strerror}; choose another with --out") from None
    OUT.print(
        f"   picture: {out / name}.svg   again: tidegauge processor {escape(target)} --replay {path}",
        soft_wrap=True,
    )
