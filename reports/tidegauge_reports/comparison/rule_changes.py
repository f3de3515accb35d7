"""What became of each rule between two runs."""

from dataclasses import dataclass
from typing import Literal

from tidegauge.wire.results import KNOWN_DEVIATIONS, RuleResult, kind_of
from tidegauge.words.evidence import difference_words
from tidegauge.words.suspects import one_of_words

Kind = Literal[
    "newly in error",
    "newly failing",
    "newly suspect",
    "verdict lost",
    "no longer claimed",
    "newly passing",
    "other",
    "same",
]

WORSE: tuple[Kind, ...] = (
    "newly in error",
    "newly failing",
    "newly suspect",
    "verdict lost",
    "no longer claimed",
)
"""The kinds of changes that let a comparison fail."""


@dataclass(frozen=True)
class RuleChange:
    """A rule that is in both runs and stands differently."""

    old: RuleResult
    new: RuleResult
    kind: Kind

    @property
    def worse(self) -> bool:
        """Whether the engine got worse; a failure that is known to be flaky does not count."""
        return self.kind in WORSE and self.new.flaky is None

    @property
    def remark(self) -> str:
        """Why a change for the worse does not count; empty if it does."""
        return "known to be flaky" if self.kind in WORSE and not self.worse else ""

    @property
    def why(self) -> str:
        """What the new run says of it: what it got, or why the verdict is what it is."""
        example = self.new.counterexample
        if self.new.verdict == "pass":
            return self.new.policy or self.new.reason
        if self.new.deviation is not None:
            return self.new.deviation
        said = difference_words(example) if example is not None else self.new.reason
        if self.new.verdict == "suspect" and example is not None:
            return f"{one_of_words(self.new)}: {said}"
        if self.new.verdict == "fail":
            return said
        return self.new.reason


def rule_change(old: RuleResult, new: RuleResult) -> RuleChange:
    """How a rule of both runs changed."""
    return RuleChange(old, new, _kind(old, new))


def _kind(old: RuleResult, new: RuleResult) -> Kind:
    """Classify the change of a verdict. From `fail` to `suspect` is neither better nor worse."""
    before, after = kind_of(old), kind_of(new)
    if before == after:
        marks = [(rule.policy is None, rule.flaky is None) for rule in (old, new)]
        return "same" if marks[0] == marks[1] else "other"
    if after == "error":
        return "newly in error"
    if after == "fail":
        return "newly failing"
    if after == "suspect":
        return "other" if before == "fail" else "newly suspect"
    if after == "not-applicable":
        return "no longer claimed"
    if after == "not-tested" and before in ("pass", KNOWN_DEVIATIONS):
        return "verdict lost"
    return "newly passing" if after == "pass" else "other"
