"""Outputs as an engine in this process returns them, read into the vocabulary."""

from collections.abc import Callable, Iterable
from inspect import isasyncgen, isawaitable, iscoroutine
from itertools import islice
from typing import Any, NoReturn, cast, get_args

from msgspec import Struct

from ..wire.timestamps import timestamp_fields, to_wire
from ..wire.transcript import Outputs
from ..wire.vocabulary import Active, AnyOutput, Idle, Output, Watermark
from .errors import ProtocolBreach
from .foreign_text import message_of, name_of, shown
from .interruption import from_outside

_MOST = 1_000_000
"""Outputs of one step; an iterator that never ends is cut there."""


def _constructor(struct: type[Struct]) -> Callable[..., AnyOutput]:
    """Builds an output from its fields as an engine gives them: timestamps as 64-bit numbers, lists for
    tuples."""
    names = enumerate(struct.__struct_fields__)
    timestamps = {place for place, name in names if name in timestamp_fields(struct)}

    def build(*fields: Any) -> AnyOutput:
        values = [
            to_wire(value) if place in timestamps else tuple(value) if isinstance(value, list) else value
            for place, value in enumerate(fields)
        ]
        return cast(AnyOutput, struct(*values))

    return build


_OUTPUTS: dict[str, Callable[..., AnyOutput]] = {
    str(struct.__struct_config__.tag): _constructor(struct) for struct in get_args(AnyOutput)
} | {
    "watermark": lambda timestamp: Watermark(to_wire(timestamp)),
    "idle": Idle,
    "active": Active,
}


def read_outputs(returned: Iterable[Any]) -> Outputs:
    """Outputs as an engine in this process returns them: a list of structs of the vocabulary, or of tuples of
    an output's name and its fields, timestamps as 64-bit numbers.

    Raises `ProtocolBreach` for anything else, also where reading it raises: what an engine raises then is no
    answer, since its method has returned.
    """
    if type(returned) is list and not returned:
        return ()
    try:
        entries = returned if type(returned) is list else _entries(returned)
        return tuple([_output(entry) for entry in entries])
    except ProtocolBreach:
        raise
    except BaseException as error:
        if from_outside(error):
            raise
        raise ProtocolBreach(
            f"the engine returned a {name_of(type(returned))}, and reading its outputs raised "
            f"{message_of(error)}; a step is refused before its method returns, and a method with `yield` "
            "returns at once"
        ) from error


def _output(entry: Any) -> AnyOutput:
    if isinstance(entry, tuple | list):
        try:
            return _OUTPUTS[entry[0]](*entry[1:])
        except (TypeError, ValueError, LookupError, AttributeError):
            _no_output(entry)
    return cast(AnyOutput, entry) if isinstance(entry, Output) else _no_output(entry)


def _no_output(entry: Any) -> NoReturn:
    known = ", ".join(sorted(_OUTPUTS))
    raise ProtocolBreach(
        f"the engine returned {shown(entry)}; an output is a tuple of a name ({known}) and "
        "its fields, or a struct of tidegauge.wire.vocabulary"
    ) from None


def _entries(returned: Any) -> list[Any]:
    """What a returned object that is no list holds, if it can be taken for a list of outputs."""
    if returned is None:
        raise ProtocolBreach(
            "the engine returned None; expected is a list of outputs, [] for none (a missing `return`?)"
        )
    if iscoroutine(returned):
        returned.close()  # or Python warns that it was never awaited
    if isawaitable(returned) or isasyncgen(returned):
        raise ProtocolBreach(
            f"the engine returned a {name_of(type(returned))}; expected is a list of outputs: the methods of "
            "an engine in this process are not `async`"
        )
    if isinstance(returned, Output) or (isinstance(returned, tuple) and _is_one_output(returned)):
        raise ProtocolBreach(
            f"the engine returned the bare output {shown(returned)}; expected is a list of outputs, "
            f"[{shown(returned)}]"
        )
    if isinstance(returned, str | bytes | dict | set | frozenset) or not hasattr(type(returned), "__iter__"):
        known = ", ".join(sorted(_OUTPUTS))
        raise ProtocolBreach(
            f"the engine returned {shown(returned)}; expected is a list of outputs, [] for none; an output "
            f"is a tuple of a name ({known}) and its fields"
        )
    entries = list(islice(iter(returned), _MOST + 1))
    if len(entries) > _MOST:
        kind = name_of(type(returned))
        raise ProtocolBreach(f"the engine returned a {kind} of more than {_MOST:,} outputs")
    return entries


def _is_one_output(returned: tuple[Any, ...]) -> bool:
    return bool(returned) and isinstance(returned[0], str)
