"""Event time for PySpark: sources with an exact watermark that wait for one another, and operators.

`load(reader)` returns the rows of an `AlignedSource`, with the watermark of the source under Spark's windows,
joins and deduplication: the smallest over its partitions. `withWatermark` follows the furthest partition.
`watermark_of(reader)` does the same for Spark's own Kafka source.

Spark gives a query one watermark, and windows that fire once, at their end. For allowed lateness, early
results, retractions and a late output this library has operators whose watermark belongs to the stream
itself: `run_windows` takes the result of `load_inputs(reader, key=...)` and the aggregates of
`tidegauge_spark.operators.aggregates`. An operator with several input channels follows a *valve*, which
combines their watermarks and statuses into one watermark and one status: `run_valves` does so for a data
frame of steps. `Valve` makes the same decisions without Spark. Timestamps are whole numbers, in milliseconds.

Spark does not hold back a source that is far ahead of the others, so its records pile up in the state of a
join. After `register(spark)`, `spark.readStream.format("tidegauge")` reads folders of files, topics of Kafka,
or numbers from an `AlignedSource`: none of its subtasks gets further ahead of the slowest than a drift that
the user allows. Call `ensure_coordination(spark)` first to align several sources, in one query or in several
queries of an application. For several applications run a `coordination()` service.

The library requires PySpark 4.1 or later; its README says what works where. The valves also need `protobuf`
and the RocksDB state store provider in a streaming query. The behaviour is that of the Tidegauge
specification; ids such as "VALVE-15" name its rules.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tidegauge_spark.decisions.watermark_strategy import WatermarkStrategy
    from tidegauge_spark.decisions.windows.assigners import (
        SessionWindows,
        SlidingWindows,
        TumblingWindows,
    )
    from tidegauge_spark.decisions.windows.settings import WindowSettings
    from tidegauge_spark.group_coordination.client import CoordinatorError, group_sources, leave_group
    from tidegauge_spark.group_coordination.service import CoordinationService, coordination
    from tidegauge_spark.group_coordination.session import end_coordination, ensure_coordination
    from tidegauge_spark.operator_inputs import load_inputs
    from tidegauge_spark.operators.backlog import combine_record_attributes, run_backlog_detectors
    from tidegauge_spark.operators.generator import run_generators
    from tidegauge_spark.operators.idleness import run_idleness
    from tidegauge_spark.operators.splits import run_inputs, run_splits
    from tidegauge_spark.operators.valve import run_valves
    from tidegauge_spark.operators.window import run_windows
    from tidegauge_spark.self_check import self_check
    from tidegauge_spark.source.aligned_source import register
    from tidegauge_spark.source.backlog_listener import BacklogChange, BacklogListener
    from tidegauge_spark.source.exact_watermark import load
    from tidegauge_spark.source.options.given import IllegalOptionError
    from tidegauge_spark.source.options.lag_threshold import WATERMARK_LAG_CONF
    from tidegauge_spark.source.planning.broken_log import BrokenLogError
    from tidegauge_spark.source.watermark_of import watermark_of

__version__ = "0.1.0"

__all__ = [
    "WATERMARK_LAG_CONF",
    "BacklogChange",
    "BacklogListener",
    "BrokenLogError",
    "CoordinationService",
    "CoordinatorError",
    "IllegalOptionError",
    "SessionWindows",
    "SlidingWindows",
    "TumblingWindows",
    "WatermarkStrategy",
    "WindowSettings",
    "combine_record_attributes",
    "coordination",
    "end_coordination",
    "ensure_coordination",
    "group_sources",
    "leave_group",
    "load",
    "load_inputs",
    "register",
    "run_backlog_detectors",
    "run_generators",
    "run_idleness",
    "run_inputs",
    "run_splits",
    "run_valves",
    "run_windows",
    "self_check",
    "watermark_of",
]

_MODULES: Final = {
    "BacklogChange": "source.backlog_listener",
    "BacklogListener": "source.backlog_listener",
    "BrokenLogError": "source.planning.broken_log",
    "CoordinationService": "group_coordination.service",
    "CoordinatorError": "group_coordination.client",
    "IllegalOptionError": "source.options.given",
    "SessionWindows": "decisions.windows.assigners",
    "SlidingWindows": "decisions.windows.assigners",
    "TumblingWindows": "decisions.windows.assigners",
    "WATERMARK_LAG_CONF": "source.options.lag_threshold",
    "WatermarkStrategy": "decisions.watermark_strategy",
    "WindowSettings": "decisions.windows.settings",
    "combine_record_attributes": "operators.backlog",
    "coordination": "group_coordination.service",
    "end_coordination": "group_coordination.session",
    "ensure_coordination": "group_coordination.session",
    "group_sources": "group_coordination.client",
    "leave_group": "group_coordination.client",
    "load": "source.exact_watermark",
    "load_inputs": "operator_inputs",
    "register": "source.aligned_source",
    "run_backlog_detectors": "operators.backlog",
    "run_generators": "operators.generator",
    "run_idleness": "operators.idleness",
    "run_inputs": "operators.splits",
    "run_splits": "operators.splits",
    "run_valves": "operators.valve",
    "run_windows": "operators.window",
    "self_check": "self_check",
    "watermark_of": "source.watermark_of",
}
"""The module of each name. A name is imported when it is first used: Spark starts a Python process for each
query, and most of these modules need PyArrow or the whole of PySpark."""


def __getattr__(name: str) -> Any:
    """Import a name of the library when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
