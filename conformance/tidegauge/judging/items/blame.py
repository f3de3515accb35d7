"""Which rule is to blame: spectrum ranking (Ochiai) over a run.

Blaming the rules cited at the diverging step alone misses defects of state that show later; a decision is
suspicious that is often made up to a divergence and seldom in scenarios without one. The two outcomes of a
decision are counted apart (that a watermark *was* ignored is what fails, not that it was looked at); a
rule is as suspicious as the more suspicious of its outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

ACTED = 0.1
"""The suspiciousness of a decision is raised by this share if its condition held, because the rule then had
an effect."""


class Spectrum(Struct):
    """How often each decision was made in scenarios that diverge (up to there) and in those that do not."""

    failed: dict[str, int] = {}
    passed: dict[str, int] = {}
    failures: int = 0

    def add(self, diverged: bool, cited: Iterable[str]) -> None:
        """Count one scenario."""
        counts = self.failed if diverged else self.passed
        self.failures += diverged
        for decision in cited:
            counts[decision] = counts.get(decision, 0) + 1

    def merge(self, other: Spectrum) -> None:
        """Count another part of the run."""
        self.failures += other.failures
        for mine, theirs in ((self.failed, other.failed), (self.passed, other.passed)):
            for decision, count in theirs.items():
                mine[decision] = mine.get(decision, 0) + count

    def score(self, decision: str) -> float:
        """Ochiai: 1 if the decision is made in all failing scenarios and in no other."""
        failed = self.failed.get(decision, 0)
        if not failed:
            return 0.0
        return failed / math.sqrt(self.failures * (failed + self.passed.get(decision, 0)))

    def suspects(self, cited: Iterable[str]) -> list[tuple[str, float]]:
        """Return the rules of the decisions `cited` with their suspiciousness relative to the highest one.
        The order is descending; equal rules are sorted by name."""
        scores: dict[str, float] = {}
        for decision in cited:
            rule = decision.removesuffix("!")
            score = self.score(decision) * (1 if decision.endswith("!") else 1 + ACTED)
            scores[rule] = max(scores.get(rule, 0.0), score)
        largest = max(scores.values(), default=0.0) or 1.0
        shares = {rule: round(score / largest, 4) for rule, score in scores.items()}
        return sorted(shares.items(), key=lambda entry: (-entry[1], entry[0]))


def property_scores(
    rules_of: Mapping[str, Sequence[str]], violated: Iterable[str], held: Iterable[str]
) -> dict[str, float]:
    """The same ranking where properties were checked and no decisions are known: a rule is suspicious whose
    breach could show in many of the violated properties and in few of those that held. The rule that a
    property speaks for, its first, counts double."""

    def weights(names: Iterable[str]) -> dict[str, float]:
        total: dict[str, float] = {}
        for name in names:
            for place, rule in enumerate(rules_of[name]):
                total[rule] = total.get(rule, 0.0) + (1.0 if place == 0 else 0.5)
        return total

    names = sorted(set(violated))
    failed, passed = weights(names), weights(sorted(set(held)))
    return {
        rule: round(weight / math.sqrt(len(names) * (weight + passed.get(rule, 0.0))), 4)
        for rule, weight in failed.items()
    }
