"""An event log is read, judged and shown: what `tidegauge check-log` does."""

from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec
import typer
from rich.progress import Progress
from rich.table import Table

from tidegauge.commands.console import COLOURS, ERR, OUT
from tidegauge.commands.summary import print_problems
from tidegauge.commands.terminal_text import inline
from tidegauge.commands.written_reports import show_written
from tidegauge.run.log_reports import write_log_reports
from tidegauge.run.own_folder import own_files, write_own
from tidegauge.wire.scenario import BadInput
from tidegauge.wire.unknown_names import unknown
from tidegauge.words.log_times import span_text, time_text
from tidegauge.words.numbers import counted, listed

from ..event_log.alignment import Alignment
from ..event_log.chunks import parts_of
from ..event_log.counts import Example
from ..event_log.files import find
from ..event_log.in_process import judged_parts
from ..event_log.job.finding import Finding
from ..event_log.names import FINDINGS, FORMATS, MOST_ROWS, PAGE, RESULTS, TROUBLES
from ..event_log.s3_files import s3_key
from ..event_log.schema import VERSION
from ..event_log.surroundings import NearbyRow, surroundings
from ..event_log.verdicts import SENTENCES, LogResults, PropertyVerdict, results_of, with_surroundings
from ..on_spark.check import judged_on_spark
from ..on_spark.session import session
from .durations import milliseconds
from .local_path import local_path

_MOST_SURROUNDINGS = 10


