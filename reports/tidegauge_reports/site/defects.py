"""Mutants and known bugs as the site shows them: what they do, and what a run says of an engine like them."""

from dataclasses import dataclass

from tidegauge.components.registry import load_mutants
from tidegauge.detection.mutant_diagnosis import can_be_diagnosed
from tidegauge.judging.changes.change import change_of
from tidegauge.judging.changes.told import bugs_of
from tidegauge.mutants.known_bugs import KnownBug
from tidegauge.mutants.mutant import Mutant
from tidegauge.words.diagnosis import NOT_OF_JOBS

from ..shipped.diagnoses import Diagnosis, fresh_diagnosis
from .replacements import Change, changed_lines


@dataclass(frozen=True)
class Defect:
    """A mutant with the known bugs that it stands for, what it changes in the reference, and its diagnosis;
    None if there is none."""

    mutant: Mutant
    bugs: tuple[KnownBug, ...]
    changes: tuple[Change, ...]
    diagnosis: Diagnosis | None

    @property
    def without_diagnosis(self) -> str:
        """Why there is no diagnosis; empty if there is one."""
        if self.diagnosis is not None:
            return ""
        if not can_be_diagnosed(self.mutant):
            return NOT_OF_JOBS
        return f"No diagnosis is recorded. See `tidegauge explain {self.mutant.name}`."


def defects() -> dict[str, Defect]:
    """All mutants by name, in the order in which the kit lists them."""
    return {name: _defect(mutant) for name, mutant in load_mutants().items()}


def _defect(mutant: Mutant) -> Defect:
    bugs = tuple(bugs_of(change_of(mutant)))
    return Defect(mutant, bugs, tuple(changed_lines(mutant)), fresh_diagnosis(mutant))
