"""The error about a log that cannot be read."""


class BrokenLogError(RuntimeError):
    """A split cannot be read as it should be: the text names the place, what is wrong, and the remedy."""
