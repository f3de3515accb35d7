"""How a subtask of a source reads."""

from __future__ import annotations

from dataclasses import dataclass

from tidegauge_spark.decisions.watermark_strategy import WatermarkStrategy


@dataclass(frozen=True)
class SourceSettings:
    """How a subtask reads.

    strategy: which generator each output has; the source is aligned if the strategy is. can_pause: the reader
    can stop to read single splits; if it cannot, allow_unaligned_splits lets them run ahead. The reader
    writes each record to an output of its split, or without per_split_outputs all to the main output.
    start: the processing time at the start (ms).
    """

    strategy: WatermarkStrategy
    can_pause: bool = True
    allow_unaligned_splits: bool = False
    per_split_outputs: bool = True
    start: int = 0
