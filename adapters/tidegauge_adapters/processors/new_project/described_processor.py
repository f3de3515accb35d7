"""What a processor says of itself: its schemas, its key, its time, and the states that it declares."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle
from pyspark.sql.types import StructType, TimestampNTZType, TimestampType

from tidegauge.wire.scenario import BadInput

from ...ddl import UnreadableSchema, schema_of
from ..processor_under_test import TimeMode
from .source_reader import SourceOfProcessor, source_of

_NAMES = {
    "input_schema": ("INPUT_SCHEMA", "INPUT", "IN_SCHEMA", "input_schema"),
    "output_schema": ("OUTPUT_SCHEMA", "OUTPUT", "OUT_SCHEMA", "output_schema"),
    "state_schema": ("STATE_SCHEMA", "STATE", "state_schema"),
    "key": ("KEY", "KEYS", "KEY_COLUMNS", "KEY_COLUMN", "GROUP_BY"),
    "time": ("TIME_COLUMN", "EVENT_TIME", "EVENT_TIME_COLUMN", "TIME"),
    "time_mode": ("TIME_MODE",),
}
"""The attributes of a class, or of its module, that are taken for what they are called."""

_ARGUMENTS_OF_FUNCTION = 3  # of applyInPandasWithState: key, frames, state


@dataclass(frozen=True)
class DescribedProcessor:
    """A processor as the template of `checks.py` needs it.

    Attributes:
        name: the name of the class or function.
        arguments: the arguments that it needs, by name.
        form: "rows", "pandas" or "group-state".
        known: attributes of `ProcessorUnderTest` as Python expressions; "" for those that are not declared.
        imports: the names in these expressions that a module has.
        columns_read: the columns that its source reads of input rows.
        columns_written: the columns that its source writes.
        states: for each state that `init` declares, its name and kind.
        has_time: whether it needs event time: it sets timers, or looks at the watermark.
    """

    name: str
    arguments: tuple[str, ...]
    form: str
    known: Mapping[str, str]
    imports: tuple[str, ...] = ()
    columns_read: tuple[str, ...] = ()
    columns_written: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    has_time: bool = False


def described(processor: Any, module: str) -> DescribedProcessor:
    """Return what a class or function and its source say.

    Args:
        processor: the class of a processor, a function without arguments that returns one, or the function
            of `applyInPandasWithState`.
        module: the name of the module from which it is imported.

    Raises:
        BadInput: if it is neither.
    """
    arguments = _arguments(processor)
    is_function = not inspect.isclass(processor) and len(arguments) == _ARGUMENTS_OF_FUNCTION
    kind = processor if is_function or inspect.isclass(processor) or arguments else type(processor())
    if not is_function and not hasattr(kind, "handleInputRows"):
        raise BadInput(
            f"{module}:{processor.__name__} is not a stateful processor, it has no method handleInputRows; "
            "name the class that has one, or the function of applyInPandasWithState"
        )
    declared = _Declared(kind, processor.__name__ if kind is processor else "", module)
    source = source_of(kind)
    states = [] if is_function or arguments else _states(processor)
    known = dict.fromkeys(_NAMES, "")
    known |= declared.schemas(("input_schema", "output_schema", *(("state_schema",) if is_function else ())))
    key = declared.columns("key") or tuple(name for name in source.key if declared.may_have(name))
    if key:
        known["key"] = _text(*key)
    time_mode = _time_mode(source, states, declared)
    if time_mode == "ProcessingTime":
        known["time_mode"] = _text(time_mode)
    time = declared.columns("time")
    if not time and time_mode == "EventTime":
        time = declared.only_timestamp() or source.columns_read
    if len(time) == 1 and time_mode != "ProcessingTime":
        known["time"] = _text(*time)
    return DescribedProcessor(
        name=processor.__name__,
        arguments=() if is_function else arguments,
        form="group-state" if is_function else "pandas" if source.has_frames else "rows",
        known=known,
        imports=tuple(declared.imports),
        columns_read=source.columns_read,
        columns_written=source.columns_written,
        states=tuple(map(str, states)),
        has_time=time_mode == "EventTime" or bool(known["time"]),
    )


def _time_mode(source: SourceOfProcessor, states: list[_State], declared: _Declared) -> str:
    if source.has_processing_time or any(state.ttl for state in states):
        return "ProcessingTime"
    return declared.time_mode() or ("EventTime" if source.has_timers or source.has_event_time else "")


class _Declared:
    """The attributes of a class and of its module that describe it.

    Attributes:
        imports: the names of the module that the expressions use.
    """

    def __init__(self, kind: Any, name: str, module: str) -> None:
        owners = [(kind, f"{name}.")] if name else []
        self._owners = [*owners, (sys.modules[module], "")]
        self.imports: list[str] = []
        self._inputs = self._schema("input_schema")

    def schemas(self, options: tuple[str, ...]) -> dict[str, str]:
        """The expression of each schema that is declared."""
        found = {}
        for option in options:
            for owner, prefix, name in self._places(option):
                if _is_schema(getattr(owner, name)):
                    self.imports += [] if prefix else [name]
                    found[option] = prefix + name
                    break
        return found

    def columns(self, option: str) -> tuple[str, ...]:
        """Names of columns that are declared, and that the input may have."""
        for owner, _, name in self._places(option):
            value = getattr(owner, name)
            columns = (value,) if isinstance(value, str) else value
            if isinstance(columns, list | tuple) and all(
                isinstance(one, str) and self.may_have(one) for one in columns
            ):
                return tuple(columns)
        return ()

    def time_mode(self) -> str:
        """The time mode that is declared."""
        for owner, _, name in self._places("time_mode"):
            if getattr(owner, name) in get_args(TimeMode):
                return str(getattr(owner, name))
        return ""

    def may_have(self, column: str) -> bool:
        """Whether the input has a column, as far as it is known."""
        return self._inputs is None or column in self._inputs.names

    def only_timestamp(self) -> tuple[str, ...]:
        """The timestamp of the input, if it has just one."""
        kinds = (TimestampType, TimestampNTZType)
        times = [one.name for one in self._inputs or () if isinstance(one.dataType, kinds)]
        return tuple(times) if len(times) == 1 else ()

    def _schema(self, option: str) -> StructType | None:
        schemas = [getattr(owner, name) for owner, _, name in self._places(option)]
        return next((schema_of(schema) for schema in schemas if _is_schema(schema)), None)

    def _places(self, option: str) -> Iterator[tuple[Any, str, str]]:
        for owner, prefix in self._owners:
            for name in _NAMES[option]:
                if getattr(owner, name, None):
                    yield owner, prefix, name


def _text(*names: str) -> str:
    """Names as Python writes them: one alone, several as a tuple."""
    quoted = [json.dumps(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"({', '.join(quoted)})"


def _is_schema(value: Any) -> bool:
    try:
        schema_of(value)
    except UnreadableSchema:
        return False
    return True


@dataclass(frozen=True)
class _State:
    name: str
    kind: str
    ttl: int | None

    def __str__(self) -> str:
        return f"{self.name} ({self.kind}{f', forgotten after {self.ttl} ms' if self.ttl else ''})"


class _NotingHandle(StatefulProcessorHandle):
    """Notes the states that `init` asks for."""

    def __init__(self) -> None:
        self.states: list[_State] = []

    def getValueState(self, stateName: str, schema: Any, ttlDurationMs: int | None = None) -> Any:
        self.states.append(_State(stateName, "value", ttlDurationMs))

    def getListState(self, stateName: str, schema: Any, ttlDurationMs: int | None = None) -> Any:
        self.states.append(_State(stateName, "list", ttlDurationMs))

    def getMapState(
        self, stateName: str, userKeySchema: Any, valueSchema: Any, ttlDurationMs: int | None = None
    ) -> Any:
        self.states.append(_State(stateName, "map", ttlDurationMs))

    def registerTimer(self, expiryTimestampMs: int) -> None:
        pass

    def deleteTimer(self, expiryTimestampMs: int) -> None:
        pass

    def listTimers(self) -> Iterator[int]:
        return iter(())

    def deleteIfExists(self, stateName: str) -> None:
        pass


def _states(make: Any) -> list[_State]:
    """The states that `init` declares; those before an exception, if it raises one."""
    handle = _NotingHandle()
    try:
        make().init(handle)
    except Exception:  # the checks will show it, with the place
        return handle.states
    return handle.states


def _arguments(processor: Any) -> tuple[str, ...]:
    """The arguments without a default."""
    try:
        parameters = inspect.signature(processor).parameters.values()
    except (TypeError, ValueError):
        return ()
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return tuple(one.name for one in parameters if one.default is one.empty and one.kind not in variable)
