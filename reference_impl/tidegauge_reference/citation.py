"""`if cite("VALVE-5", channel.idle):` - a decision and the rule that decides it, in one place.

`cite` is a comment that executes: it returns the condition unchanged and, while `citations` collects, notes
the rule with the way the decision went. A condition that is cited really decides. Minima and orders that a
rule demands are in `choices.py`. Where a rule is followed without a decision, a `cite` without a condition
stands beside the step and notes the rule. One process judges one thing at a time, so module globals will do.
"""

from collections.abc import Iterator
from contextlib import contextmanager

_cited: list[str] | None = None
_flipped: str | None = None


def cite(rule: str, condition: bool = True) -> bool:
    """This decision follows `rule`; returns `condition`."""
    if _cited is None:
        return condition
    decision = rule if condition else f"{rule}!"
    _cited.append(decision)
    return condition != (decision == _flipped)


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
