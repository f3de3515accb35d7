"""Event time for PySpark: a clock with several inputs as an operator, and sources that wait for one another.

Spark gives a query one watermark, taken from its data between two micro-batches, and has no word for an
input that is silent for a while. This library adds a watermark that belongs to the stream itself: rows say
how far the event time of a channel has come and whether the channel is idle, and an operator with several
input channels follows the *valve*, which turns them into one watermark and one status.

Use `run_valves` for a data frame of steps, or `ValveProcessor` in a `transformWithState` of your own.
`Valve` is the same decision without Spark. Timestamps are whole numbers, in milliseconds.

Nor does Spark hold back a source that is far ahead of the others, so that their records pile up in the state
of a join. After `register(spark)`, `spark.readStream.format("tidegauge")` reads numbers from an
`AlignedSource`: none of its subtasks gets further ahead of the slowest than a drift that the user allows.
Run a `coordination()` service to align several sources with one another, in one query or in several.

It needs PySpark 4.2 or later (4.3 is what it is tested with), and for the valves `protobuf` and the RocksDB
state store provider in a streaming query.
The behaviour is that of the chapters VALVE, ALIGN and SOURCE of the Tidegauge specification; ids such as
"VALVE-15" name its rules.
"""

from tidegauge_spark.coordinator_client import (
    CoordinatorError,
    GroupSource,
    group_sources,
    leave_group,
)
from tidegauge_spark.coordinator_service import coordination
from tidegauge_spark.offsets import IllegalOffsetError
from tidegauge_spark.options import IllegalOptionError
from tidegauge_spark.source import SOURCE_SCHEMA, AlignedSource, AlignedSourceReader, register
from tidegauge_spark.valve import (
    VALVE_INPUT_SCHEMA,
    VALVE_OUTPUT_SCHEMA,
    VALVE_STATE_SCHEMA,
    ValveProcessor,
    run_valves,
)
from tidegauge_spark.valve_state import (
    MAX,
    MIN,
    IllegalArgumentError,
    Valve,
    ValveOutput,
    ValveState,
)

__all__ = [
    "MAX",
    "MIN",
    "SOURCE_SCHEMA",
    "VALVE_INPUT_SCHEMA",
    "VALVE_OUTPUT_SCHEMA",
    "VALVE_STATE_SCHEMA",
    "AlignedSource",
    "AlignedSourceReader",
    "CoordinatorError",
    "GroupSource",
    "IllegalArgumentError",
    "IllegalOffsetError",
    "IllegalOptionError",
    "Valve",
    "ValveOutput",
    "ValveProcessor",
    "ValveState",
    "coordination",
    "group_sources",
    "leave_group",
    "register",
    "run_valves",
]
