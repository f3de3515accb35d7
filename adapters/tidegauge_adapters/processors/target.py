"""Find the processor that a command names as `module:Name`."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tidegauge.engine.foreign_text import message_of
from tidegauge.wire.scenario import BadInput

from .options import Options, completed
from .processor_under_test import ProcessorUnderTest
from .trace_files import UnreadableTrace, values_of


def processor_named(
    target: str, options: Options, on_read: Callable[[str], None] = lambda line: None
) -> ProcessorUnderTest:
    """Return the processor under test that `module:Name` refers to.

    The name refers to a `ProcessorUnderTest`, or to a class or function that creates a processor. Options
    describe a class or function. What they leave out is read from the class and its module, and `on_read`
    is called with a line that says what was read.

    Raises `BadInput` with a message of one line that names the remedy.
    """
    value = imported(target)
    if isinstance(value, ProcessorUnderTest):
        given = [name.replace("_", "-") for name, option in vars(options).items() if option]
        if given:
            raise BadInput(
                f"--{given[0]}: {target} is a ProcessorUnderTest and says that itself; leave it out"
            )
        return value
    if not callable(value):
        raise BadInput(
            f"{target} is {type(value).__name__}; name a ProcessorUnderTest, or the class of a processor"
        )
    _check_arguments(target, value)
    examples = [_json(text) for text in options.examples]
    options, read = completed(target, value, options, _schema_of(examples, options.time))
    if read:
        on_read(read)
    choices = {name: option for name, option in vars(options).items() if option and name != "examples"}
    try:
        subject = ProcessorUnderTest(make=value, name=target.partition(":")[2], **choices)
        rows = [values_of(subject.inputs, example) for example in examples]
    except (ValueError, UnreadableTrace) as problem:
        raise BadInput(str(problem)) from None
    return replace(subject, examples=rows)


def imported(target: str) -> Any:
    """Return the object that `module:Name` refers to.

    Raises `BadInput` with a message of one line that names the remedy.
    """
    module_name, _, name = target.partition(":")
    if not module_name or not name:
        raise BadInput(f"{target!r} is not MODULE:NAME, such as my_job:Dedup")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
        paths = filter(None, [folder, os.environ.get("PYTHONPATH")])
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)  # Spark workers look for the module here
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and module_name.split(".")[0] == error.name.split(".")[0]:
            raise BadInput(f"there is no module {module_name!r} in {folder} or among the packages") from None
        raise BadInput(
            f"{module_name} does not load: {message_of(error)}; pip install {error.name}"
        ) from None
    except Exception as error:
        raise BadInput(f"{module_name} does not load: {message_of(error)}") from None
    if not hasattr(module, name):
        known = ", ".join(sorted(known for known in vars(module) if known[0] != "_" and known[0].isupper()))
        raise BadInput(f"{module_name} has no {name!r}; it has {known or 'no class'}")
    return getattr(module, name)


def _check_arguments(target: str, make: Any) -> None:
    try:
        parameters = inspect.signature(make).parameters.values()
    except (TypeError, ValueError):
        return
    needed = [
        one.name
        for one in parameters
        if one.default is one.empty
        and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    ]
    if needed:
        names = ", ".join(needed)
        raise BadInput(f"{target} needs {names}; name a function without arguments that returns a processor")


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadInput(f"--example {text!r} is not JSON: {error}") from None


def _schema_of(examples: Sequence[Any], time: str) -> str:
    """Return the schema of the first example as DDL; empty without an example."""
    if not examples or not isinstance(examples[0], Mapping):
        return ""
    columns = [f"`{name}` {_type_of(value, name == time)}" for name, value in examples[0].items()]
    return ", ".join(columns)


def _type_of(value: Any, is_time: bool) -> str:
    if is_time and isinstance(value, str):
        return "timestamp"
    if isinstance(value, list):
        return f"array<{_type_of(value[0], False) if value else 'string'}>"
    if isinstance(value, dict):
        return f"struct<{', '.join(f'{name}: {_type_of(one, False)}' for name, one in value.items())}>"
    return {bool: "boolean", int: "long", float: "double"}.get(type(value), "string")
