"""A player whose processor is given and returns what an alteration says, where micro-batches cannot do it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from pyspark.sql.streaming.stateful_processor import ExpiredTimerInfo, TimerValues

from ..playing.alteration import Alteration
from ..playing.played import Played
from ..playing.player import Player
from ..playing.trace import Batch
from ..processor_under_test import ProcessorUnderTest
from ..watched.user_rows import ms_of


class CuredPlayer(Player):
    """A player of the same processor with an alteration of its calls and results."""

    def __init__(self, player: Player, cure: Alteration) -> None:
        vars(self).update(vars(player.altered(cure)))

    def instance(self) -> Any:
        """Return a new instance, whose calls are altered."""
        made = super().instance()
        if self.alteration.expiry_shift or self.alteration.rows_before_watermark:
            return _CuredProcessor(made, self.subject, self.alteration)
        return made

    def played(self, batches: Sequence[Batch], one_instance: bool = False, again: bool = False) -> Played:
        """Play micro-batches and return the outcome, with altered results."""
        played = super().played(batches, one_instance, again)
        if column := self.alteration.later_result:
            played.outputs = [
                replace(output, row=_later(output.row, column, self.alteration.result_shift))
                for output in played.outputs
            ]
        return played


def _later(row: Mapping[str, Any], column: str, shift: int) -> dict[str, Any]:
    value = row[column]
    if value is None:
        return dict(row)
    return {**row, column: value + (timedelta(milliseconds=shift) if isinstance(value, datetime) else shift)}


class _CuredProcessor:
    """Hands on the calls of a processor, with other times."""

    def __init__(self, processor: Any, subject: ProcessorUnderTest, cure: Alteration) -> None:
        self._processor = processor
        self._subject = subject
        self._cure = cure

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._processor, name)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Any]:
        late, subject = self._subject.late, self._subject
        if not self._cure.rows_before_watermark or late is None:
            yield from self._processor.handleInputRows(key, rows, timerValues)
            return
        watermark = timerValues.getCurrentWatermarkInMs()
        for row in rows:
            before = ms_of(getattr(row, subject.time)) - 1
            seen = watermark if late(row, watermark) else min(watermark, before)
            yield from self._processor.handleInputRows(key, iter([row]), TimerValues(0, max(0, seen)))

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[Any]:
        info = ExpiredTimerInfo(expiredTimerInfo.getExpiryTimeInMs() + self._cure.expiry_shift)
        return self._processor.handleExpiredTimer(  # type: ignore[no-any-return]
            key=key, timerValues=timerValues, expiredTimerInfo=info
        )
