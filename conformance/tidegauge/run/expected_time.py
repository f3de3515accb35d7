"""How long a run takes: before it begins by what the engine declares, then also by its pace so far."""

from collections.abc import Collection, Sequence
from math import ceil

from ..wire.implementation import CHEAP_LAYERS, Implementation
from .plan import SUITES

_SECONDS_IN_PROCESS = 0.5
"""What an item takes (s) whose engine runs in the kit's process, with the default budget."""

_DECLARED_COUNTS = 0.2
"""What was declared counts as much as the pace of this part of the run."""


class ExpectedTime:
    """The duration (s) of a run of the items `planned`, named by their ids.

    An engine that declares no `seconds` has items that count alike, and no duration before the first of
    them has finished. If it is not a cheap one, its items differ too much for that, and nothing is known.
    """

    def __init__(self, planned: Sequence[str], implementation: Implementation) -> None:
        self._declared = bool(implementation.seconds)
        self._known = self._declared or implementation.layer in CHEAP_LAYERS
        self._weights = {item: _weight(item, implementation) for item in planned}
        self.total = sum(self._weights.values()) if self._declared else None
        """What the engine declares (s); None if it declares nothing."""

    def left(self, finished: Collection[str], elapsed: float) -> float | None:
        """What is left (s) after `elapsed` seconds in which these items finished; None if nothing tells."""
        if not self._known:
            return None
        whole = sum(self._weights.values())
        done = sum(self._weights.get(item, 0.0) for item in finished)
        if not finished:
            return None if self.total is None else max(self.total - elapsed, 0.0)
        declared = _DECLARED_COUNTS * whole if self._declared else 0.0
        return (whole - done) * (elapsed + declared) / (done + declared) if done + declared else None


def about(seconds: float) -> str:
    """A duration as precise as an estimate is: `about 50 s`, `about 4 min`."""
    return f"about {10 * ceil(seconds / 10)} s" if seconds < 100 else f"about {round(seconds / 60)} min"


def _weight(item: str, implementation: Implementation) -> float:
    if not implementation.seconds:
        return 1.0
    component, _, rest = item.partition("-")
    if implementation.layer_of(component) != implementation.layer:
        return _SECONDS_IN_PROCESS
    suite = next((suite for suite in SUITES if rest.startswith(suite)), "jobs")
    return implementation.seconds.get(suite, _SECONDS_IN_PROCESS)
