"""Adapters by name: registered ones, `module:Class`, and `mutant:NAME`."""

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from .adapter import Adapter, Implementation
from .foreign_text import message_of, shown, text_of
from .interruption import from_outside
from .mutants import MutantAdapter, load_mutants
from .scenario import BadInput

GROUP = "tidegauge.adapters"


def adapter_names() -> list[str]:
    """The names under which installed adapters are registered."""
    return sorted({entry.name for entry in entry_points(group=GROUP)})


def load_adapter(name: str, options: Mapping[str, str]) -> Adapter:
    """The adapter `name`, built with `options`. Raises `BadInput` with the reason and the remedy."""
    adapter_class = _mutant(name) if name.startswith("mutant:") else _adapter_class(name)
    try:
        return adapter_class(options)
    except (ValueError, ImportError) as error:
        raise BadInput(f"adapter {name!r}: {_one_line(text_of(error))}") from None
    except BaseException as error:
        raise _bad_input(f"adapter {name!r} cannot be built", error) from None


def describe(name: str, adapter: Adapter) -> Implementation:
    """What the adapter `name` says of its engine. Raises `BadInput` if it says nothing of use."""
    try:
        implementation = adapter.describe()
    except BaseException as error:
        raise _bad_input(f"adapter {name!r} cannot describe its engine", error) from None
    if not isinstance(implementation, Implementation):
        raise BadInput(
            f"adapter {name!r} describes its engine by {shown(implementation)}, not an Implementation"
        )
    return implementation


def _mutant(name: str) -> Callable[[Mapping[str, str]], Adapter]:
    mutants = load_mutants()
    mutant = mutants.get(name.removeprefix("mutant:"))
    if mutant is None:
        raise BadInput(f"unknown mutant in {name!r}; known are {', '.join(sorted(mutants))}")
    return lambda options: MutantAdapter(mutant, options)


def _adapter_class(name: str) -> Callable[[Mapping[str, str]], Adapter]:
    if ":" not in name:
        for entry in entry_points(group=GROUP):
            if entry.name == name:
                registered: type[Adapter] = _imported(name, entry.load)
                return registered
        known = ", ".join(adapter_names())
        raise BadInput(f"unknown adapter {name!r}; known are {known}; your own is module:Class")
    module_name, _, class_name = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    module = _imported(name, lambda: import_module(module_name))
    adapter_class = getattr(module, class_name, None)
    if adapter_class is None:
        raise BadInput(f"adapter {name!r}: module {module_name!r} has no {class_name!r}")
    if not (isinstance(adapter_class, type) and issubclass(adapter_class, Adapter)):
        raise BadInput(f"adapter {name!r}: {class_name} is not a subclass of tidegauge.Adapter")
    return adapter_class


def _imported(name: str, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except BaseException as error:
        raise _bad_input(f"adapter {name!r} does not import", error) from None


def _bad_input(problem: str, error: BaseException) -> BaseException:
    """What the adapter's own code raised, `SystemExit` included, as bad input in one line."""
    return error if from_outside(error) else BadInput(f"{problem}: {_one_line(message_of(error))}")


def _one_line(text: str) -> str:
    return " ".join(text.split())
