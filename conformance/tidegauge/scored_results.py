"""Results of a run: what is scored for its suite, and what is said of the rest."""

from msgspec.structs import replace

from tidegauge_spec import added_after, is_version

from .results import ItemResult, Results, RuleResult


def scored_part(results: Results) -> Results:
    """Results without what is not scored."""
    return replace(
        results,
        rules=[rule for rule in results.rules if rule.scored],
        properties=[property for property in results.properties if property.scored],
        items=[item for item in results.items if item.scored],
    )


def is_later(rule: RuleResult, results: Results) -> bool:
    """Whether a rule was added after the suite; one that is hidden behind such a rule was not."""
    since, suite = rule.since, results.suite
    return not rule.scored and is_version(since) and is_version(suite) and added_after(since, suite)


def not_scored(results: Results) -> str:
    """A sentence on the checks that were added after the suite, empty if none ran."""
    checks = {rule.id: rule.verdict == "fail" for rule in results.rules if is_later(rule, results)}
    checks |= {p.name: p.verdict == "fail" for p in results.properties if not p.scored}
    checks |= {item.id: item.outcome != "judged" for item in results.items if _shows_alone(item)}
    if not checks:
        return ""
    failing = [name for name, fails in checks.items() if fails]
    were = "check added after suite {} was" if len(checks) == 1 else "checks added after suite {} were"
    sentence = f"{len(checks)} {were.format(results.suite)} run and not scored"
    if not failing:
        return f"{sentence}; none of them fails."
    fail = "it fails" if len(checks) == 1 else f"{len(failing)} of them fail{'s' * (len(failing) == 1)}"
    return f"{sentence}, {fail}: {', '.join(failing[:20])}{' and others' * (len(failing) > 20)}."


def _shows_alone(item: ItemResult) -> bool:
    """Whether an unscored item is a check of its own; those of a property show in the property."""
    return not item.scored and "-properties-" not in item.id
