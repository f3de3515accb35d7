"""Event time for PySpark: a clock with several inputs as an operator, and sources that wait for one another.

Spark gives a query one watermark, taken from its data between two micro-batches, and has no word for an
input that is silent for a while. This library adds a watermark that belongs to the stream itself: rows say
how far the event time of a channel has come and whether the channel is idle, and an operator with several
input channels follows the *valve*, which turns them into one watermark and one status.

Use `run_valves` for a data frame of steps, or `ValveProcessor` in a `transformWithState` of your own.
`Valve` is the same decision without Spark. Timestamps are whole numbers, in milliseconds.

A whole job is one streaming query: sources with the option `inBandWatermarks`, `operator_input` and
`run_operator_input`, which is the valve with the records passing through it, and `run_windows`, or an
operator of your own.

Nor does Spark hold back a source that is far ahead of the others, so that their records pile up in the state
of a join. After `register(spark)`, `spark.readStream.format("tidegauge")` reads folders of files, or numbers,
from an `AlignedSource`: none of its subtasks gets further ahead of the slowest than a drift that the user
allows.
Call `ensure_coordination(spark)` first to align several sources with one another, in one query or in several
of an application, or run a `coordination()` service of your own for several applications.

It needs PySpark 4.2 or later (4.3 is what it is tested with), and for the valves `protobuf` and the RocksDB
state store provider in a streaming query.
The behaviour is that of the Tidegauge specification; ids such as "VALVE-15" name its rules.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tidegauge_spark.decisions.activity_clock import ClockState, InputActivityClock
from tidegauge_spark.decisions.backlog import (
    WATERMARK_LAG_THRESHOLD,
    BacklogDetector,
    BacklogOutput,
    CombinerState,
    DetectorState,
    RecordAttributesCombiner,
)
from tidegauge_spark.decisions.duration_arguments import Duration
from tidegauge_spark.decisions.errors import IllegalArgumentError, IllegalStateError
from tidegauge_spark.decisions.low_watermark.service import LowWatermark, LowWatermarkService, Vertex
from tidegauge_spark.decisions.low_watermark.source import SourceLowWatermarks
from tidegauge_spark.decisions.sources.coordinator import Announcement, SourceCoordinators
from tidegauge_spark.decisions.sources.subtask import (
    PausingUnsupportedError,
    SourceOutput,
    SourceSettings,
    SourceSubtask,
    SubtaskState,
)
from tidegauge_spark.decisions.splits import CombinationState, InputWatermarks, SplitWatermarks
from tidegauge_spark.decisions.timestamps import MAX, MIN
from tidegauge_spark.decisions.timestamps_and_watermarks import InputState, TimestampsAndWatermarks
from tidegauge_spark.decisions.valve import Valve, ValveOutput, ValveState
from tidegauge_spark.decisions.watermark_generators import (
    BoundedOutOfOrderness,
    GeneratorContext,
    MonotonousTimestamps,
    NoWatermarks,
    ProcessingTime,
    ProcessingTimeWatermarks,
    Punctuated,
    StreamElement,
    WatermarkGenerator,
)
from tidegauge_spark.decisions.watermark_strategy import (
    GeneratorSupplier,
    TimestampAssigner,
    WatermarkAlignment,
    WatermarkStrategy,
    ingestion_time,
    no_watermarks,
    processing_time_watermarks,
    punctuated_watermarks,
    record_time,
)
from tidegauge_spark.decisions.watermarks_with_idleness import WatermarksWithIdleness
from tidegauge_spark.decisions.windows.assigners import (
    SessionWindows,
    SlidingWindows,
    TumblingWindows,
    Window,
)
from tidegauge_spark.decisions.windows.index import KeptWindow
from tidegauge_spark.decisions.windows.settings import WindowSettings
from tidegauge_spark.decisions.windows.windows import (
    StandingResult,
    WindowContents,
    WindowOutput,
    WindowProgress,
    Windows,
)
from tidegauge_spark.group_coordination.client import (
    CoordinatorError,
    CoordinatorGoneError,
    GroupReport,
    GroupSource,
    group_sources,
    leave_group,
)
from tidegauge_spark.group_coordination.member import GroupMember
from tidegauge_spark.group_coordination.service import CoordinationService, coordination
from tidegauge_spark.group_coordination.session import COORDINATOR_CONF, end_coordination, ensure_coordination
from tidegauge_spark.operators.backlog import (
    BACKLOG_DETECTOR_INPUT_SCHEMA,
    BACKLOG_DETECTOR_STATE_SCHEMA,
    BACKLOG_OUTPUT_SCHEMA,
    RECORD_ATTRIBUTES_INPUT_SCHEMA,
    RECORD_ATTRIBUTES_STATE_SCHEMA,
    BacklogDetectorProcessor,
    RecordAttributesProcessor,
    combine_record_attributes,
    run_backlog_detectors,
)
from tidegauge_spark.operators.generator import (
    GENERATOR_INPUT_SCHEMA,
    GENERATOR_OUTPUT_SCHEMA,
    GENERATOR_STATE_SCHEMA,
    GeneratorProcessor,
    run_generators,
)
from tidegauge_spark.operators.idleness import (
    IDLENESS_INPUT_SCHEMA,
    IDLENESS_OUTPUT_SCHEMA,
    IDLENESS_STATE_SCHEMA,
    IdlenessProcessor,
    WatchedInput,
    run_idleness,
)
from tidegauge_spark.operators.operator_input import (
    OPERATOR_INPUT_SCHEMA,
    OperatorInputProcessor,
    channels_of,
    operator_input,
    run_operator_input,
)
from tidegauge_spark.operators.splits import (
    INPUTS_INPUT_SCHEMA,
    INPUTS_STATE_SCHEMA,
    SPLITS_INPUT_SCHEMA,
    SPLITS_OUTPUT_SCHEMA,
    SPLITS_STATE_SCHEMA,
    InputsProcessor,
    SplitsProcessor,
    run_inputs,
    run_splits,
)
from tidegauge_spark.operators.stepped_processor import SteppedProcessor
from tidegauge_spark.operators.stored_windows import WINDOW_CONTENTS_SCHEMA, WINDOW_KEY_SCHEMA
from tidegauge_spark.operators.valve import (
    VALVE_INPUT_SCHEMA,
    VALVE_OUTPUT_SCHEMA,
    VALVE_STATE_SCHEMA,
    ValveProcessor,
    run_valves,
)
from tidegauge_spark.operators.window import (
    WINDOW_INPUT_SCHEMA,
    WINDOW_OUTPUT_SCHEMA,
    WINDOW_STATE_SCHEMA,
    WindowProcessor,
    run_windows,
)

if TYPE_CHECKING:
    from tidegauge_spark.source.aligned_source import AlignedSource, register
    from tidegauge_spark.source.backlog_listener import BacklogChange, BacklogListener
    from tidegauge_spark.source.files.log_files import BrokenLogError, LostFileError
    from tidegauge_spark.source.files.reader import AlignedFilesReader
    from tidegauge_spark.source.numbers.reader import AlignedSourceReader
    from tidegauge_spark.source.options.given import IllegalOptionError
    from tidegauge_spark.source.options.lag_threshold import WATERMARK_LAG_CONF, watermark_lag_threshold
    from tidegauge_spark.source.options.numbers import SOURCE_SCHEMA
    from tidegauge_spark.source.planning.progress_rows import PROGRESS_SCHEMA
    from tidegauge_spark.source.planning.sealed_offset import IllegalOffsetError

__all__ = [
    "BACKLOG_DETECTOR_INPUT_SCHEMA",
    "BACKLOG_DETECTOR_STATE_SCHEMA",
    "BACKLOG_OUTPUT_SCHEMA",
    "COORDINATOR_CONF",
    "GENERATOR_INPUT_SCHEMA",
    "GENERATOR_OUTPUT_SCHEMA",
    "GENERATOR_STATE_SCHEMA",
    "IDLENESS_INPUT_SCHEMA",
    "IDLENESS_OUTPUT_SCHEMA",
    "IDLENESS_STATE_SCHEMA",
    "INPUTS_INPUT_SCHEMA",
    "INPUTS_STATE_SCHEMA",
    "MAX",
    "MIN",
    "OPERATOR_INPUT_SCHEMA",
    "PROGRESS_SCHEMA",
    "RECORD_ATTRIBUTES_INPUT_SCHEMA",
    "RECORD_ATTRIBUTES_STATE_SCHEMA",
    "SOURCE_SCHEMA",
    "SPLITS_INPUT_SCHEMA",
    "SPLITS_OUTPUT_SCHEMA",
    "SPLITS_STATE_SCHEMA",
    "VALVE_INPUT_SCHEMA",
    "VALVE_OUTPUT_SCHEMA",
    "VALVE_STATE_SCHEMA",
    "WATERMARK_LAG_CONF",
    "WATERMARK_LAG_THRESHOLD",
    "WINDOW_CONTENTS_SCHEMA",
    "WINDOW_INPUT_SCHEMA",
    "WINDOW_KEY_SCHEMA",
    "WINDOW_OUTPUT_SCHEMA",
    "WINDOW_STATE_SCHEMA",
    "AlignedFilesReader",
    "AlignedSource",
    "AlignedSourceReader",
    "Announcement",
    "BacklogChange",
    "BacklogDetector",
    "BacklogDetectorProcessor",
    "BacklogListener",
    "BacklogOutput",
    "BoundedOutOfOrderness",
    "BrokenLogError",
    "ClockState",
    "CombinationState",
    "CombinerState",
    "CoordinationService",
    "CoordinatorError",
    "CoordinatorGoneError",
    "DetectorState",
    "Duration",
    "GeneratorContext",
    "GeneratorProcessor",
    "GeneratorSupplier",
    "GroupMember",
    "GroupReport",
    "GroupSource",
    "IdlenessProcessor",
    "IllegalArgumentError",
    "IllegalOffsetError",
    "IllegalOptionError",
    "IllegalStateError",
    "InputActivityClock",
    "InputState",
    "InputWatermarks",
    "InputsProcessor",
    "KeptWindow",
    "LostFileError",
    "LowWatermark",
    "LowWatermarkService",
    "MonotonousTimestamps",
    "NoWatermarks",
    "OperatorInputProcessor",
    "PausingUnsupportedError",
    "ProcessingTime",
    "ProcessingTimeWatermarks",
    "Punctuated",
    "RecordAttributesCombiner",
    "RecordAttributesProcessor",
    "SessionWindows",
    "SlidingWindows",
    "SourceCoordinators",
    "SourceLowWatermarks",
    "SourceOutput",
    "SourceSettings",
    "SourceSubtask",
    "SplitWatermarks",
    "SplitsProcessor",
    "StandingResult",
    "SteppedProcessor",
    "StreamElement",
    "SubtaskState",
    "TimestampAssigner",
    "TimestampsAndWatermarks",
    "TumblingWindows",
    "Valve",
    "ValveOutput",
    "ValveProcessor",
    "ValveState",
    "Vertex",
    "WatchedInput",
    "WatermarkAlignment",
    "WatermarkGenerator",
    "WatermarkStrategy",
    "WatermarksWithIdleness",
    "Window",
    "WindowContents",
    "WindowOutput",
    "WindowProcessor",
    "WindowProgress",
    "WindowSettings",
    "Windows",
    "channels_of",
    "combine_record_attributes",
    "coordination",
    "end_coordination",
    "ensure_coordination",
    "group_sources",
    "ingestion_time",
    "leave_group",
    "no_watermarks",
    "operator_input",
    "processing_time_watermarks",
    "punctuated_watermarks",
    "record_time",
    "register",
    "run_backlog_detectors",
    "run_generators",
    "run_idleness",
    "run_inputs",
    "run_operator_input",
    "run_splits",
    "run_valves",
    "run_windows",
    "watermark_lag_threshold",
]

_OF_SOURCES = {
    "AlignedFilesReader": "source.files.reader",
    "AlignedSource": "source.aligned_source",
    "AlignedSourceReader": "source.numbers.reader",
    "BacklogChange": "source.backlog_listener",
    "BacklogListener": "source.backlog_listener",
    "BrokenLogError": "source.files.log_files",
    "IllegalOffsetError": "source.planning.sealed_offset",
    "IllegalOptionError": "source.options.given",
    "LostFileError": "source.files.log_files",
    "PROGRESS_SCHEMA": "source.planning.progress_rows",
    "SOURCE_SCHEMA": "source.options.numbers",
    "WATERMARK_LAG_CONF": "source.options.lag_threshold",
    "register": "source.aligned_source",
    "watermark_lag_threshold": "source.options.lag_threshold",
}
"""The names of the sources, with their modules. These need PyArrow, whose import takes as long as all else of
a Python process that Spark starts; it starts one for each query, also where no source is used."""


def __getattr__(name: str) -> Any:
    """A name of the sources, imported when it is first used."""
    if name not in _OF_SOURCES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_OF_SOURCES[name]}"), name)
    globals()[name] = value
    return value
