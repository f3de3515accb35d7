"""A source in its watermark group: its reports, and the minimum of the group."""

from __future__ import annotations

import contextlib
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import NamedTuple

from pyspark.sql.datasource import DataSourceStreamReader

from tidegauge_spark.decisions.sources.bounds import GroupMinimum
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.group_coordination.client import Address, CoordinatorError, GroupReport, leave_group
from tidegauge_spark.group_coordination.heartbeat import Heartbeat
from tidegauge_spark.group_coordination.member import GroupMember
from tidegauge_spark.group_coordination.presence import SourceRun
from tidegauge_spark.source.options.source import Alignment, SourceOptions


class SourceStanding(NamedTuple):
    """A source as its group sees it: its identity, and its smallest watermark (ms), None if the others do not
    wait for it. reports: the reports of its subtasks, of which the smallest is taken."""

    source: str
    minimum: int | None
    reports: tuple[int | None, ...] = ()

    @classmethod
    def of(cls, source: str, reports: Iterable[int | None]) -> SourceStanding:
        """Return the standing of a source whose subtasks report these watermarks."""
        each = tuple(reports)
        return cls(source, min((one for one in each if one is not None), default=None), each)


class GroupedReader(DataSourceStreamReader):
    """The part of a source coordinator that exchanges reports with the group, if the source is aligned."""

    def __init__(self, options: SourceOptions, wall_clock: Callable[[], int]) -> None:
        self._options = options
        self._wall_clock = wall_clock
        self._run_began = wall_clock()
        self._announced: tuple[int, GroupMinimum] | None = None
        self._member: GroupMember | None = None
        self._heartbeat: Heartbeat | None = None
        self._exchanged: tuple[int | None, ...] = ()

    def _announcement(self, standing: SourceStanding, now: int) -> GroupMinimum | None:
        """Return the state of the group, at most an update interval old; None without alignment."""
        alignment = self._options.alignment
        if self._announced is not None and alignment is not None:
            at, announced = self._announced
            if now - at < alignment.update_interval:
                return announced
        group = self._group_minimum(standing)
        self._announced = None if group is None or not group.complete else (now, group)
        return group

    @property
    def _together(self) -> bool:
        """Whether the bound rises while a batch is planned: no update interval was set."""
        return self._options.alignment is not None and self._options.alignment.update_interval == 0

    @property
    def _has_companions(self) -> bool:
        """Whether other sources of the group are in this query, and plan their batches with this one."""
        alignment = self._options.alignment
        return self._together and alignment is not None and alignment.sources_in_query > 1

    def _told(self, standing: SourceStanding) -> bool:
        """Report the standing of the source; return whether the group has received it, if there is a
        service."""
        self._group_minimum(standing)
        return self._member is None or self._member.gone_for == 0

    def _group_minimum(self, standing: SourceStanding) -> GroupMinimum | None:
        """Report the minimum of this source; return the group's (ALIGN-2), None without alignment."""
        alignment = self._options.alignment
        if alignment is None:
            return None
        if alignment.coordinator is None:
            self._exchanged = standing.reports
            return GroupMinimum(True, standing.minimum, MAX if self._together else None)
        if self._member is None:
            self._member = self._new_member(alignment.coordinator, alignment, standing.source)
            self._heartbeat = Heartbeat(self._member)
        answer = self._member.report(standing.minimum)
        if answer is None:
            return GroupMinimum(complete=False, watermark=None)
        nobody = answer.minimum in (MIN, MAX)
        complete = answer.is_complete(alignment.sources_in_group, alignment.sources_in_query)
        self._exchanged = standing.reports if complete else ()
        return GroupMinimum(complete, None if nobody else answer.minimum, self._reach_of_others(answer))

    @abstractmethod
    def _started_at(self) -> int:
        """Return when the source was started for the first time (ms since 1970)."""

    def _new_member(self, coordinator: Address, alignment: Alignment, source: str) -> GroupMember:
        """Return the source as a member of its group in this run."""
        now = self._wall_clock()
        ages = (now - self._run_began, now - self._started_at())
        run = SourceRun.of(time.monotonic(), *ages, alignment.restart_timeout)
        return GroupMember(coordinator, alignment.group, source, alignment.patience, run=run)

    def _end_heartbeat(self) -> None:
        """Stop the heartbeat of the query."""
        if self._heartbeat is not None:
            self._heartbeat.stop()

    def _reach_of_others(self, answer: GroupReport) -> int | None:
        """Return how far all other sources of the group will be when this batch is read (ms): `MAX` if there
        are none, None if it is not known, as for sources of other queries, whose batches come at other
        times."""
        alignment = self._options.alignment
        if alignment is None or not self._together:
            return None
        if answer.joined == 1:
            return MAX
        return answer.reach if answer.joined <= alignment.sources_in_query else None

    def _minimum_in_query(self) -> int | None:
        """Return the smallest watermark of this query's sources that are not idle (ms), None if it is not
        known.

        Sources of other queries in the group can only make it smaller.
        """
        alignment = self._options.alignment
        if self._options.idle_timeout is None or alignment is None or alignment.sources_in_query == 1:
            return None
        known = None if self._member is None else self._member.known
        if known is None or known.minimum in (MIN, MAX):
            return None
        return known.minimum

    def _leave(self, identity: str) -> None:
        """Leave the group, if there is a service: the others no longer wait for the source."""
        alignment = self._options.alignment
        if alignment is not None and alignment.coordinator is not None:
            with contextlib.suppress(CoordinatorError):
                leave_group(str(alignment.coordinator), alignment.group, identity)
