"""`if cite("VALVE-5", channel.idle):` - a decision and the rule that decides it, in one place.

`cite` is a comment that executes: it returns the condition unchanged and, while `citations` collects, notes
the rule with the way the decision went. A condition that is cited really decides. What a rule says of a
minimum or of an order is written `smallest("VALVE-2", ...)` and `before("VALVE-16", ...)`, and is noted where
it makes a difference. Where a rule is followed without a decision, `cite("ALIGN-8")` stands beside the step
and notes the rule. One process judges one thing at a time, so module globals are enough.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Sent = TypeVar("Sent", bound=tuple[Any, ...])
"""An output: its name, then its fields."""

_cited: list[str] | None = None
_flipped: str | None = None


def cite(rule: str, condition: bool = True) -> bool:
    """This decision follows `rule`; returns `condition`."""
    if _cited is None:
        return condition
    decision = rule if condition else f"{rule}!"
    _cited.append(decision)
    return condition != (decision == _flipped)


def smallest(rule: str, timestamps: Collection[int], default: int | None = None) -> int:
    """The smallest of `timestamps` (ms), as `rule` says; `default` if there are none. It is a decision where
    they differ; turned, it is the largest."""
    if not timestamps and default is not None:
        return default
    low, high = min(timestamps), max(timestamps)
    return low if cite(rule, low < high) else high


def before(rule: str, first: list[Sent], then: list[Sent]) -> list[Sent]:
    """The outputs `first` before the outputs `then`, as `rule` says. It is a decision where there are some of
    both; turned, `then` comes first."""
    return first + then if cite(rule, first != [] != then) else then + first


@contextmanager
def citations(flipped: str | None = None) -> Iterator[list[str]]:
    """Collect the decisions made while the block runs, in order: the rule, with a `!` after it where its
    condition did not hold. The decision `flipped` goes the other way, to see what an engine that breaks
    the rule would do. Blocks do not nest."""
    global _cited, _flipped
    if _cited is not None:
        raise RuntimeError("citations are being collected already")
    collected: list[str] = []
    _cited = collected
    _flipped = flipped
    try:
        yield collected
    finally:
        _cited = _flipped = None
