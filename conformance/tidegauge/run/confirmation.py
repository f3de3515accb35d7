"""What a run found once more, in fresh processes: a difference that depends on what ran before it does not
repeat there, and two instances that share state still do."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from tidegauge_spec import load_registry

from ..engine.apart import Question
from ..judging.items.isolation import property_name
from ..judging.items.item_report import SeenInterference
from ..judging.items.shrinker import EFFORT_OF_CALLS, shrink
from ..judging.verdicts.root_cause import affected_by
from ..wire.results import PropertyResult, Results, RuleResult, counts_of
from ..wire.scenario import Scenario
from .fresh_process import Answers, answers_and_hints, answers_of
from .interference import interference_of
from .interference_search import (
    Pair,
    beside_itself,
    is_lasting,
    questions_about,
    questions_again,
    seeming_pairs,
    seen_in,
    short_pairs,
    smallest_interference,
    were_asked,
)
from .isolation_results import SHARED
from .progress import tell
from .replayed_counterexamples import (
    depends_on_earlier,
    replayed,
    replays,
    scenarios_of,
    with_hints,
    with_sentence,
)
from .request import Request

_NOT_AGAIN = "In a fresh process this was not seen again."
_IN_WORDS = {
    True: "stepped alternately, two instances differ from each instance alone",
    False: "an instance differs after another instance has run",
}


def confirmed(results: Results, request: Request, folder: Path) -> Results:
    """The results, where counterexamples that do not repeat in a fresh process say so, and where instances
    that share state are found by what one does after the other. Files go into `folder`."""
    pairs = {
        found.component: seeming_pairs(found)
        for found in results.properties
        if found.name == property_name(found.component) and found.verdict != "not-applicable"
    }
    repeated = [question for rule in results.rules for question in replays(rule)]
    questions = [*repeated, *_about(pairs.values())]
    tell("confirming", 0, len(questions))
    answers, hints = answers_and_hints(questions, scenarios_of(results.rules), request)
    tell("confirming", len(questions), len(questions))
    doubtful = _doubtful(results, pairs, answers)
    if doubtful:
        examples = [rule.counterexample for rule in results.rules if rule.counterexample is not None]
        more = {name: short_pairs(name, examples, results) for name in doubtful}
        answers = {**answers, **answers_of(_about(more.values()), request)}
        pairs = {name: [*several, *more.get(name, ())] for name, several in pairs.items()}
    shown = {
        name: _lasting(_made_small(smallest_interference(several, answers), request), request)
        for name, several in pairs.items()
    }
    properties = [
        _confirmed(
            found,
            shown[found.component],
            were_asked(pairs[found.component], answers),
            request,
            results.profile,
            folder,
        )
        if found.name == property_name(found.component) and found.component in pairs
        else found
        for found in results.properties
    ]
    shared = [one.component for one in properties if one.verdict == "fail" and one.interference is not None]
    rules = [with_hints(replayed(rule, answers, shared), hints) for rule in results.rules]
    return _judged_again(results, rules, properties)


def _about(pairs: Iterable[Sequence[Pair]]) -> list[Question]:
    return [question for several in pairs for pair in several for question in questions_about(pair)]


def _made_small(seen: SeenInterference | None, request: Request) -> SeenInterference | None:
    """What was seen of a scenario beside itself, with as few steps as it takes in fresh processes."""
    if seen is None or not _are_alike(*seen.scenarios):
        return seen

    def seen_of(candidates: Sequence[Scenario]) -> list[SeenInterference | None]:
        pairs = [beside_itself(one) for one in candidates]
        answers = answers_of(_about([pairs]), request)
        return [seen_in(pair, answers) for pair in pairs]

    def last_steps(candidates: Sequence[Scenario]) -> list[int | None]:
        found = zip(candidates, seen_of(candidates), strict=True)
        return [None if shown is None else len(one.history) - 1 for one, shown in found]

    smallest = shrink(seen.scenarios[0], last_steps, EFFORT_OF_CALLS)
    return seen_of([smallest])[0] or seen


def _are_alike(first: Scenario, second: Scenario) -> bool:
    return (first.setup, first.history) == (second.setup, second.history)


def _lasting(seen: SeenInterference | None, request: Request) -> SeenInterference | None:
    """What was seen, if it is seen each time that it is asked for again."""
    if seen is None or not is_lasting(seen, answers_of(questions_again(seen), request)):
        return None
    return seen


def _doubtful(results: Results, pairs: Mapping[str, Sequence[Pair]], answers: Answers) -> list[str]:
    """The components in which something may depend on what ran before, and no small scenarios show yet that
    instances share state."""
    depending = {
        rule.counterexample.scenario["component"]
        for rule in results.rules
        if rule.counterexample is not None and depends_on_earlier(rule, answers)
    }
    made_small = {
        found.component
        for found in results.properties
        if found.verdict == "fail" and found.interference is not None
    }
    return [
        name
        for name, several in pairs.items()
        if (several or name in depending)
        and (name not in made_small or smallest_interference(several, answers) is None)
    ]


def _judged_again(results: Results, rules: list[RuleResult], properties: list[PropertyResult]) -> Results:
    """The results with other verdicts. What was said of a component as a whole does not stand where some of
    its scenarios show nothing."""
    roots = affected_by([rule.id for rule in rules if rule.verdict == "fail"], load_registry())
    withdrawn = {
        new.component for old, new in zip(results.rules, rules, strict=True) if old.verdict != new.verdict
    }
    return replace(
        results,
        rules=[replace(one, affected_by=roots.get(one.id, [])) if one.affected_by else one for one in rules],
        properties=properties,
        counts={**results.counts, **counts_of(rules)},
        components=[
            replace(one, model=[], explained=0) if one.component in withdrawn else one
            for one in results.components
        ],
    )


def _confirmed(
    found: PropertyResult,
    shown: SeenInterference | None,
    asked: bool,
    request: Request,
    profile: str,
    folder: Path,
) -> PropertyResult:
    """The property that instances are isolated, with what fresh processes showed, if they were asked."""
    if shown is not None:
        reason = found.reason if found.verdict == "fail" else f"{SHARED}: {_IN_WORDS[shown.alternately]}"
        interference = interference_of(shown, request, profile, folder, repeats=True)
        return replace(found, verdict="fail", reason=reason, interference=interference)
    if found.verdict != "fail" or found.interference is None or not asked:
        return found
    message = with_sentence(_NOT_AGAIN, found.interference.message, found.interference.replay)
    return replace(found, interference=replace(found.interference, message=message, repeats=False))
