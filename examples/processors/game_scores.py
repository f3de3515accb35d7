"""The best scores of the players of a game: a map state, and a row after each micro-batch that improves one.

    tidegauge processor game_scores:game_scores

in this folder checks the processor, without a JVM.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from tidegauge_adapters.processors import ProcessorUnderTest

# What the processor is, whether or not it is ever tested.


class GameScores(StatefulProcessor):
    """Returns the best score of each player that has improved in a micro-batch."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state: the best score by player."""
        self.best = handle.getMapState("best", "player string", "score double")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        """Return a row for each player whose best score is now higher."""
        scores: dict[str, float] = {}
        for row in rows:
            scores[row.player] = max(row.score, scores.get(row.player, row.score))
        for player, score in sorted(scores.items()):
            before = self.best.getValue((player,))
            if before is None or score > before[0]:
                self.best.updateValue((player,), (score,))
                yield Row(game=key[0], player=player, best=score)


# What holds for it.


def in_batch(rows: pd.DataFrame) -> pd.DataFrame:
    """The best scores of a whole table."""
    return rows.groupby(["game", "player"]).agg(best=("score", "max")).reset_index()


game_scores = ProcessorUnderTest(
    make=GameScores,
    input_schema="game string, player string, score double",
    output_schema="game string, player string, best double",
    key="game",
    any_order=True,
    # How many rows a player gets depends on the micro-batches; the last one counts, and all
    # checks compare that one.
    updates=("player",),
    batch=in_batch,
)
