"""How much less often rules were exercised, or more."""

from collections.abc import Sequence
from dataclasses import dataclass

from tidegauge.wire.results import Results, RuleResult


@dataclass(frozen=True)
class Fall:
    """A rule that was exercised less than half as often: (old, new) numbers of scenarios, and of steps."""

    id: str
    scenarios: tuple[int, int]
    steps: tuple[int, int]

    @property
    def to_nothing(self) -> bool:
        """Whether it was not exercised at all any more."""
        return 0 in (self.scenarios[1], self.steps[1]) and (self.scenarios[0] > 0 or self.steps[0] > 0)


@dataclass(frozen=True)
class Coverage:
    """(old, new) scenarios and steps of the whole runs, and the rules that fell by more than half."""

    scenarios: tuple[int, int]
    steps: tuple[int, int]
    falls: list[Fall]


def coverage(old: Results, new: Results, both: Sequence[tuple[RuleResult, RuleResult]]) -> Coverage:
    """The coverage of two runs. Rules that one of them does not claim have none to lose."""
    falls = [
        Fall(before.id, (before.scenarios, after.scenarios), (before.steps, after.steps))
        for before, after in both
        if "not-applicable" not in (before.verdict, after.verdict)
        and (2 * after.scenarios < before.scenarios or 2 * after.steps < before.steps)
    ]
    falls.sort(key=lambda fall: not fall.to_nothing)
    return Coverage(_both(old, new, "scenarios"), _both(old, new, "steps"), falls)


def _both(old: Results, new: Results, name: str) -> tuple[int, int]:
    return old.counts.get(name, 0), new.counts.get(name, 0)
