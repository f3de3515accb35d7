"""The options by which a command describes a processor, completed by what its class says of itself."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from pyspark.sql.types import StructType

from tidegauge.wire.scenario import BadInput

from ..ddl import UnreadableSchema, schema_of
from .new_project.described_processor import DescribedProcessor, described

_SAMPLES = {
    "key": "--key user",
    "input_schema": "--input 'user string, at timestamp' (or an --example of a row)",
    "output_schema": "--output 'user string, n long'",
}
_OPTIONS = {"input_schema": "--input", "output_schema": "--output"}


@dataclass(frozen=True)
class Options:
    """The description of a processor by the options of a command. Options that are not given are empty."""

    input_schema: StructType | str = ""
    output_schema: StructType | str = ""
    key: Sequence[str] = ()
    time: str = ""
    time_mode: str = ""
    form: str = ""
    late_rows: str = ""
    examples: Sequence[str] = ()
    once: Sequence[str] = ()
    due: str = ""
    any_order: bool = False
    any_zone: bool = False
    ordered: bool = False
    updates: bool = False
    keeps: Sequence[str] = ()
    without: Sequence[str] = ()


def completed(target: str, processor: Any, options: Options, example: str) -> tuple[Options, str]:
    """Return the options with what the class of a processor declares where they are empty.

    Args:
        target: the processor as `module:Name`.
        processor: the class of the processor, or a function without arguments that creates it.
        options: the options that are given. They win over what the class declares.
        example: the schema of the examples of rows as DDL, which counts if no input is declared.

    Returns:
        The options, and a line with the options that were read; empty if none was.

    Raises:
        BadInput: if an option is neither given nor declared, or is declared in several ways.
    """
    module = target.partition(":")[0]
    for name in _OPTIONS:
        options = replace(options, **{name: _constant(processor, module, getattr(options, name))})
    try:
        about = described(processor, module, _inputs(options))
        if not about.known["input_schema"] and "input_schema" not in about.ambiguous:
            options = replace(options, input_schema=options.input_schema or example)
            about = described(processor, module, _inputs(options))
    except BadInput:
        raise
    except Exception as error:  # a function that does not create a processor
        raise BadInput(f"{target} cannot be created: {type(error).__name__}: {error}") from error
    read = _read(about, options)
    for name, constants in about.ambiguous.items():
        if not getattr(options, name):
            raise BadInput(
                f"{target} has the schemas {' and '.join(constants)}, which differ; "
                f"name one with {_OPTIONS[name]} {constants[0]}"
            )
    missing = [sample for name, sample in _SAMPLES.items() if not getattr(options, name) and name not in read]
    if missing:
        raise BadInput(f"{target} is not described: give {', '.join(missing)}")
    if about.has_time and not (options.time or options.time_mode or {"time", "time_mode"} & set(read)):
        raise BadInput(
            f"{target} sets timers or reads the watermark: name the column of the event time by --time, or "
            "give --time-mode None or ProcessingTime"
        )
    options = replace(options, **{name: _value(module, name, text) for name, text in read.items()})
    return options, _line(target, read)


def _read(about: DescribedProcessor, options: Options) -> dict[str, str]:
    """Return the expressions of the options that are not given and that a processor declares."""
    read = {name: about.known[name] for name in ("input_schema", "output_schema", "key")}
    if not options.time and not options.time_mode:
        read["time_mode"] = about.known["time_mode"]
    if options.time_mode in ("", "EventTime"):
        # A column that the source happens to read may be any number.
        read["time"] = "" if about.time_is_guessed else about.known["time"]
    if about.form == "pandas":
        read["form"] = '"pandas"'
    return {name: text for name, text in read.items() if text and not getattr(options, name)}


def _constant(processor: Any, module: str, schema: Any) -> Any:
    """Return the schema that an option names as a constant of the class or its module, else the option."""
    for owner in (processor, sys.modules[module]):
        try:
            return schema_of(attrgetter(schema)(owner))
        except (AttributeError, UnreadableSchema):
            continue
    return schema


def _inputs(options: Options) -> StructType | None:
    try:
        return schema_of(options.input_schema) if options.input_schema else None
    except UnreadableSchema:  # it is reported with the other options
        return None


def _value(module: str, name: str, expression: str) -> Any:
    if name in _OPTIONS:
        return attrgetter(expression)(sys.modules[module])
    value = ast.literal_eval(expression)
    return (value,) if name == "key" and isinstance(value, str) else value


def _line(target: str, read: dict[str, str]) -> str:
    """Return a line with the options that were read, as a command line would give them."""
    given = []
    for name, expression in read.items():
        option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
        values = [expression] if name in _OPTIONS else _texts(ast.literal_eval(expression))
        given += [f"{option} {value}" for value in values]
    return f"Read from {target.partition(':')[0]}: {' '.join(given)}" if given else ""


def _texts(value: str | Sequence[str]) -> Sequence[str]:
    return (value,) if isinstance(value, str) else value
