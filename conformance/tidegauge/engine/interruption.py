"""What ends an engine's call from outside, so that it says nothing about the engine."""

_HANDLERS = frozenset(
    {
        ("pytest_timeout", "timeout_sigalrm"),  # fails the test wherever it is at that moment
        ("pyspark.core.context", "signal_handler"),  # takes the place of the kit's handler of SIGINT
        ("pyspark.context", "signal_handler"),
    }
)
"""The handlers of signals, by module and function, that are not the kit's."""


class Interruption(BaseException):
    """The kit ends an engine's call. Not an `Exception`: engines that catch those do not catch it."""


class UserInterrupt(KeyboardInterrupt):
    """A signal stops the kit. A plain `KeyboardInterrupt` out of an engine's call is the engine's own."""


def from_outside(error: BaseException) -> bool:
    """Whether an exception that came out of an engine's call is not the engine's own, but the user's
    interrupt, the kit's, or that of another handler of signals."""
    if isinstance(error, UserInterrupt | Interruption):
        return True
    frame = error.__traceback__
    while frame is not None:
        code = frame.tb_frame.f_code
        if (frame.tb_frame.f_globals.get("__name__"), code.co_name) in _HANDLERS:
            return True
        frame = frame.tb_next
    return False
