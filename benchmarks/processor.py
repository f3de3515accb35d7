"""What a search of `tidegauge processor` costs beside a bare loop through PySpark's `TwsTester`.

Both put the same traces through the same processor, in rounds of one after the other. The search draws them,
plays each several times as Spark would (new instances, other cuts, other keys) and checks the results. The
bare loop hands the rows of each key to one instance, raises the watermark, and looks at nothing.
"""

import argparse
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pandas as pd
from kept_figures import add_record_option, keep
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.streaming.tws_tester import TwsTester

from tidegauge_adapters.processors import ProcessorUnderTest
from tidegauge_adapters.processors.playing.played import Played
from tidegauge_adapters.processors.playing.player import Player
from tidegauge_adapters.processors.playing.trace import Batch, Trace, segments
from tidegauge_adapters.processors.searching.drawing import Drawing
from tidegauge_adapters.processors.searching.search import TRACES, searched

MINUTE = 60_000
BARE_LOOPS = 20
"""One takes some hundredths of a second, which is too short to be measured."""


class MinuteCounts(StatefulProcessor):
    """Counts the rows of a user in windows of one minute of event time."""

    def init(self, handle: Any) -> None:
        """Declare the state."""
        self.handle = handle
        self.windows = handle.getMapState("windows", "start long", "n long")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        """Count the rows, and set a timer at the end of each window."""
        for row in rows:
            start = row.ts - row.ts % MINUTE
            (n,) = self.windows.getValue((start,)) or (0,)
            self.windows.updateValue((start,), (n + 1,))
            self.handle.registerTimer(start + MINUTE)
        return iter(())

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:
        """Return the count of the window that ends."""
        end = expiredTimerInfo.getExpiryTimeInMs()
        (n,) = self.windows.getValue((end - MINUTE,))
        self.windows.removeKey((end - MINUTE,))
        yield Row(user=key[0], start=end - MINUTE, end=end, n=n)


def in_batch(rows: pd.DataFrame) -> pd.DataFrame:
    """The counts over a whole table."""
    starts = rows.assign(start=rows.ts - rows.ts % MINUTE)
    result = starts.groupby(["user", "start"]).size().reset_index(name="n")
    return result.assign(end=result.start + MINUTE)


SUBJECT = ProcessorUnderTest(
    make=MinuteCounts,
    input_schema="user string, ts long",
    output_schema="user string, start long, end long, n long",
    key="user",
    time="ts",
    any_order=True,
    once=("start", "end"),
    due="end",
    batch=in_batch,
)


class CountingPlayer(Player):
    """Counts how often traces are played."""

    plays = 0

    def played(self, batches: Sequence[Batch], one_instance: bool = False, again: bool = False) -> Played:
        """Play micro-batches."""
        self.plays += 1
        return super().played(batches, one_instance, again)


def drawn(count: int) -> list[Trace]:
    """The traces of the search."""
    player = Player(SUBJECT)
    drawing = Drawing(player)
    return [player.ended(drawing.trace(Random(f"0-{number}"))) for number in range(count)]


def bare(trace: Trace) -> int:
    """Put a trace through `TwsTester`; how many rows come out."""
    tester = TwsTester(
        MinuteCounts(),
        timeMode="EventTime",
        eventTimeExtractor=lambda row: row.ts,
    )
    rows = 0
    for segment in segments(trace):
        if segment.to is not None:
            rows += len(tester.setWatermark(segment.to))
        of_keys: dict[str, list[Row]] = {}
        for arrival in segment.arrivals:
            of_keys.setdefault(arrival.row["user"], []).append(Row(**arrival.row))
        for key, of_key in of_keys.items():
            rows += len(tester.test(key, of_key))
    return rows


def round_of(traces: Sequence[Trace]) -> tuple[float, float, float]:
    """Processor seconds of the search and of the bare loop, and how often the search plays a trace."""
    player = CountingPlayer(SUBJECT)
    began = time.process_time()
    result = searched(player, traces=len(traces))
    between = time.process_time()
    for _ in range(BARE_LOOPS):
        rows = sum(map(bare, traces))
    ended = time.process_time()
    assert not result.broken
    assert rows == result.outputs, "both get the same results"
    return between - began, (ended - between) / BARE_LOOPS, player.plays / len(traces)


def main() -> None:
    """Print the figures, and keep them as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=TRACES)
    parser.add_argument("--rounds", type=int, default=5)
    add_record_option(parser)
    given = parser.parse_args()
    traces = drawn(given.traces)
    round_of(traces[:20])
    rounds = [round_of(traces) for _ in range(given.rounds)]
    ratios = [search / alone for search, alone, _ in rounds]
    figures = {
        "traces/s of the search": len(traces) / statistics.median(search for search, _, _ in rounds),
        "traces/s of the bare loop": len(traces) / statistics.median(alone for _, alone, _ in rounds),
        "plays of a trace in the search": rounds[0][2],
        "search / bare loop": {
            "median": statistics.median(ratios),
            "from": min(ratios),
            "to": max(ratios),
        },
        "search / bare loop, for each play": statistics.median(ratios) / rounds[0][2],
    }
    print(json.dumps(figures, indent=1))
    keep(figures, given.record)


if __name__ == "__main__":
    main()
