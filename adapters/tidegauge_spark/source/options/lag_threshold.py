"""The option of a job that sets the watermark lag from which its sources are in backlog."""

from __future__ import annotations

from typing import Final

from pyspark.sql import SparkSession

from tidegauge_spark.decisions.backlog import WATERMARK_LAG_THRESHOLD
from tidegauge_spark.decisions.durations import parse_duration
from tidegauge_spark.decisions.timestamps import MAX
from tidegauge_spark.source.options.given import IllegalOptionError

WATERMARK_LAG_CONF: Final = "spark.tidegauge.backlog.watermarkLagThreshold"
"""The setting of a session for the watermark lag from which a source is in backlog, such as "2 minutes". It
is the option `pipeline.backlog.watermark-lag-threshold` of chapter BACKLOG."""


def watermark_lag_threshold(spark: SparkSession) -> int | None:
    """Return the threshold of all sources of the job in ms, or None if the job sets none (BACKLOG-1).

    It is the value of `WATERMARK_LAG_CONF` in the Spark conf, a duration such as "2 minutes". Raises
    `IllegalOptionError` for a value that is not a duration, not greater than 0 (BACKLOG-2), or more than 2^63
    - 1 ms.
    """
    if (flinks := spark.conf.get(WATERMARK_LAG_THRESHOLD, None)) is not None:
        raise IllegalOptionError(
            f"Spark conf {WATERMARK_LAG_THRESHOLD} = {flinks!r}: on Spark it is called {WATERMARK_LAG_CONF}; "
            "set that, and unset this one"
        )
    text = spark.conf.get(WATERMARK_LAG_CONF, None)
    if text is None:
        return None
    try:
        milliseconds = parse_duration(text)
        if milliseconds == 0:
            raise ValueError("is 0, and every watermark lags a little; do not set the option to have none")
        if milliseconds > MAX:
            raise ValueError(f"is more than {MAX} milliseconds")
    except ValueError as problem:
        raise IllegalOptionError(
            f"Spark conf {WATERMARK_LAG_CONF}: the duration {text!r} {problem}"
        ) from None
    return milliseconds
