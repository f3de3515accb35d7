"""What ends an engine's call from outside, so that it says nothing about the engine."""


class Interruption(BaseException):
    """The kit ends an engine's call. Not an `Exception`: engines that catch those do not catch it."""


def from_outside(error: BaseException) -> bool:
    """Whether an exception that came out of an engine's call is not the engine's own: the user's interrupt,
    the kit's, or that of pytest-timeout, which fails the test wherever it is at that moment."""
    if isinstance(error, KeyboardInterrupt | Interruption):
        return True
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_globals.get("__name__") == "pytest_timeout":
            return True
        frame = frame.tb_next
    return False
