"""The error about a log that cannot be read."""


class BrokenLogError(RuntimeError):
    """A split cannot be read correctly: the text names the place, the problem and the remedy."""


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, or the error's type if the message is empty."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
