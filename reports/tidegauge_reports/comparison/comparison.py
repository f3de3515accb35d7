"""Two results documents compared: data in, data out."""

from dataclasses import dataclass

from tidegauge.wire.results import DeviationResult, PropertyResult, Results, RuleResult, kind_of

from .component_changes import ComponentChange, component_changes
from .coverage import Coverage, coverage
from .identity import Difference, differences
from .rule_changes import Kind, RuleChange, rule_change


@dataclass(frozen=True)
class PropertyChange:
    """A property whose verdict changed; None where it is not in a run."""

    old: PropertyResult | None
    new: PropertyResult | None

    @property
    def name(self) -> str:
        """Its name."""
        return next(one.name for one in (self.new, self.old) if one is not None)

    @property
    def worse(self) -> bool:
        """Whether it is violated or in error now and was not before; one that was not checked before does not
        count."""
        if self.old is None or self.new is None or self.new.flaky is not None:
            return False
        return kind_of(self.new) in ("fail", "error") and kind_of(self.new) != kind_of(self.old)


@dataclass(frozen=True)
class DeviationChange:
    """A known deviation that came, went, or became something else; None where it is not in a run."""

    old: DeviationResult | None
    new: DeviationResult | None

    @property
    def name(self) -> str:
        """Its name."""
        return next(one.name for one in (self.new, self.old) if one is not None)


@dataclass(frozen=True)
class Comparison:
    """What changed from one run to another. `lost` are removed rules that passed, with the same spec: they
    are no longer tested."""

    old: Results
    new: Results
    identity: list[Difference]
    rules: list[RuleChange]
    added: list[RuleResult]
    removed: list[RuleResult]
    lost: list[RuleResult]
    properties: list[PropertyChange]
    deviations: list[DeviationChange]
    components: list[ComponentChange]
    coverage: Coverage

    def of_kind(self, *kinds: Kind) -> list[RuleChange]:
        """The changes of rules of these kinds."""
        return [change for change in self.rules if change.kind in kinds]

    @property
    def worse(self) -> bool:
        """Whether something got worse."""
        worse = [
            *(change.worse for change in self.rules),
            *(change.worse for change in self.properties),
            *(change.worse for change in self.components),
        ]
        return any(worse) or bool(self.lost)

    @property
    def same(self) -> bool:
        """Whether nothing changed but perhaps coverage and the circumstances."""
        return self.same_verdicts and not self.components

    @property
    def same_verdicts(self) -> bool:
        """Whether no verdict and no known deviation changed."""
        return not (self.rules or self.added or self.removed or self.properties or self.deviations)


def compare(old: Results, new: Results) -> Comparison:
    """What changed from `old` to `new`."""
    before = {rule.id: rule for rule in old.rules}
    after = {rule.id: rule for rule in new.rules}
    both = [(before[id], rule) for id, rule in after.items() if id in before]
    changes = [rule_change(*pair) for pair in both]
    removed = [rule for id, rule in before.items() if id not in after]
    return Comparison(
        old=old,
        new=new,
        identity=differences(old, new),
        rules=[change for change in changes if change.kind != "same"],
        added=[rule for id, rule in after.items() if id not in before],
        removed=removed,
        lost=[rule for rule in removed if rule.verdict == "pass" and old.spec == new.spec],
        properties=_property_changes(old, new),
        deviations=_deviation_changes(old, new),
        components=component_changes(old, new),
        coverage=coverage(old, new, both),
    )


def _property_changes(old: Results, new: Results) -> list[PropertyChange]:
    before = {one.name: one for one in old.properties}
    after = {one.name: one for one in new.properties}
    changes = [PropertyChange(before.get(name), after.get(name)) for name in {**after, **before}]
    return [
        one for one in changes if one.old is None or one.new is None or kind_of(one.old) != kind_of(one.new)
    ]


def _deviation_changes(old: Results, new: Results) -> list[DeviationChange]:
    before = {one.name: one for one in old.deviations}
    after = {one.name: one for one in new.deviations}
    changes = [DeviationChange(before.get(name), after.get(name)) for name in {**after, **before}]
    return [one for one in changes if one.old is None or one.new is None or one.old.status != one.new.status]
