"""TIME: timestamps are signed 64-bit integers, milliseconds."""

from .citation import cite

MIN = -(2**63)
"""No watermark yet."""

MAX = 2**63 - 1
"""End of input."""


def later(timestamp: int, milliseconds: int) -> int:
    """`timestamp` plus a duration; never past `MAX`."""
    if cite("TIME-1", timestamp + milliseconds > MAX):
        return MAX
    return timestamp + milliseconds


def earlier(timestamp: int, milliseconds: int) -> int:
    """`timestamp` minus a duration; never before `MIN`."""
    if cite("TIME-2", timestamp - milliseconds < MIN):
        return MIN
    return timestamp - milliseconds


def wrapped(number: int) -> int:
    """`number` as 64 bits hold it, where sums go round."""
    return (number - MIN) % 2**64 + MIN


def no_watermark(watermark: int) -> bool:
    """Whether `watermark` (ms) says that there is none yet."""
    return cite("TIME-3", watermark == MIN)


def end_of_input(watermark: int) -> bool:
    """Whether `watermark` (ms) ends its input."""
    return cite("TIME-4", watermark == MAX)
