"""Where a report stands: alone, as a file that says everything, or on a site whose pages say part of it."""

from collections.abc import Callable
from dataclasses import dataclass

from tidegauge.wire.results import RuleResult

from .forms import ALONE, Sizes


@dataclass(frozen=True)
class RulePage:
    """The entry of a rule on another page: its address, seen from the report, and the mutants it names."""

    address: str
    mutants: frozenset[str]

    def all_excluded(self, result: RuleResult) -> bool:
        """Whether a pass excludes each of the listed mutants."""
        return bool(self.mutants) and self.mutants <= set(result.excludes)


def _nowhere(_what: object) -> None:
    return None


@dataclass(frozen=True)
class Surroundings:
    """What the pages around a report say.

    `mutant` gives the address of the mutant of a name. `rule` gives the entry that has the reason, the hint,
    the sources, the reference and the golden vectors of a rule as the result has them; the report leaves
    these out. None stands for nowhere. `sizes` say how fully rules are shown.
    """

    mutant: Callable[[str], str | None] = _nowhere
    rule: Callable[[RuleResult], RulePage | None] = _nowhere
    sizes: Sizes = ALONE


NOTHING_AROUND = Surroundings()
