"""A minimum, a replacement, and an order of outputs, that a rule demands.

They are decisions like any other where they make a difference: noted, and turned by the judge.
"""

from collections.abc import Collection
from typing import Any, TypeVar

from .citation import cite
from .timestamps import MAX

Sent = TypeVar("Sent", bound=tuple[Any, ...])
"""An output: its name, then its fields."""


def smallest(rule: str, timestamps: Collection[int], default: int = MAX) -> int:
    """The smallest of `timestamps` (ms), as `rule` says; `default` if there are none. It is a decision where
    they differ; turned, it is the largest."""
    if not timestamps:
        return default
    low, high = min(timestamps), max(timestamps)
    return low if cite(rule, low < high) else high


def latest(rule: str, earlier: int, newest: int) -> int:
    """The timestamp `newest`, which replaces `earlier` even if it is lower, as `rule` says. It is a decision
    where it is lower; turned, `earlier` stays."""
    return newest if cite(rule, newest < earlier) else max(earlier, newest)


def before(rule: str, first: list[Sent], then: list[Sent]) -> list[Sent]:
    """The outputs `first` before the outputs `then`, as `rule` says. It is a decision where there are some of
    both; turned, `then` comes first."""
    return first + then if cite(rule, first != [] != then) else then + first
