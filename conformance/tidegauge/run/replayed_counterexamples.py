"""Counterexamples once more, each in a fresh process: a difference that depends on what ran before does not
repeat there."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from ..components.property import Property
from ..components.registry import COMPONENTS
from ..engine.apart import Question
from ..wire.results import Counterexample, RuleResult
from ..wire.scenario import Scenario
from ..wire.transcript import Outputs, Transcript, same_outputs
from .fresh_process import Answers, Hints
from .isolation_results import SHARED

NOT_ALONE = " (in a fresh process the engine gives another answer)"
DEPENDS = "depends on earlier scenarios"
AGREES = f"In a fresh process the engine conforms: the difference {DEPENDS}."


def replays(rule: RuleResult) -> list[Question]:
    """The questions that repeat the counterexample of a rule: its scenario, and those with which a property
    compares it. None without one, and for jobs."""
    if rule.counterexample is None or not rule.counterexample.steps:
        return []
    return [Question(f"{rule.id} {one.id}", "run", (one,)) for one in _family(rule.counterexample)]


def scenarios_of(rules: Iterable[RuleResult]) -> list[Scenario]:
    """Return the scenarios of the counterexamples, each once. Those of jobs are left out."""
    examples = [rule.counterexample for rule in rules if rule.counterexample is not None]
    scenarios = [decoded(example.scenario) for example in examples if example.steps]
    return list(dict.fromkeys(scenarios))


def with_hints(rule: RuleResult, hints: Hints) -> RuleResult:
    """Return a rule whose counterexample shows the hints of the adapter on it."""
    example = rule.counterexample
    sentences = hints.get(decoded(example.scenario), ()) if example is not None and example.steps else ()
    if example is None or not sentences:
        return rule
    message = with_sentence("\n".join(sentences), example.message, example.replay)
    return replace(rule, counterexample=replace(example, message=message, hints=list(sentences)))


def depends_on_earlier(rule: RuleResult, answers: Answers) -> bool:
    """Whether an engine that gives these answers keeps the rule in its counterexample."""
    example = rule.counterexample
    given = _given(rule, answers)
    if example is None or given is None:
        return False
    wanted = [step.expected for step in example.steps if step.expected is not None]
    if any(one.failure is not None for one in given) or not _same(given[0], wanted):
        return False
    property = _property_of(example)
    return property is None or property.holds(_family(example), given) is not False


def replayed(rule: RuleResult, answers: Answers, shared: Collection[str]) -> RuleResult:
    """A failing rule, with what became of its counterexample. In the `shared` components, whose instances
    share state, one that does not repeat proves nothing of the rule."""
    example, given = rule.counterexample, _given(rule, answers)
    if example is None or given is None:
        return rule
    is_shared = example.scenario["component"] in shared
    if depends_on_earlier(rule, answers):
        if not example.deterministic and not is_shared:
            return rule
        message = with_sentence(AGREES, example.message, example.replay)
        marked = replace(rule, counterexample=replace(example, message=message, depends_on_earlier=True))
        if not is_shared or rule.deviation is not None or rule.flaky is not None:
            return marked
        reason = f"its counterexample {DEPENDS}: {SHARED}"
        return replace(marked, verdict="not-tested", reason=reason, suspected=False, suspects=[])
    before = [step.got for step in example.steps if step.got is not None]
    if not example.deterministic or _same(given[0], before):
        return rule
    changing = replace(example, got=example.got + NOT_ALONE, deterministic=False)
    return replace(rule, counterexample=changing)


def with_sentence(sentence: str, message: str, replay: str) -> str:
    """A message with one more sentence, before it says how to replay."""
    end = f"Replay: {replay}"
    return f"{message.removesuffix(end)}{sentence}\n{end}"


def decoded(scenario: dict[str, Any]) -> Scenario:
    """A scenario as results have it."""
    found: Scenario = msgspec.convert(scenario, Scenario)
    return found


def _given(rule: RuleResult, answers: Answers) -> list[Transcript] | None:
    """The transcripts of a rule's counterexample and its variants; None if not all were given."""
    questions = replays(rule)
    given = [one for question in questions for one in answers.get(question.name, ()) if one is not None]
    return given if questions and len(given) == len(questions) else None


def _property_of(example: Counterexample) -> Property | None:
    properties = COMPONENTS[example.scenario["component"]].properties
    return next((one for one in properties if one.name == example.property), None)


def _family(example: Counterexample) -> list[Scenario]:
    """The scenario of a counterexample, and those with which a property compares it."""
    scenario = decoded(example.scenario)
    property = _property_of(example)
    variants = property.variants(scenario) if property is not None else ()
    return [scenario, *(replace(one, id=f"{one.id}~{number}") for number, one in enumerate(variants, 1))]


def _same(answer: Transcript, outputs: Sequence[Sequence[dict[str, Any]]]) -> bool:
    spans = msgspec.convert(outputs, list[Outputs])
    given = answer.outputs
    return len(given) == len(spans) and all(map(same_outputs, spans, given))
