"""What a processor says of itself: its schemas, its key, its time, and the states that it declares."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
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

_WORDS = {
    "input_schema": {"input", "inputs", "in"},
    "output_schema": {"output", "outputs", "out", "result", "results"},
    "state_schema": {"state"},
}
"""A schema whose name has one of these words is taken if there is none with a name of `_NAMES`."""

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
        time_is_guessed: whether the event time in `known` is only a column that its source reads.
        ambiguous: the schemas that are declared several times and differ, with the expressions.
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
    time_is_guessed: bool = False
    ambiguous: Mapping[str, Sequence[str]] = field(default_factory=dict)


def described(processor: Any, module: str, inputs: StructType | None = None) -> DescribedProcessor:
    """Return what a class or function and its source say.

    Args:
        processor: the class of a processor, a function without arguments that returns one, or the function
            of `applyInPandasWithState`.
        module: the name of the module from which it is imported.
        inputs: the schema of its input, if it is known; otherwise the one that is declared.

    Raises:
        BadInput: if it is neither.
    """
    name = getattr(processor, "__name__", type(processor).__name__)
    arguments = _arguments(processor)
    is_function = not inspect.isclass(processor) and len(arguments) == _ARGUMENTS_OF_FUNCTION
    kind = processor if is_function or inspect.isclass(processor) or arguments else type(processor())
    if not is_function and not hasattr(kind, "handleInputRows"):
        raise BadInput(
            f"{module}:{name} is not a stateful processor, it has no method handleInputRows; "
            "name the class that has one, or the function of applyInPandasWithState"
        )
    declared = _Declared(kind, module, inputs)
    source = source_of(kind)
    states = [] if is_function or arguments else _states(processor)
    known = dict.fromkeys(_NAMES, "")
    schemas = ("input_schema", "output_schema", *(("state_schema",) if is_function else ()))
    candidates = {option: declared.schemas(option) for option in schemas}
    known |= {option: one[0] for option, one in candidates.items() if len(one) == 1}
    key = declared.columns("key") or tuple(name for name in source.key if declared.may_have(name))
    if key:
        known["key"] = _text(*key)
    time_mode = _time_mode(source, states, declared)
    if time_mode == "ProcessingTime":
        known["time_mode"] = _text(time_mode)
    time, is_guessed = declared.columns("time"), False
    if not time and time_mode == "EventTime":
        time = declared.only_timestamp()
        is_guessed = not time
        time = time or source.columns_read
    if len(time) == 1 and time_mode != "ProcessingTime":
        known["time"] = _text(*time)
    return DescribedProcessor(
        name=name,
        arguments=() if is_function else arguments,
        form="group-state" if is_function else "pandas" if source.has_frames else "rows",
        known=known,
        imports=tuple(known[option].partition(".")[0] for option in schemas if known[option]),
        columns_read=source.columns_read,
        columns_written=source.columns_written,
        states=tuple(map(str, states)),
        has_time=time_mode == "EventTime" or bool(known["time"]),
        time_is_guessed=is_guessed,
        ambiguous={option: one for option, one in candidates.items() if len(one) > 1},
    )


def _time_mode(source: SourceOfProcessor, states: list[_State], declared: _Declared) -> str:
    if source.has_processing_time or any(state.ttl for state in states):
        return "ProcessingTime"
    return declared.time_mode() or ("EventTime" if source.has_timers or source.has_event_time else "")


class _Declared:
    """The attributes of a class and of its module that describe it."""

    def __init__(self, kind: Any, module: str, inputs: StructType | None) -> None:
        self._module = sys.modules[module]
        name = getattr(kind, "__name__", "")
        own = [(kind, f"{name}.")] if getattr(self._module, name, None) is kind else []
        self._owners = [*own, (self._module, "")]
        self._inputs = inputs
        if inputs is None and len(names := self.schemas("input_schema")) == 1:
            self._inputs = self.schema(names[0])

    def schema(self, expression: str) -> StructType:
        """The schema that an expression of `schemas` names."""
        return schema_of(attrgetter(expression)(self._module))

    def schemas(self, option: str) -> tuple[str, ...]:
        """The expressions of the schemas that are declared; those that are equal are one.

        What the class declares comes before its module, and a usual name before one that has a usual word.
        """
        for owner, prefix in self._owners:
            schemas = {name: value for name, value in _attributes(owner).items() if _is_schema(value)}
            usual = [name for name in _NAMES[option] if name in schemas]
            names = usual or [name for name in schemas if _WORDS[option] & _words(name)]
            distinct = {schema_of(schemas[name]).json(): prefix + name for name in reversed(names)}
            if distinct:
                return tuple(reversed(distinct.values()))
        return ()

    def columns(self, option: str) -> tuple[str, ...]:
        """Names of columns that are declared, and that the input may have."""
        for value in self._values(option):
            columns = (value,) if isinstance(value, str) else value
            if isinstance(columns, list | tuple) and all(
                isinstance(one, str) and self.may_have(one) for one in columns
            ):
                return tuple(columns)
        return ()

    def time_mode(self) -> str:
        """The time mode that is declared."""
        for value in self._values("time_mode"):
            if value in get_args(TimeMode):
                return str(value)
        return ""

    def may_have(self, column: str) -> bool:
        """Whether the input has a column, as far as it is known."""
        return self._inputs is None or column in self._inputs.names

    def only_timestamp(self) -> tuple[str, ...]:
        """The timestamp of the input, if it has just one."""
        kinds = (TimestampType, TimestampNTZType)
        times = [one.name for one in self._inputs or () if isinstance(one.dataType, kinds)]
        return tuple(times) if len(times) == 1 else ()

    def _values(self, option: str) -> Iterator[Any]:
        for owner, _ in self._owners:
            yield from (value for name in _NAMES[option] if (value := getattr(owner, name, None)))


def _attributes(owner: Any) -> dict[str, Any]:
    """The attributes of a class with those of its base classes, or of a module, in their order."""
    places = reversed(inspect.getmro(owner)) if inspect.isclass(owner) else (owner,)
    return {name: value for place in places for name, value in vars(place).items()}


def _words(name: str) -> set[str]:
    """The words of a name, such as "rows" and "in" of `ROWS_IN` and `rowsIn`."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def _text(*names: str) -> str:
    """Names as Python writes them: one alone, several as a tuple."""
    quoted = [json.dumps(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"({', '.join(quoted)})"


def _is_schema(value: Any) -> bool:
    if not isinstance(value, str | StructType) or not value:
        return False
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
