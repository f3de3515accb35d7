"""The tags of an article, each the first time it is seen: a list state. It stays forever, so it is declared.

    tidegauge processor distinct_tags:distinct_tags

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


class DistinctTags(StatefulProcessor):
    """Returns each tag of an article once, with its number; rows without a tag are skipped."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state: the tags so far."""
        self.tags = handle.getListState("tags", "tag string")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        """Return the tags of a micro-batch that are new, also within the micro-batch."""
        seen = [tag for (tag,) in self.tags.get()]
        for row in rows:
            if row.tag is not None and row.tag not in seen:
                seen.append(row.tag)
                self.tags.appendValue((row.tag,))
                yield Row(article=key[0], tag=row.tag, nth=len(seen))


# What holds for it.


def in_batch(rows: pd.DataFrame) -> pd.DataFrame:
    """The tags of a whole table, in the order of its rows."""
    tags = rows.dropna(subset=["tag"]).drop_duplicates(["article", "tag"])
    return tags.assign(nth=tags.groupby("article").cumcount() + 1)


distinct_tags = ProcessorUnderTest(
    make=DistinctTags,
    input_schema="article long, tag string",
    output_schema="article long, tag string, nth int",
    key="article",
    examples=[{"tag": "spark"}, {"tag": "flink"}, {"tag": None}],
    once=("tag",),
    batch=in_batch,
)
