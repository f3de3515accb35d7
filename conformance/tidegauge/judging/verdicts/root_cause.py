"""Which failing component is the root, and which merely builds on it."""

from collections.abc import Iterable

from tidegauge_spec import Registry


def affected_by(failing: Iterable[str], registry: Registry) -> dict[str, list[str]]:
    """For each of the `failing` rules those failing rules that explain it: of the components that its own is
    built on, as the chapters declare, the ones at the root. A rule of a root is not in the answer."""
    rules_of: dict[str, list[str]] = {}
    for rule in failing:
        rules_of.setdefault(registry.rules[rule].component, []).append(rule)
    beneath = {component: _beneath(component, registry) & set(rules_of) for component in rules_of}
    roots = {component for component in rules_of if not beneath[component]}
    return {
        rule: sorted(cause for root in roots & beneath[component] for cause in rules_of[root])
        for component, rules in rules_of.items()
        for rule in rules
        if roots & beneath[component]
    }


def _beneath(component: str, registry: Registry) -> set[str]:
    """The components that `component` builds on and that do not build on it in turn."""
    return {used for used in _reached(component, registry) if component not in _reached(used, registry)}


def _reached(component: str, registry: Registry) -> set[str]:
    reached: set[str] = set()
    waiting = [component]
    while waiting:
        new = set(registry.chapters[waiting.pop()].uses) - reached
        reached |= new
        waiting += new
    return reached
