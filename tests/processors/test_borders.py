"""Counterexamples at borders of windows, and values that differ, are said as such."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from tidegauge_adapters.processors import ProcessorUnderTest
from tidegauge_adapters.processors.explaining.explanation import explanation
from tidegauge_adapters.processors.playing.player import Player
from tidegauge_adapters.processors.searching.search import Counterexample, searched

MINUTE = 60_000


class Counts(StatefulProcessor):
    """Counts the rows of a user in windows of a minute; each hook is a place for a mistake."""

    def start(self, ts: int, starts: list[int]) -> int:
        return ts - ts % MINUTE

    def end(self, start: int) -> int:
        return start + MINUTE

    def count(self, n: int) -> int:
        return n

    def is_due(self, start: int, expiry: int) -> bool:
        return start + MINUTE <= expiry

    def init(self, handle: Any) -> None:
        self.handle = handle
        self.windows = handle.getMapState("windows", "start long", "n long")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        for row in rows:
            start = self.start(row.ts, [start for (start,) in self.windows.keys()])  # noqa: SIM118
            (n,) = self.windows.getValue((start,)) or (0,)
            self.windows.updateValue((start,), (n + 1,))
            self.handle.registerTimer(start + MINUTE)
        yield from ()

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        for (start,) in sorted(self.windows.keys()):
            if self.is_due(start, expiredTimerInfo.getExpiryTimeInMs()):
                (n,) = self.windows.getValue((start,))
                yield Row(user=key[0], start=start, end=self.end(start), n=self.count(n))
                self.windows.removeKey((start,))


class TakesTheEndIn(Counts):
    def start(self, ts: int, starts: list[int]) -> int:
        start = super().start(ts, starts)
        return start - MINUTE if start == ts and start - MINUTE in starts else start


class EndsOneMsEarly(Counts):
    def end(self, start: int) -> int:
        return start + MINUTE - 1


class CountsToTwo(Counts):
    def count(self, n: int) -> int:
        return min(n, 2)


class ExpiresOneTooLate(Counts):
    def is_due(self, start: int, expiry: int) -> bool:
        return start + MINUTE < expiry


def in_batch(rows: pd.DataFrame) -> pd.DataFrame:
    counted = rows.assign(start=rows.ts - rows.ts % MINUTE).groupby(["user", "start"]).size()
    result = counted.reset_index(name="n")
    return result.assign(end=result.start + MINUTE)


def counterexample(make: Callable[[], Any], check: str) -> tuple[Player, Counterexample]:
    player = Player(
        ProcessorUnderTest(
            make=make,
            input_schema="user string, ts long",
            output_schema="user string, start long, end long, n long",
            key="user",
            time="ts",
            once=("start",),
            batch=in_batch,
        )
    )
    (broken,) = searched(player, traces=80, only=[check]).broken
    return player, broken


@pytest.mark.parametrize(
    ("make", "check", "words"),
    [
        (
            TakesTheEndIn,
            "batch",
            "It is after the window, and the processor includes it: `<=` stands for `<`.",
        ),
        (EndsOneMsEarly, "batch", "It would hold if end were 1 more in each result."),
        (ExpiresOneTooLate, "end", "1 ms later: `<` stands for `<=` in the handler."),
        (CountsToTwo, "batch", ""),
    ],
)
def test_a_border_is_named_where_a_cure_shows_it(make: Callable[[], Any], check: str, words: str) -> None:
    text = explanation(*counterexample(make, check))
    assert text.endswith(words) if words else text == ""


def test_the_row_at_the_border_is_named_by_its_time() -> None:
    player, broken = counterexample(TakesTheEndIn, "batch")
    times = [event.row["ts"] for event in broken.trace if hasattr(event, "row")]
    assert f"a row's time equals the end of a window, {max(times)}" in explanation(player, broken)
    assert max(times) % MINUTE == 0


def test_a_wrong_value_is_said_as_the_value_that_differs() -> None:
    _, broken = counterexample(CountsToTwo, "batch")
    assert broken.wrong.text.startswith("the value of n differs: 2 instead of 3 in the result (user=a start=")


def test_a_missing_result_is_not_a_value_that_differs() -> None:
    _, broken = counterexample(ExpiresOneTooLate, "batch")
    assert broken.wrong.text.startswith("the processor does not return (user=a ")
