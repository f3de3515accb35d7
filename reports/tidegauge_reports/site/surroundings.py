"""What the site says around the report of a run, so that the report need not repeat it."""

from collections.abc import Mapping

from tidegauge.components.registry import load_mutants
from tidegauge.wire.results import RuleResult

from ..compliance.forms import Form, Sizes
from ..compliance.surroundings import RulePage, Surroundings
from . import addresses
from .dossier import Dossier

UP = "../"
"""Leads from a page in a folder to the top of the site."""

_SIZES = Sizes(
    (
        Form("whole", 158_000, picture=True, steps=True),
        Form("without picture", 168_000, steps=True),
        Form("without steps", 181_000),
        Form("brief", None, brief=True),
    ),
    keeps_room=True,
)
"""A page of the site stays below 300 kB, also if all rules fail: the run's own report has the rest."""


def around_reports(dossiers: Mapping[str, Dossier]) -> Surroundings:
    """The pages around the reports of runs. The entry of a rule counts if the run was judged by its texts,
    sources and golden vectors."""

    def entry(result: RuleResult) -> RulePage | None:
        found = dossiers.get(result.id)
        if found is None or _texts(found) != _judged_by(result):
            return None
        return RulePage(
            UP + addresses.rule_address(result.id),
            frozenset(wrong.mutant.name for wrong in found.wrong_engines),
        )

    return Surroundings(_mutant_address, entry, _SIZES)


def _texts(dossier: Dossier) -> tuple[object, ...]:
    rule = dossier.rule
    vectors = {vector.id for vector in dossier.vectors}
    return rule.sentence, rule.intent, rule.check, list(rule.sources), vectors


def _judged_by(result: RuleResult) -> tuple[object, ...]:
    return result.sentence, result.intent, result.check, list(result.sources), set(result.vectors)


def _mutant_address(name: str) -> str | None:
    """Where a mutant stands, seen from the report of a run; None if this version does not have it."""
    mutant = load_mutants().get(name)
    return None if mutant is None else UP + addresses.mutant_page(mutant.name)
