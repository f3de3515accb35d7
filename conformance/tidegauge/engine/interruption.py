"""What ends an engine's call from outside, so that it says nothing about the engine."""

_HANDLERS = frozenset(
    {
        ("pytest_timeout", "timeout_sigalrm"),  # fails the test at any point
        ("pyspark.core.context", "signal_handler"),  # replaces the kit's handler of SIGINT
        ("pyspark.context", "signal_handler"),
    }
)
"""Signal handlers that are not the kit's, by module and function."""


class Interruption(BaseException):
    """The kit ends an engine's call. Not an `Exception`: engines that catch those do not catch it."""


class UserInterrupt(KeyboardInterrupt):
    """A signal stops the kit. A plain `KeyboardInterrupt` from a call of an engine belongs to the engine."""


def from_outside(error: BaseException) -> bool:
    """Return whether an exception from a call of an engine does not belong to the engine, but to the user's
    interrupt, to the kit, or to another signal handler."""
    if isinstance(error, UserInterrupt | Interruption):
        return True
    frame = error.__traceback__
    while frame is not None:
        code = frame.tb_frame.f_code
        if (frame.tb_frame.f_globals.get("__name__"), code.co_name) in _HANDLERS:
            return True
        frame = frame.tb_next
    return False
