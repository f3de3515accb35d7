"""What the diagnosis of a named mutant looks like: as a run says it of an engine that behaves alike."""

from tidegauge_reference import CORE

from ..components.wording import answer_text, failure_message, outputs_text
from ..judging.changes.change import change_of
from ..judging.changes.told import bugs_of, sentence_of
from ..judging.diagnosis.evidence import Evidence
from ..judging.diagnosis.fitting import fit
from ..judging.diagnosis.model import model_of
from ..judging.diagnosis.separating import separating
from ..mutants.mutant import Mutant
from ..wire.results import ComponentResult, Term
from .sample import evidence_of, sample_of
from .soundness import components


def can_be_diagnosed(mutant: Mutant) -> bool:
    """Whether a model is fitted to such engines: to whole jobs none is."""
    return mutant.component in components()


def diagnosis_of(mutant: Mutant) -> tuple[ComponentResult, dict[str, str]]:
    """What is said of the mutant, from a sample of scenarios under `core` (with those of scale if it shows in
    no others), and for each part of the model, by its name, the smallest scenario that shows it, in words."""
    sample = sample_of(mutant.component, scale=mutant.scale)
    with model_of(sample.component, CORE, [change_of(mutant)]) as engine:
        assert engine is not None, "a named mutant can be loaded"
        evidence = evidence_of(sample, engine)
    try:
        found = fit(evidence)
        terms = [
            Term(
                name=term.name,
                kind=term.kind,
                rules=list(term.rules),
                ties=[one.name for one in tie[1:]],
                sentence=sentence_of(term),
                bugs=[bug.id for bug in bugs_of(term)],
            )
            for term, tie in zip(found.told, found.ties, strict=False)
        ]
        result = ComponentResult(
            component=mutant.component,
            scenarios=len(sample.scenarios),
            failing=len(evidence.differing),
            errors=0,
            examined=len(evidence.differing),
            explained=len(found.told_explained),
            model=terms,
            gave_up=found.gave_up,
        )
        shown = separating(evidence, found.told, [])
        return result, {name: _told(evidence, one.scenario.id, mutant) for name, one in shown.items()}
    finally:
        evidence.reference.close()


def _told(evidence: Evidence, id: str, mutant: Mutant) -> str:
    """The scenario up to its first difference, and how to see more."""
    one = next(one for one in evidence.differing if one.scenario.id == id)
    right = evidence.expected(one.scenario)
    more = f"tidegauge run --adapter mutant:{mutant.name} --component {mutant.component} --budget smoke"
    expected, got = outputs_text(right[one.at]), answer_text(one.outputs[one.at])
    return failure_message(
        rules=(),
        scenario=one.scenario,
        right=right,
        last_step=one.at,
        expected=expected,
        got=got,
        replay=more,
    )
