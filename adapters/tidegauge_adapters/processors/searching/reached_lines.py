"""Which lines of a processor do random traces reach? What is never run is never checked."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

from ..playing.player import Player
from ..playing.trace import Trace


def lines_not_reached(player: Player, traces: Iterable[Trace]) -> tuple[str, list[int]]:
    """Play traces and return the file of a processor, and those lines of its methods that were never run."""
    codes = [*_codes_of(player.instance())]
    if not codes:
        return "", []
    file = codes[0].co_filename
    own = {code for code in codes if code.co_filename == file}
    reached: set[int] = set()
    with _lines_noted(own, reached):
        for trace in traces:
            player.played(player.batches(trace))
    lines = {line for code in own for _, _, line in code.co_lines() if line and line != code.co_firstlineno}
    return Path(file).name, sorted(lines - reached)


def _codes_of(processor: Any) -> Iterator[CodeType]:
    """Yield the code of the methods of a processor, or of a function, with what is nested in it."""
    if isinstance(processor, FunctionType):
        yield from _nested(processor.__code__)
        return
    for value in vars(type(processor)).values():
        function = getattr(value, "__func__", value)
        if isinstance(function, FunctionType) and function.__name__ not in ("__init__", "close"):
            yield from _nested(function.__code__)


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


@contextmanager
def _lines_noted(codes: set[CodeType], reached: set[int]) -> Iterator[None]:
    def in_frame(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            reached.add(frame.f_lineno)
        return in_frame

    def at_call(frame: FrameType, _: str, __: Any) -> Any:
        return in_frame if frame.f_code in codes else None

    before = sys.gettrace()
    sys.settrace(at_call)
    try:
        yield
    finally:
        sys.settrace(before)
