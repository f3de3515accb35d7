"""In which components' scenarios a rule is judged."""

from tidegauge_spec import Rule

from ...components.registry import COMPONENTS

JUDGED_IN_OTHERS = "time"
"""The component without scenarios of its own: its rules decide in those that its rules need."""


def judged_in(rule: Rule) -> set[str]:
    """The components whose scenarios judge a rule: its own; those that a rule of time needs, or of which it
    needs a capability."""
    if rule.component != JUDGED_IN_OTHERS:
        return {rule.component}
    return {name for name, one in COMPONENTS.items() if {name, *one.extras} & set(rule.needs)}


def judged_by(rule: Rule, capabilities: frozenset[str]) -> set[str]:
    """The components an engine claims whose scenarios judge the rule: its own, whole jobs with alignment if
    they show it, and for a rule of time those that need it."""
    if rule.component == JUDGED_IN_OTHERS:
        return judged_in(rule) & capabilities
    judges = {rule.component} & capabilities if rule.checked_by != ("job",) else set()
    if "job" in rule.checked_by and (rule.component == "job" or "alignment" in capabilities):
        judges |= {"job"} & capabilities
    return judges
