"""Texts that come from foreign code: objects, exceptions and tracebacks, made fit to store and to print.

Nothing here raises because of what the foreign code does: `__str__` and `__repr__` may raise, and texts may
hold lone surrogates or control characters.
"""

import os
import traceback
from collections.abc import Callable
from types import CodeType, TracebackType

from .interruption import from_outside

LONGEST_TEXT = 2000
LONGEST_TRACEBACK = 4000
_LONGEST_MESSAGE = 1500
_LONGEST_OBJECT = 200
_MOST_FRAMES = 40
_KIT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
"""The folder of the kit."""


def printable(text: str, longest: int = LONGEST_TEXT) -> str:
    """The start of a text, with escapes for all that does not print but line ends and tabs."""
    plain = str.__str__(text)  # of a subclass, without its methods
    cut = plain[:longest]
    if not cut.isprintable():
        cut = "".join(map(_escaped, cut))[:longest]
    return cut


def shown(value: object) -> str:
    """An object as it shows itself, cut where it is long; its type if it does not."""
    text = _read(lambda: repr(value))
    if text is None:
        return f"an unprintable object of type {name_of(type(value))}"
    return text if len(text) <= _LONGEST_OBJECT else f"{text[:_LONGEST_OBJECT]}..."


def name_of(kind: type) -> str:
    """The name of a class."""
    return _read(lambda: type.__dict__["__name__"].__get__(kind)) or "?"


def text_of(error: BaseException) -> str:
    """An exception's message."""
    message = _read(lambda: str(error))
    return "(its text cannot be printed)" if message is None else message


def message_of(error: BaseException) -> str:
    """An exception's type and message, with the notes that were added to it."""
    name, message = name_of(type(error)), text_of(error)
    found = f"{name}: {message}" if message else name
    return "; ".join((found[:_LONGEST_MESSAGE], *_notes(error)))[:LONGEST_TEXT]


def traceback_of(error: BaseException) -> str:
    """The end of an exception's traceback, without the frames of the kit that come first. An exception that
    no foreign frame raised (a method that does not exist) shows the kit's call."""
    text = _read(lambda: _formatted(error), longest=None)
    if text is None:
        return ""
    if len(text) <= LONGEST_TRACEBACK:
        return text
    _, _, whole_lines = text[-LONGEST_TRACEBACK:].partition("\n")
    return whole_lines or text[-LONGEST_TRACEBACK:]


def place_of(error: BaseException, called: CodeType | None = None) -> str:
    """Return the file and line where an exception left foreign code. If no foreign frame raised it, return
    those at which the `called` function begins, or an empty text without such a function."""
    frames = _foreign_part(error.__traceback__)
    if frames is not None and not _is_of_the_kit(frames):
        return _file_and_line(frames.tb_frame.f_code, frames.tb_lineno)
    return _file_and_line(called, called.co_firstlineno) if called is not None else ""


def raised_by_the_kit(error: BaseException) -> bool:
    """Whether no foreign frame raised it: the kit's call did not get as far as the engine."""
    innermost = error.__traceback__
    while innermost is not None and innermost.tb_next is not None:
        innermost = innermost.tb_next
    return innermost is not None and _is_of_the_kit(innermost)


def _formatted(error: BaseException) -> str:
    frames = _foreign_part(error.__traceback__)
    exception = traceback.TracebackException(type(error), error, frames, limit=-_MOST_FRAMES, compact=True)
    return "".join(exception.format())


def _foreign_part(frames: TracebackType | None) -> TracebackType | None:
    while frames is not None and frames.tb_next is not None and _is_of_the_kit(frames):
        frames = frames.tb_next
    return frames


def _file_and_line(code: CodeType, number: int) -> str:
    return printable(f"{os.path.basename(code.co_filename)}:{number}", _LONGEST_OBJECT)


def _is_of_the_kit(frame: TracebackType) -> bool:
    return frame.tb_frame.f_code.co_filename.startswith(_KIT)


def _notes(error: BaseException) -> list[str]:
    try:
        return [printable(note, _LONGEST_OBJECT) for note in getattr(error, "__notes__", ()) if note]
    except BaseException as problem:
        if from_outside(problem):
            raise
        return []


def _escaped(character: str) -> str:
    if character.isprintable() or character in "\n\t":
        return character
    return character.encode("unicode_escape").decode("ascii")


def _read(text: Callable[[], str], longest: int | None = LONGEST_TEXT) -> str | None:
    """A text that foreign code gives; None if it raises instead."""
    try:
        given = text()
        return printable(given, len(given) if longest is None else longest)
    except BaseException as error:
        if from_outside(error):
            raise
        return None
