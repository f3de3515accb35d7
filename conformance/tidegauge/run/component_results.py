"""What `results.json` says of each component: its sums, and the model that behaves as the engine."""

from collections.abc import Sequence
from pathlib import Path

from tidegauge_reference import Policies

from ..judging.changes.change import Change
from ..judging.changes.told import bugs_of, sentence_of
from ..judging.diagnosis.component_judgement import ComponentJudgement
from ..judging.diagnosis.separating import separating
from ..judging.items.item_report import ItemReport
from ..judging.items.merged import merged
from ..wire.results import ComponentResult, Suspect, Term
from .counterexamples import counterexample_of
from .journal import Started
from .judged_run import Judged

_MOST_SUSPECTS = 5


def component_results(
    judged: Judged, started: Started, folder: Path, policies: Policies
) -> list[ComponentResult]:
    """One for each component that ran; the scenarios that show the terms of its model are written into
    `folder`."""
    return [
        _component_result(name, reports, judged, _terms(name, judged, started, folder, policies))
        for name, reports in judged.reports.items()
    ]


def _component_result(
    name: str, reports: Sequence[ItemReport], judged: Judged, terms: list[Term]
) -> ComponentResult:
    sums = merged(reports)
    failing = sum(one.failing for one in reports if not one.properties)
    judgement = judged.components.get(name)
    if judgement is None:
        return ComponentResult(
            component=name, scenarios=sums.scenarios, failing=failing, errors=sums.unanswered
        )
    unexplained = [
        one.scenario
        for one in judged.evidence[name].differing
        if one.scenario.id not in judgement.fit.told_explained
    ]
    smallest = min(unexplained, key=lambda one: (len(one.history), one.id), default=None)
    return ComponentResult(
        component=name,
        scenarios=sums.scenarios,
        failing=failing,
        errors=sums.unanswered,
        examined=judgement.examined,
        explained=len(judgement.fit.told_explained),
        model=terms,
        suspects=_suspects(judgement),
        unexplained=smallest.id if smallest is not None else "",
        gave_up=judgement.fit.gave_up,
    )


def _suspects(judgement: ComponentJudgement) -> list[Suspect]:
    """Return the accused rules of all accusations, each once with its highest plausibility."""
    plausible: dict[str, float] = {}
    for accusation in judgement.accusations:
        for rule, plausibility in accusation.plausibility:
            plausible[rule] = max(plausible.get(rule, 0.0), plausibility)
    ranked = sorted(plausible.items(), key=lambda entry: -entry[1])
    return [Suspect(rule, plausibility) for rule, plausibility in ranked[:_MOST_SUSPECTS]]


def _terms(name: str, judged: Judged, started: Started, folder: Path, policies: Policies) -> list[Term]:
    judgement = judged.components.get(name)
    if judgement is None or not judgement.fit.told:
        return []
    told = judgement.fit.told
    shown = separating(judged.evidence[name], told, merged(judged.reports[name]).failures)
    found = []
    for number, (term, tie) in enumerate(zip(told, judgement.fit.ties, strict=False), start=1):
        failure = shown.get(term.name)
        file = f"{name}-term-{number}"
        example = counterexample_of(file, (), failure, started, folder, policies) if failure else None
        found.append(
            Term(
                name=term.name,
                kind=term.kind,
                rules=list(term.rules),
                ties=[one.name for one in tie[1:]],
                sentence=sentence_of(term),
                bugs=[bug.id for bug in bugs_of(term)],
                links=_links(term),
                counterexample=example,
            )
        )
    return found


def _links(term: Change) -> list[str]:
    return [link for bug in bugs_of(term) for link in bug.links[:1]]
