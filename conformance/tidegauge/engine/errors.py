"""What an engine raises: a refusal, which is an answer, or an error, which is none.

The kit exports three exceptions by which an engine refuses a step. An adapter may map exceptions of its own
to them. Everything else that an engine raises is kept as a `Failure`.
"""

from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType

from tidegauge_reference import IllegalArgument, IllegalState, Unsupported

from ..wire.transcript import Failure
from ..wire.vocabulary import Error, ErrorCode
from .foreign_text import message_of, name_of, printable, raised_by_the_kit, traceback_of

Refusal = type[IllegalArgument] | type[IllegalState] | type[Unsupported]
"""The exceptions by which an engine refuses a step."""

Refusals = Mapping[type[Exception], Refusal]
"""Which exceptions of an engine stand for which refusal."""

NO_REFUSALS: Refusals = MappingProxyType({})

_CODES: dict[type, ErrorCode] = {
    IllegalArgument: "illegal-argument",
    IllegalState: "illegal-state",
    Unsupported: "unsupported",
}

_BY_NAME_ONLY = (RecursionError, NotImplementedError, UnicodeError, ConnectionError, TimeoutError)
"""Mapped only by their own names or those of their subclasses: an adapter that maps `RuntimeError`,
`ValueError` or `OSError` does not mean these."""

_OF_THE_CALL = (AttributeError, TypeError)
"""What Python raises for a method that does not exist, or that takes other arguments."""

_TOO_BROAD = (BaseException, Exception)

_MEANT: tuple[tuple[type[Exception], Refusal], ...] = (
    (NotImplementedError, Unsupported),
    (RuntimeError, IllegalState),
    (ValueError, IllegalArgument),
)


class ProtocolBreach(TypeError):
    """An engine answered by something that is no list of outputs; the message says by what, and what is
    expected."""


class NotAnswered(Exception):
    """An engine elsewhere gave no answer; `failure` is what a transcript says of it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.text)
        self.failure = failure


def check_refusals(errors: Refusals) -> None:
    """Raise `ValueError` unless `errors` maps classes of exceptions to refusals, and not all exceptions."""
    for raised_as, refusal in errors.items():
        if refusal not in _CODES:
            known = ", ".join(kind.__name__ for kind in _CODES)
            raise ValueError(f"errors maps {raised_as!r} to {refusal!r}; expected is one of {known}")
        if not (isinstance(raised_as, type) and issubclass(raised_as, Exception)):
            raise ValueError(f"errors maps {raised_as!r}, which is no class of exceptions")
        if raised_as in _TOO_BROAD:
            raise ValueError(
                "errors maps every exception: name those by which the engine refuses a step; all others are "
                "errors"
            )


def raised(error: BaseException, errors: Refusals = NO_REFUSALS) -> Error | None:
    """The output that an exception of the engine's own call stands for; None if it is no answer.

    The most specific class counts. The kit's exceptions stand for themselves, whatever `errors` says of the
    classes that they derive from.
    """
    for kind in type(error).__mro__:
        code = _CODES.get(kind)
        if code is None and kind in errors:
            if issubclass(kind, _OF_THE_CALL) and raised_by_the_kit(error):
                return None
            code = _CODES.get(errors[kind])
        if code is not None:
            return Error(code)
        if kind in _BY_NAME_ONLY:
            return None
    return None


def advise(error: BaseException) -> None:
    """Note on an exception that looks like a refusal why it is none, and how it becomes one."""
    if isinstance(error, RecursionError | UnicodeError):
        return
    refusal = next((refusal for kind, refusal in _MEANT if isinstance(error, kind)), None)
    if refusal is None:
        return
    name = name_of(type(error))
    with suppress(Exception):
        error.add_note(
            f"not an answer: a step is refused by tidegauge.{refusal.__name__}, or by what the adapter maps "
            f"to it, ComponentAdapter.errors = {{{name}: {refusal.__name__}}}"
        )


def failure_of(error: BaseException) -> Failure:
    """What an engine's exception that is no answer is in a transcript."""
    if isinstance(error, NotAnswered):
        return error.failure
    if isinstance(error, ProtocolBreach):
        cause = error.__cause__
        return Failure("protocol", printable(str(error)), traceback_of(cause) if cause is not None else "")
    return Failure("exception", message_of(error), traceback_of(error))
