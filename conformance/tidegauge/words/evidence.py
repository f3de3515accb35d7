"""Texts about the evidence of a verdict: errors, differences, and the limits of a pass."""

import re
from collections.abc import Iterable

from ..wire.results import Counterexample, EngineError, Results, RuleResult
from ..wire.transcript import ErrorKind
from ..wire.world import World
from .numbers import counted, listed
from .suspects import is_explained, one_of_words

ERRORS = "Errors: the engine gave no answer"
"""Stands above the errors of an engine."""

STANDS_OUT = "stands out, not proven"
"""The note about a rule that fails although no model proves that it is broken."""

DOWNSTREAM = "Downstream failure; root cause: {}. Start there."
"""Said of a failing rule that builds on failing ones, which take the place of the braces."""

FLAKY = "Known to be flaky, so not held against the engine"
"""Stands before the reason why a changing answer does not count."""

IN_THE_WAY = "Smallest unexplained scenario"
"""Stands before the scenario because of which a rule is not tested."""

THIN = "thin evidence: fewer than three mutants"
"""Said of a pass that excludes little."""

NOT_EXCLUDED = "Not excluded, as the run was too small to show them"
"""Said before the mutants of scale that a pass leaves open."""

BY_ADAPTER = "By the adapter, not by the engine"
"""Stands before what the adapter does in place of the engine."""

CHANGES = "Not deterministic: the engine gave another answer in a second run"
"""Said of a counterexample that may not show again."""

_EXCEPTION = re.compile(r"[\w.$]{1,120}(?=:|$)")
_INSTEAD: dict[ErrorKind, str] = {
    "exception": "raised an exception",
    "protocol": "gave an answer that is not of the vocabulary",
    "missing": "gave no answer",
    "crashed": "crashed",
    "timeout": "did not answer in time",
}
_MOST_RULES = 10


def error_words(error: EngineError) -> str:
    """What the engine did instead of answering, and how often: `raised ConnectionError in 863 of 2,954
    scenarios`."""
    name = _exception(error)
    instead = f"raised {name}" if name else _INSTEAD[error.kind]
    return f"{instead} in {error.scenarios:,} of {error.of:,} scenarios" if error.of else instead


def error_detail(error: EngineError) -> str:
    """What `error_words` does not say of an error: `: lost connection`; empty if there is nothing."""
    detail = error.text.removeprefix(_exception(error)).removeprefix(":").strip()
    return f": {detail}" if detail else ""


def error_place(error: EngineError) -> str:
    """Where an error was seen first: `First in scenario valve/essay`."""
    return f"First in scenario {error.scenario}" if error.scenario else "Outside of any scenario"


def _exception(error: EngineError) -> str:
    """The name of the exception that was raised; empty if it was something else."""
    name = _EXCEPTION.match(error.text) if error.kind == "exception" else None
    return name[0] if name else ""


def difference_words(example: Counterexample) -> str:
    """Both sides of a difference, in a line."""
    return f"expected {example.expected}; got {example.got}"


def counterexample_title(example: Counterexample) -> str:
    """What a counterexample is: the steps of a scenario, a job, or another observation."""
    if example.steps:
        return "Minimal counterexample"
    return "The job that breaks the rule" if example.scenario.get("component") == "job" else "Counterexample"


def setup_words(example: Counterexample) -> str:
    """What was under test, as the message has it; empty for a job or where the message does not say it."""
    told = (line for line in example.message.splitlines() if line.startswith("On ") and line.endswith(":"))
    return next(told, "").removesuffix(":")


def failing_words(results: Results, component: str) -> str:
    """In how many of its scenarios a component fails; empty if in none."""
    for found in results.components:
        if found.component == component and found.failing:
            of_all = counted(found.scenarios, "scenario")
            return f"{found.failing:,} of {of_all} of the component {component} fail"
    return ""


def suspected_words(rule: RuleResult) -> str:
    """Return the note about a rule that fails without a proof or is a suspect; empty for other rules."""
    if rule.suspected:
        return f"{rule.id} {STANDS_OUT}: no known defect explains the difference."
    if rule.verdict != "suspect":
        return ""
    accused = one_of_words(rule)
    why = rule.reason if is_explained(rule) else "no known defect explains the difference"
    return f"{accused[:1].upper()}{accused[1:]}: {why}."


def downstream_words(rule: RuleResult) -> str:
    """Where to start if a failing rule builds on failing ones; empty if it does not."""
    return DOWNSTREAM.format(listed(rule.affected_by, _MOST_RULES)) if rule.affected_by else ""


def also_in_words(rule: RuleResult) -> str:
    """In which other components a failure shows, too; empty if in none."""
    if not rule.also_in:
        return ""
    builds = "builds" if len(rule.also_in) == 1 else "build"
    shown = f"The failure also shows in {listed(rule.also_in, 2 * _MOST_RULES)}"
    return f"{shown}, which {builds} on this component."


def in_the_way_words(rule: RuleResult) -> str:
    """The scenario because of which a rule is not tested; empty if there is none."""
    return f"{IN_THE_WAY}: {rule.stands_in_the_way}" if rule.stands_in_the_way else ""


def thin_words(rules: Iterable[RuleResult], most: int) -> str:
    """The rules that pass on thin evidence; empty if there are none."""
    thin = [rule.id for rule in rules if rule.verdict == "pass" and rule.thin]
    return f"Pass on {THIN}: {listed(thin, most)}." if thin else ""


def not_excluded_words(rules: Iterable[RuleResult], most: int) -> str:
    """The mutants of scale that the passes do not exclude; empty if there are none."""
    names = dict.fromkeys(name for rule in rules if rule.verdict == "pass" for name in rule.not_excluded)
    return f"{NOT_EXCLUDED}: {listed(list(names), most)}." if names else ""


def exercised_words(rule: RuleResult) -> str:
    """How often a rule decided in scenarios; empty if it never did."""
    if not rule.scenarios:
        return ""
    numbers = f"{counted(rule.scenarios, 'scenario')} ({counted(rule.steps, 'step')})"
    world = f"; the largest has {world_words(rule.world)}" if world_words(rule.world) else ""
    return f"decided in {numbers} that agree with the specification{world}"


def world_words(world: World) -> str:
    """Return the size of a world: `65 channels, 97 steps, numbers of 19 digits`; empty if it is unknown."""
    sizes = [f"{number:,} {what}" for what, number in sorted(world.parts.items())]
    if world.steps:
        sizes.append(counted(world.steps, "step"))
    if world.digits:
        sizes.append(f"numbers of {counted(world.digits, 'digit')}")
    return ", ".join(sizes)