def checked(
    path: Path,
    format: str | None,
    aligned: tuple[str | None, str, str | None],
    ignore: list[str],
    tolerate: list[str],
    fail_on: list[str],
    skip_bad_files: bool,
    master: str | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> bool:
    """Check the log at a path, print what it shows, and say whether it is right. `aligned` is the drift, the
    overshoot and the sources, as they are written in the options. Raises `BadInput`."""
    ignored = _known("property", ignore, SENTENCES)
    tolerated = _known("trouble", tolerate, TROUBLES)
    failing = set(FINDINGS) if "any" in fail_on else _known("finding", fail_on, FINDINGS)
    if format is not None and format not in FORMATS:
        raise BadInput(unknown("format", format, FORMATS))
    alignment = _alignment(*aligned)
    key = s3_key(path)
    path = local_path("PATH", path) if key is None else path
    out = None if out is None else local_path("--out", out)
    found = find(path, format, skip_bad_files)
    if out is not None:
        own_files(out, [RESULTS, PAGE], force=force)
    parts = parts_of(found.files)
    if master is not None or sum(part.rows for part in parts) > MOST_ROWS:
        with session(master or "local[*]") as spark:
            operators, bad = judged_on_spark(spark, parts, alignment, skip_bad_files)
    else:
        with Progress(console=ERR, transient=True, disable=not ERR.is_terminal) as bar:
            task = bar.add_task("rows", total=sum(part.rows for part in parts))
            operators, bad = judged_parts(
                parts, alignment, skip_bad_files, lambda chunk: bar.advance(task, chunk.rows)
            )
    results = results_of(
        str(path) if key is None else f"s3://{key}",
        VERSION,
        operators,
        files=len(found.files) - len(bad),
        skipped=(*found.skipped, *bad),
        ignored=ignored,
        tolerated=tolerated,
        drift=None if alignment is None else alignment.drift,
    )
    results = with_surroundings(
        results, lambda job, source, first: surroundings(parts, job, source, first), _MOST_SURROUNDINGS
    )
    document = msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n"
    if out is not None:
        write_own(out, RESULTS, document)
    if as_json:
        typer.echo(document.decode(), nl=False)
    else:
        _show(results, tolerated)
    if out is not None:
        written = write_log_reports(out / RESULTS, out)
        if as_json:
            print_problems(written.problems)
        else:
            show_written(written)
    return results.overall == "pass" and not failing & {finding.name for finding in results.findings}


def _known(what: str, names: list[str], known: Collection[str]) -> set[str]:
    for name in names:
        if name not in known:
            raise BadInput(unknown(what, name, known))
    return set(names)


def _alignment(max_drift: str | None, overshoot: str, group: str | None) -> Alignment | None:
    if max_drift is None:
        if group is not None:
            raise BadInput("--group says which sources are aligned: --max-drift must say how far")
        return None
    sources = None if group is None else tuple(name.strip() for name in group.split(","))
    return Alignment(milliseconds("--max-drift", max_drift), milliseconds("--overshoot", overshoot), sources)


def _show(results: LogResults, tolerated: Collection[str]) -> None:
    jobs = len({one.job for one in results.operators})
    subtasks = sum(one.subtasks for one in results.operators)
    OUT.print(
        f"{counted(results.rows, 'row')} of {counted(jobs, 'job')}, "
        f"{counted(len(results.operators), 'operator')}, {counted(subtasks, 'subtask')}, "
        f"in {counted(results.files, 'file')}"
        + (f"; {counted(len(results.skipped), 'bad file')} skipped" if results.skipped else ""),
        soft_wrap=True,
    )
    for bad in results.skipped:
        OUT.print(f"skipped: {inline(bad)}", style="yellow", soft_wrap=True)
    _show_troubles(results, tolerated)
    for one in results.properties:
        if one.verdict == "fail":
            _show_broken(one)
    for finding in results.findings:
        _show_finding(finding)
    table = Table(box=None, pad_edge=False)
    for column in ("rule", "verdict", "rows", "by"):
        table.add_column(column, justify="right" if column == "rows" else "left")
    for rule in results.rules:
        why = f"{rule.reason}: {', '.join(rule.one_of)}" if rule.one_of else rule.reason
        table.add_row(
            rule.rule,
            f"[{COLOURS[rule.verdict]}]{rule.verdict}[/]",
            f"{rule.rows:,}",
            why or ", ".join(rule.properties),
        )
    OUT.print(table)
    OUT.print(
        "A pass is of the rows of this log: a log shows nothing of what did not happen. "
        "`tidegauge run` tests an engine.",
        style="dim",
        soft_wrap=True,
    )


def _show_troubles(results: LogResults, tolerated: Collection[str]) -> None:
    for operator in results.operators:
        for name, count in operator.troubles.items():
            first = count.first[0]
            accepted = " (tolerated)" if name in tolerated else ""
            where = inline(_name(operator.job, operator.source))
            OUT.print(
                f"[yellow]{name}[/]{accepted}: {count.broken:,} in {where}: "
                f"{inline(TROUBLES[name])}; the first: subtask {first.subtask}, row {first.sequence} "
                f"{inline(first.says)}",
                soft_wrap=True,
            )


def _name(job: str, source: str) -> str:
    return f"{job}/{source}" if source else job


def _show_broken(one: PropertyVerdict) -> None:
    count = one.count
    rules = one.rules[0] if len(one.rules) == 1 else f"one of {listed(one.rules, 4)}"
    OUT.print(
        f"[bold red]{rules}[/] {inline(SENTENCES[one.property])} [dim]{one.property}[/]\n"
        f"  {inline(_name(one.job, one.source))}: {counted(count.broken, 'time')} "
        f"in {counted(count.about, 'row')}"
        + (f", at most {span_text(count.far)} of event time" if count.far else "")
        + (f", for at most {span_text(count.long)}" if count.long else ""),
        soft_wrap=True,
    )
    for first in count.first:
        row = f", row {first.sequence}" if first.sequence >= 0 else ""
        because = f" (see row {first.because})" if first.because is not None else ""
        OUT.print(
            f"  at {time_text(first.processing_time)} subtask {first.subtask}{row} "
            f"{inline(first.says)}{because}",
            soft_wrap=True,
        )
    if one.around:
        OUT.print(_nearby(one.around, count.first[0]))


def _show_finding(finding: Finding) -> None:
    worst = "" if finding.worst is None else f", worst at {time_text(finding.worst)}"
    OUT.print(
        f"[bold yellow]{finding.name}[/] {inline(FINDINGS[finding.name])}\n"
        f"  {inline(_name(finding.job, finding.source))}, since {time_text(finding.begin)}{worst}: "
        f"{inline(finding.sentence)}",
        soft_wrap=True,
    )
    for row in finding.evidence:
        where = f"at {time_text(row.processing_time)} subtask {row.subtask}, row {row.sequence}"
        OUT.print(f"  {where} {inline(row.says)}", soft_wrap=True)
    OUT.print(f"  [bold]remedy:[/] {inline(finding.remedy)}", soft_wrap=True)


def _nearby(rows: Sequence[NearbyRow], broken: Example) -> Table:
    """The rows around one that breaks a property, which is marked."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2))
    for column in ("", "row", "processing time", "channel or split", "kind", "event time"):
        table.add_column(column, style="dim" if column == "processing time" else "", overflow="fold")
    for row in rows:
        mark = "->" if row.sequence == broken.sequence else "see" if row.sequence == broken.because else ""
        where = row.split if row.channel is None else str(row.channel)
        at = "" if row.event_time is None else time_text(row.event_time)
        table.add_row(
            mark, f"{row.sequence:,}", time_text(row.processing_time), inline(where), inline(row.kind), at
        )
    return table
