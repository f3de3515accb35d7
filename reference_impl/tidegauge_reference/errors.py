"""The closed list of errors by which a component refuses a step. A refused step changes nothing."""


class IllegalArgument(ValueError):
    """`illegal-argument`: the step names something that does not exist or cannot be."""


class IllegalState(RuntimeError):
    """`illegal-state`: the step is not possible now."""


class Unsupported(NotImplementedError):
    """`unsupported`: the component cannot do this at all."""
