"""How a step is refused: before it has changed anything."""


class IllegalArgumentError(ValueError):
    """A step, or a setting, that cannot be."""


class IllegalStateError(RuntimeError):
    """A step that is legal in itself and not now."""
