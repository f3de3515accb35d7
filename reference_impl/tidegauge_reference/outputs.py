"""What a component sends downstream, as tuples: the name of the output, then its fields."""

Output = tuple[str] | tuple[str, int]

IDLE: Output = ("idle",)
ACTIVE: Output = ("active",)


def watermark(timestamp: int) -> Output:
    """A watermark; `timestamp` in ms."""
    return ("watermark", timestamp)
