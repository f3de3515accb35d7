"""The options of a run, made from the fields of `Request`, and requests made from what a user gave."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

from msgspec import NODEFAULT
from msgspec.structs import fields, replace

from ..wire.implementation import NO_DEVIATIONS, PROFILE_FILE
from ..wire.scenario import BadInput
from .request import Request, Told

PYTEST_PREFIX = "--tidegauge-"
"""Begins the names of the options under pytest, so that they meet no others."""


@dataclass(frozen=True)
class RequestOption:
    """An option: its name without dashes (`component`), the field of `Request` that it sets, and what a help
    text says. `repeatable` options are given as a list of texts, the others as one value of the type `kind`.
    `default` is None for options without a value, and for the adapter, which a run cannot do without."""

    name: str
    field: str
    value: str
    help: str
    kind: type
    repeatable: bool
    default: Any
    path: bool


def _declared() -> Iterator[RequestOption]:
    hints = get_type_hints(Request, include_extras=True)
    for field in fields(Request):
        kind, told = get_args(hints[field.name])
        assert isinstance(told, Told)
        repeatable = getattr(kind, "__origin__", None) in (tuple, dict)
        required = field.default is NODEFAULT and field.default_factory is NODEFAULT
        yield RequestOption(
            name=told.option or field.name,
            field=field.name,
            value=told.value,
            help=f"{told.help} Repeatable." if repeatable else told.help,
            kind=int if kind is int else str,
            repeatable=repeatable,
            default=None if required or repeatable else field.default,
            path=told.path,
        )


REQUEST_OPTIONS: tuple[RequestOption, ...] = tuple(_declared())


def request_of(given: Mapping[str, Any]) -> Request:
    """The request that options describe, by their names; those that are missing or None keep their defaults.
    Raises `BadInput` for an option of the adapter that is not `key=value`."""
    chosen: dict[str, Any] = {}
    for option in REQUEST_OPTIONS:
        value = given.get(option.name)
        if value is None:
            continue
        if option.field == "options":
            value = _pairs(value)
        elif option.repeatable:
            value = tuple(map(str, value))
        chosen[option.field] = value
    return Request(**chosen)


def with_whole_paths(request: Request) -> Request:
    """Return the request with absolute paths of files and folders: a process with another working directory
    may read its journal."""
    changed: dict[str, Any] = {}
    for option in REQUEST_OPTIONS:
        value = getattr(request, option.field)
        if option.path and value is not None:
            several = value if option.repeatable else (value,)
            whole = tuple(str(Path(text).resolve()) if _is_path(option, text) else text for text in several)
            changed[option.field] = whole if option.repeatable else whole[0]
    return replace(request, **changed)


def _is_path(option: RequestOption, text: str) -> bool:
    """Return whether a value is a path, and not one of the names that some options also take."""
    return text.endswith(PROFILE_FILE) if option.field == "profile" else text != NO_DEVIATIONS


def _pairs(given: list[str]) -> dict[str, str]:
    """`key=value` options as a dictionary."""
    options = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise BadInput(f"option {pair!r} is not key=value")
        options[key] = value
    return options
