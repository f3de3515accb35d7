"""What became of each rule between two runs."""

from dataclasses import dataclass
from typing import Literal

from tidegauge.results import RuleResult

Kind = Literal["newly failing", "verdict lost", "no longer claimed", "newly passing", "other", "same"]

WORSE: tuple[Kind, ...] = ("newly failing", "verdict lost", "no longer claimed")
"""The kinds of changes that let a comparison fail."""


@dataclass(frozen=True)
class RuleChange:
    """A rule that is in both runs and stands differently. It `counts` if it is scored in the new run and its
    failure is not known to be flaky."""

    old: RuleResult
    new: RuleResult
    kind: Kind

    @property
    def counts(self) -> bool:
        """Whether it can let the comparison fail."""
        return self.new.scored and self.new.flaky is None

    @property
    def worse(self) -> bool:
        """Whether the engine got worse."""
        return self.counts and self.kind in WORSE

    @property
    def remark(self) -> str:
        """Why a change for the worse does not count; empty if it does."""
        if self.kind not in WORSE or self.counts:
            return ""
        return "known to be flaky" if self.new.flaky is not None else "not scored for this suite"

    @property
    def why(self) -> str:
        """What the new run says of it: what it got, or why the verdict is what it is."""
        example = self.new.counterexample
        if self.new.verdict == "fail" and example is not None:
            return f"expected {example.expected}; got {example.got}"
        if self.new.verdict == "pass":
            return self.new.deviation or self.new.policy or self.new.reason
        return self.new.reason


def rule_change(old: RuleResult, new: RuleResult) -> RuleChange:
    """How a rule of both runs changed."""
    return RuleChange(old, new, _kind(old, new))


def _kind(old: RuleResult, new: RuleResult) -> Kind:
    before, after = old.verdict, new.verdict
    if after == "fail" and before != "fail":
        return "newly failing"
    if before != "not-applicable" and after == "not-applicable":
        return "no longer claimed"
    if before == "pass" and after in ("not-judged", "not-run"):
        return "verdict lost"
    if after == "pass" and before != "pass" and new.deviation is None:
        return "newly passing"
    marks = [
        (rule.deviation is None, rule.policy is None, rule.flaky is None, rule.scored) for rule in (old, new)
    ]
    return "other" if before != after or marks[0] != marks[1] else "same"
