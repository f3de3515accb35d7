"""The expected duration of a run: weights that were measured or declared, corrected by the pace so far."""

from collections.abc import Sequence
from math import ceil

from ..wire.implementation import CHEAP_LAYERS, Implementation
from .plan import PlannedItem

_SECONDS_IN_PROCESS = 0.5
"""The weight (s) of an item, with the default budget, for which an engine that declares seconds declares
none, such as an item that runs in the kit's process."""

_SECONDS = {
    "vectors": 1e-3,
    "state-cover": 1e-4,
    "random-histories": 4e-4,
    "scale": 2e-3,
    "properties": 1.2e-4,
    "endurance": 4e-5,
    "interleaved": 3e-4,
    "fuzz": 6e-3,
    "interactive": 1.7e-2,
    "jobs": 1.2,
}
"""The seconds per scenario of a suite (of `endurance`: per step), measured with the reference."""

_STARTING, _DIAGNOSING, _DIAGNOSING_A_DIFFERENCE, _CONFIRMING, _REPORTS = 3.0, 1.0, 4.0, 3.0, 1.5
"""Seconds, also measured with the reference: the start of the processes; the diagnosis of a component, and
its extra time if the component differs; the confirmation of counterexamples; the reports."""

_WEIGHTS_COUNT = 0.2
"""The weights count as much as the pace measured over this share of the run."""


class ExpectedTime:
    """The expected duration (s) of a run of the items `planned`.

    Each piece of work has a weight, its measured or declared duration. The pace so far scales the weights to
    this machine. An engine that declares no `seconds` has the weights of the reference, and no estimate
    before its first item has finished. If such an engine is not a cheap one, its items differ too much from
    those weights, and there is no estimate.
    """

    def __init__(self, planned: Sequence[PlannedItem], implementation: Implementation) -> None:
        self._known = bool(implementation.seconds) or implementation.layer in CHEAP_LAYERS
        items = {item.id: _weight(item, implementation) for item in planned}
        self.total = sum(items.values()) if implementation.seconds else None
        """The duration of the items (s) that the engine declares; None if it declares none."""
        self._component = {item.id: item.component for item in planned}
        diagnosing = _DIAGNOSING * len(set(self._component.values()))
        later = {"diagnosing": diagnosing, "confirming": 0.0, "reports": _REPORTS}
        self._weights = {"starting": _STARTING, **items, **later}
        self._share: dict[str, float] = {}
        self._differing: set[str] = set()

    def finished(self, item: str, differs: bool) -> None:
        """Count an item as done. The first item of a component that `differs` extends the diagnosis."""
        component = self._component.get(item)
        if component is None:
            return
        self._share |= {"starting": 1.0, item: 1.0}
        if differs and component not in self._differing:
            self._differing.add(component)
            self._weights["diagnosing"] += _DIAGNOSING_A_DIFFERENCE
            self._weights["confirming"] = _CONFIRMING

    def reached(self, phase: str, share: float) -> None:
        """Count a share of a later phase as done (1 is all of it), and all earlier work."""
        for name in self._weights:
            if name == phase:
                self._share[name] = share
                return
            self._share[name] = 1.0

    def left(self, elapsed: float) -> float | None:
        """Return the time left (s) after `elapsed` seconds; None without an estimate."""
        if not self._known:
            return None
        whole = sum(self._weights.values())
        done = sum(self._weights[name] * share for name, share in self._share.items())
        if not done:
            return None if self.total is None else max(whole - elapsed, 0.0)
        expected = _WEIGHTS_COUNT * whole
        return (whole - done) * (elapsed + expected) / (done + expected)


def about(seconds: float) -> str:
    """Return a duration with the precision of an estimate: `about 50 s`, `about 4 min`."""
    return (
        f"about {10 * max(1, ceil(seconds / 10))} s" if seconds < 100 else f"about {round(seconds / 60)} min"
    )


def _weight(item: PlannedItem, implementation: Implementation) -> float:
    if not implementation.seconds:
        return _SECONDS[item.suite] * (item.stop - item.start)
    if implementation.layer_of(item.component) != implementation.layer:
        return _SECONDS_IN_PROCESS
    return implementation.seconds.get(item.suite, _SECONDS_IN_PROCESS)
