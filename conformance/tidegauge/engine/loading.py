"""Adapters by name: registered ones, `module:Class`, and `mutant:NAME`."""

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

from ..components.registry import load_mutants
from ..wire.implementation import Implementation
from ..wire.input_file import MOST_BYTES, check_input
from ..wire.scenario import BadInput
from ..wire.unknown_names import closest, listing, unknown
from .adapter import Adapter, ComponentAdapter
from .capabilities import check_capabilities
from .contained import ContainedAdapter
from .description_check import check_description
from .foreign_text import message_of, place_of, shown, text_of
from .interruption import from_outside
from .mutant_adapter import MutantAdapter
from .shape_check import check_shapes

GROUP = "tidegauge.adapters"


def adapter_names() -> list[str]:
    """The names under which installed adapters are registered."""
    return sorted({entry.name for entry in entry_points(group=GROUP)})


def load_adapter(name: str, options: Mapping[str, str]) -> ContainedAdapter:
    """The adapter `name`, built with `options`. Raises `BadInput` with the reason and the remedy."""
    adapter_class = _mutant(name) if name.startswith("mutant:") else _adapter_class(name)
    _check_options(name, adapter_class, options)
    try:
        return ContainedAdapter(adapter_class(options))
    except (ValueError, ImportError) as error:
        raise BadInput(f"adapter {name!r}: {_one_line(text_of(error))}") from None
    except BaseException as error:
        raise _bad_input(f"adapter {name!r} cannot be built", error) from None


def describe(name: str, adapter: Adapter) -> Implementation:
    """What the adapter `name` says of its engine. Raises `BadInput` if it says nothing of use, claims what is
    no capability, or is beyond the bounds of a description."""
    try:
        implementation = adapter.describe()
    except BadInput as problem:
        raise BadInput(f"adapter {name!r}: {problem}") from None
    except BaseException as error:
        raise _bad_input(f"adapter {name!r} cannot describe its engine{_at(error)}", error) from None
    if not isinstance(implementation, Implementation):
        raise BadInput(
            f"adapter {name!r} describes its engine by {shown(implementation)}, not an Implementation"
        )
    check_capabilities(name, implementation)
    check_shapes(name, implementation.shapes)
    check_description(name, implementation)
    return implementation


def _mutant(name: str) -> Callable[[Mapping[str, str]], Adapter]:
    mutants = load_mutants()
    mutant = mutants.get(name.removeprefix("mutant:"))
    if mutant is None:
        close = closest(name.removeprefix("mutant:"), mutants)
        said = f"did you mean 'mutant:{close}'? " if close is not None else ""
        said += "`tidegauge mutants --list` names them"
        raise BadInput(f"unknown mutant in {name!r}; {said}")
    return lambda options: MutantAdapter(mutant, options)


def _adapter_class(name: str) -> Callable[[Mapping[str, str]], Adapter]:
    if ":" not in name:
        for entry in entry_points(group=GROUP):
            if entry.name == name:
                registered: type[Adapter] = _imported(name, entry.load)
                return registered
        names = [*adapter_names(), *(f"mutant:{mutant}" for mutant in load_mutants())]
        listed = f"{listing(adapter_names())}; your own is module:Class"
        raise BadInput(unknown("adapter", name, names, listed))
    module_name, _, class_name = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    module = _imported(name, lambda: _module(module_name))
    adapter_class = getattr(module, class_name, None)
    if adapter_class is None:
        close = closest(class_name, [one for one, value in vars(module).items() if _is_adapter_class(value)])
        question = f"; did you mean {close!r}?" if close is not None else ""
        raise BadInput(f"adapter {name!r}: module {module_name!r} has no {class_name!r}{question}")
    if not _is_adapter_class(adapter_class):
        raise BadInput(f"adapter {name!r}: {class_name} is not a subclass of tidegauge.Adapter")
    return adapter_class


def _module(name: str) -> ModuleType:
    """Import a module, unless its file is too large."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is not None and spec.has_location and spec.origin is not None:
        check_input(Path(spec.origin), MOST_BYTES)
    return import_module(name)


def _is_adapter_class(value: object) -> TypeGuard[type[Adapter]]:
    return isinstance(value, type) and issubclass(value, Adapter)


def _check_options(name: str, adapter_class: object, options: Mapping[str, str]) -> None:
    """A `ComponentAdapter` declares its options; other adapters refuse those they do not know themselves."""
    if isinstance(adapter_class, type) and issubclass(adapter_class, ComponentAdapter):
        known = adapter_class.known_options
        listed = "" if known else "it takes none; `known_options` of its class declares options"
        for option in options:
            if option not in known:
                raise BadInput(f"adapter {name!r}: {unknown('option', option, known, listed)}")


def _imported(name: str, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except BaseException as error:
        raise _bad_input(f"adapter {name!r} does not import", error) from None


def _bad_input(problem: str, error: BaseException) -> BaseException:
    """What the adapter's own code raised, `SystemExit` included, as bad input in one line."""
    return error if from_outside(error) else BadInput(f"{problem}: {_one_line(message_of(error))}")


def _at(error: BaseException) -> str:
    """Return where in the adapter an exception was raised; an empty text if the place is not known."""
    place = place_of(error)
    return f" (raised at {place})" if place else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
