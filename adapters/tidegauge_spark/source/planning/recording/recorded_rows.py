"""The rows of an event log for one batch, derived only from the offsets before and after it.

A batch that is planned once and run again after a crash therefore produces the same rows again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tidegauge_spark.decisions.backlog import BacklogOutput
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.event_log.log_files import LogRow


class RecordedSplit(NamedTuple):
    """The state of a split: the subtask that reads it, the number of its records, their greatest event time,
    the watermark (ms; `MIN`: none), whether it has ended, and whether it is idle."""

    subtask: int
    records: int
    latest: int
    watermark: int
    finished: bool
    idle: bool


@dataclass(frozen=True)
class RecordedSource:
    """The state of a source, from an offset.

    source: its identity. at: the processing time of the planning (ms). watermarks: the watermark that each
    subtask has emitted last (ms), `MIN` if none. idle: the subtasks whose last status is idle. said: the
    in-band signals of the subtasks in this batch; None: the source has no in-band signals, only watermarks.
    """

    source: str
    at: int
    watermarks: tuple[int, ...]
    splits: Mapping[str, RecordedSplit]
    idle: frozenset[int] = frozenset()
    said: Mapping[int, Sequence[BacklogOutput]] | None = None

    @property
    def subtasks(self) -> int:
        """The number of subtasks."""
        return len(self.watermarks)

    def shared_out_as(self, other: RecordedSource) -> RecordedSource:
        """Return this source with the subtasks of another one: the state of the subtasks is unknown, the
        splits are the same."""
        return RecordedSource(
            self.source,
            self.at,
            (MIN,) * other.subtasks,
            {
                name: split._replace(subtask=other.splits[name].subtask, idle=False)
                for name, split in self.splits.items()
                if name in other.splits
            },
        )


def rows_between(
    before: RecordedSource,
    after: RecordedSource,
    recorded: int | None,
    *,
    resumed: bool,
    reports: Sequence[int | None],
    bound: int | None,
    run_out: tuple[Collection[int], Collection[int]] = ((), ()),
) -> list[LogRow]:
    """Return the rows from one offset to the next, each subtask's rows in their order.

    recorded: the number of subtasks in the log; None: this is the first batch of the log. resumed: whether
    batches before this one are missing from the log. reports: the report of each subtask to the coordinator
    at this planning (ms; None: the others do not wait for it), empty: no reports. bound: the bound that the
    coordinator then announced (ms). run_out: the subtasks that had read all records of their run, before and
    after the batch.
    """
    rows: list[LogRow] = []
    moved = before.subtasks != after.subtasks
    if moved:
        before = before.shared_out_as(after)
    if recorded is not None and (moved or resumed):
        rows += [LogRow(subtask, "restarted") for subtask in range(max(recorded, after.subtasks))]
        rows += [LogRow(subtask, "finished") for subtask in range(after.subtasks, recorded)]
    begins = recorded is None or moved or resumed
    if begins:
        rows += (row for row in _standing(before) if row.split in ("", *after.splits))
    of_subtask: list[list[str]] = [[] for _ in range(after.subtasks)]
    for name, split in after.splits.items():
        of_subtask[split.subtask].append(name)
    for subtask, names in enumerate(of_subtask):
        rows += (LogRow(subtask, "assigned", split=name) for name in names if name not in before.splits)
        if reports:
            rows += _exchange(subtask, reports[subtask], before, bound)
        said = _said(subtask, before, after)
        first = max((place + 1 for place, row in enumerate(said) if row.kind == "active"), default=0)
        rows += said[:first]
        for name in names:
            rows += _of_split(name, before.splits.get(name), after.splits[name])
        rows += said[first:]
        had_ended = _ended(before, names) or (subtask in run_out[0] and not _read(before, after, names))
        if (begins or not had_ended) and (subtask in run_out[1] or _ended(after, names)):
            rows.append(LogRow(subtask, "finished"))
    return rows


def _standing(source: RecordedSource) -> Iterator[LogRow]:
    """Yield the state of a source when its log begins, or begins again."""
    for name, split in source.splits.items():
        yield LogRow(split.subtask, "assigned", split=name)
        if split.watermark != MIN:
            yield LogRow(split.subtask, "watermark", split.watermark, split=name)
        if split.idle:
            yield LogRow(split.subtask, "idle", split=name)
        if split.finished:
            yield LogRow(split.subtask, "finished", split=name)
    for subtask, watermark in enumerate(source.watermarks):
        if watermark != MIN:
            yield LogRow(subtask, "watermark", watermark)
        if subtask in source.idle:
            yield LogRow(subtask, "idle")


def _exchange(
    subtask: int, report: int | None, before: RecordedSource, bound: int | None
) -> Iterator[LogRow]:
    # The planning may report more than the output, which the reports of a log refer to (SOURCE-6, SOURCE-8).
    # A split that has run out holds back the emitted watermark, but not the one that the planning uses. The
    # others wait for an idle subtask as soon as it has records; it outputs ACTIVE when these are read.
    emitted = before.watermarks[subtask]
    idle = subtask in before.idle
    if report is None:
        if idle:
            yield LogRow(subtask, "report", MAX)
    elif not (idle or MIN < emitted < report):
        yield LogRow(subtask, "report", report)
    if bound is not None:
        yield LogRow(subtask, "announcement", bound)


def _said(subtask: int, before: RecordedSource, after: RecordedSource) -> list[LogRow]:
    """Return the output of a subtask beside its records."""
    if after.said is None:
        watermark = after.watermarks[subtask]
        return [LogRow(subtask, "watermark", watermark)] if watermark > before.watermarks[subtask] else []
    return [
        LogRow(subtask, each.kind, each.timestamp)
        if each.backlog is None
        else LogRow(subtask, "backlog" if each.backlog else "caught-up")
        for each in after.said.get(subtask, ())
    ]


def _of_split(name: str, before: RecordedSplit | None, after: RecordedSplit) -> Iterator[LogRow]:
    known = before if before is not None else RecordedSplit(after.subtask, 0, MIN, MIN, False, False)
    if known.idle and not after.idle:
        yield LogRow(after.subtask, "active", split=name)
    if after.records > known.records:
        latest = None if after.latest == MIN else after.latest
        yield LogRow(after.subtask, "record", latest, split=name, count=after.records - known.records)
    if after.watermark > known.watermark:
        yield LogRow(after.subtask, "watermark", after.watermark, split=name)
    if after.idle and not known.idle:
        yield LogRow(after.subtask, "idle", split=name)
    if after.finished and not known.finished:
        yield LogRow(after.subtask, "finished", split=name)


def _read(before: RecordedSource, after: RecordedSource, splits: Sequence[str]) -> bool:
    """Whether records of these splits are read in this batch."""
    return any(
        after.splits[name].records > (before.splits[name].records if name in before.splits else 0)
        for name in splits
    )


def _ended(source: RecordedSource, splits: Sequence[str]) -> bool:
    """Whether a subtask with these splits has ended all of them, and had one."""
    return bool(splits) and all(name in source.splits and source.splits[name].finished for name in splits)
