"""Texts about suspects: rules of which at least one is broken, grouped by difference."""

from collections.abc import Iterable

from ..judging.verdicts.judged_in import JUDGED_IN_OTHERS
from ..wire.results import Results, RuleResult
from .numbers import counted, listed

SUSPECTS = "Suspects"
"""The heading of the suspects of a run; also the label of the suspects of a component."""

PLAUSIBILITY = "plausibility, 0 to 1"
"""The label of the number next to a suspect."""

NOT_IMPLICATED = "not implicated by the unexplained differences"
"""The meaning of a pass in a component with unexplained differences."""

_MOST = 8


def suspected_together(results: Results) -> list[list[RuleResult]]:
    """Return the suspects of each difference, the most plausible first."""
    together: dict[tuple[str, ...], list[RuleResult]] = {}
    for rule in results.rules:
        if rule.verdict == "suspect":
            together.setdefault(tuple(names_of(rule)), []).append(rule)
    return [
        sorted(suspects, key=lambda rule: names.index(rule.id) if rule.id in names else len(names))
        for names, suspects in together.items()
    ]


def names_of(rule: RuleResult) -> list[str]:
    """Return the ids of all suspects of the same difference. The verdicts on some of them may be based on
    another difference."""
    return [suspect.rule for suspect in rule.suspects] or [rule.id]


def suspects_words(results: Results) -> str:
    """Return a summary of the suspects that are held against the engine: `one of VALVE-2, VALVE-9 is broken`;
    empty if there are none."""
    together = [suspects for suspects in suspected_together(results) if suspects[0].flaky is None]
    names = [rule.id for suspects in together for rule in suspects]
    if len(names) == 1:
        return f"{names[0]} may be broken"
    if len(together) == 1:
        return f"one of {listed(names, _MOST)} is broken"
    return f"at least one of {len(names)} suspects is broken" if names else ""


def one_of_words(rule: RuleResult) -> str:
    """Return the group of suspects that a rule belongs to: `one of VALVE-2, VALVE-9 is broken`."""
    names = names_of(rule)
    return f"one of {listed(names, _MOST)} is broken" if len(names) > 1 else f"{names[0]} may be broken"


def suspects_title(rule: RuleResult) -> str:
    """Return the heading of a difference: `One of these rules is broken: VALVE-2, VALVE-9`."""
    names = names_of(rule)
    title = f"One of these rules is broken: {listed(names, _MOST)}"
    return title if len(names) > 1 else f"{names[0]} may be broken"


def is_explained(rule: RuleResult) -> bool:
    """Return whether a known defect explains the difference of a suspect but could not be tested. The reason
    then describes the defect and does not begin with the list of suspects."""
    return not rule.reason.startswith(one_of_words(rule))


def why_suspected(rule: RuleResult) -> str:
    """Return the reason why the rules of a difference are suspects."""
    if is_explained(rule):
        return f"{rule.reason[:1].upper()}{rule.reason[1:]}."
    order = f" The most plausible rule is first ({PLAUSIBILITY})." if len(rule.suspects) > 1 else ""
    return f"No known defect explains the difference.{order}"


def plausibility_words(rule: RuleResult) -> str:
    """Return the plausibility of each suspect of a difference; empty if there is only one suspect, or if a
    known defect explains the difference."""
    if rule.verdict != "suspect" or len(rule.suspects) < 2 or is_explained(rule):
        return ""
    numbers = ", ".join(f"{suspect.rule} {suspect.score:.2f}" for suspect in rule.suspects[:_MOST])
    return f"{PLAUSIBILITY.capitalize()}: {numbers}"


def accused_words(rules: Iterable[RuleResult]) -> str:
    """Return the number of accused rules: `2 failing rules and 1 suspect`."""
    verdicts = [rule.verdict for rule in rules]
    failing, suspects = verdicts.count("fail"), verdicts.count("suspect")
    parts = [counted(failing, "failing rule")] if failing or not suspects else []
    return " and ".join([*parts, *([counted(suspects, "suspect")] if suspects else [])])


def unexplained_components(results: Results) -> set[str]:
    """Return the components with a difference that no model explains. A pass in them is weaker."""
    components = [result for result in results.components if result.unexplained or result.suspects]
    names = {result.component for result in components}
    return {*names, JUDGED_IN_OTHERS} if names else names


def not_implicated_words(results: Results) -> str:
    """Return the note about components in which a pass is weaker; empty if there are none."""
    unexplained = unexplained_components(results)
    passing = (rule.component for rule in results.rules if rule.verdict == "pass")
    names = [name for name in dict.fromkeys(passing) if name in unexplained]
    return less_words(f"in {listed(names, _MOST)}") if names else ""


def less_words(where: str) -> str:
    """Return the note about a pass in a component with an unexplained difference."""
    return f"A pass {where} says less than elsewhere: the rule is {NOT_IMPLICATED}."
