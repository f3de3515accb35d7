"""Numbers, durations and lists in words."""

from collections.abc import Sequence


def counted(number: int, singular: str, plural: str = "") -> str:
    """A number with its noun: `1 rule`, `2,300 rules`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def are(number: int) -> str:
    """The verb for so many things: `is` or `are`."""
    return "is" if number == 1 else "are"


def listed(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are: `A, B and 3 more`."""
    left_out = len(names) - most
    return ", ".join(names[:most]) + (f" and {left_out:,} more" if left_out > 0 else "")


def duration(seconds: float) -> str:
    """A duration: `2.5 s`, `1 min 23 s`, `2 h 5 min`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
