"""The error about a log that cannot be read."""


class BrokenLogError(RuntimeError):
    """A split cannot be read as it should be: the text names the place, what is wrong, and the remedy."""


def first_line(error: Exception) -> str:
    """Return the first line of what an error says, or its type if it says nothing."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
