"""A preliminary diagnosis while a run continues: the rule that is most likely broken by the evidence so
far."""

from collections.abc import Sequence

from tidegauge_reference import Policies
from tidegauge_spec import load_registry

from ...components.registry import COMPONENTS
from ...vectors.published import every_vector
from ...wire.transcript import Observation
from ..items.item_report import FoundFailure, ItemReport
from ..items.judge import rules_named
from ..reference.deviations import KnownDeviations
from .collected import evidence_of
from .evidence import Difference, Evidence
from .kinds import by_kind
from .suspicion import suspicion_of


def rule_under_review(
    report: ItemReport,
    failure: FoundFailure,
    policies: Policies,
    known: KnownDeviations,
    observes: Observation,
) -> str:
    """Return the rule that one failure most likely breaks, judged by the report of its test item alone.

    Args:
        report: the report of the test item.
        failure: the failure in that report.
        policies: the policies of the reference with which the engine is compared.
        known: the known deviations of the engine.
        observes: how often outputs can be observed.
    """
    component = report.component
    rules = [rule.id for rule in load_registry().of_component(component)]
    if failure.property is None and not report.outputs:  # a silent engine may break any rule
        return _first_decided(failure, rules)
    evidence = evidence_of(
        component=component,
        compared=[],
        reports=[report],
        policies=policies,
        deviations=known.deviation,
        observes=observes,
        vectors=every_vector(),
        stated=None,
    )
    try:
        suspicion = suspicion_of(
            evidence,
            rules,
            _alike(evidence, failure),
            [each for each in evidence.violations if failure.property in (None, each.property.name)],
        )
    finally:
        evidence.reference.close()
    if suspicion.accusations:
        return suspicion.accusations[0].rules[0]
    speaks_for = {each.name: each.rules[0] for each in COMPONENTS[component].properties}
    return speaks_for.get(failure.property or "") or _first_decided(failure, rules)


def _first_decided(failure: FoundFailure, rules: Sequence[str]) -> str:
    """Return the first rule that decides in the failure."""
    decided = rules_named(failure.cited)
    return next((rule for rule in rules if rule in decided), rules[0])


def _alike(evidence: Evidence, failure: FoundFailure) -> list[Difference]:
    """Return the differences of the same kind as the failure; all differences if there are no others."""
    shown = [each for each in evidence.smallest if each.scenario == failure.scenario]
    kinds = by_kind([*evidence.differing, *shown], evidence.expected).values()
    alike = next((differences for differences in kinds if any(each in differences for each in shown)), [])
    return [difference for difference in alike if difference not in shown] or list(evidence.differing)
