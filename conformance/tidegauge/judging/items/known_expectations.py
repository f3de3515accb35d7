"""What the reference is known to output, so that it is not asked again."""

from collections.abc import Sequence

from ...wire.scenario import Scenario
from ..reference.oracle import Expectation


class KnownExpectations:
    """The expectations of the scenarios of one item, under the policies with which these were drawn.

    They are found by the scenario itself, not by its id: what is made of a scenario, such as a smaller one,
    may have the same id.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[Scenario, Expectation]] = {}

    def keep(self, scenarios: Sequence[Scenario], expectations: Sequence[Expectation]) -> None:
        """Know these, and no others any more."""
        self._known = {
            scenario.id: (scenario, expectation)
            for scenario, expectation in zip(scenarios, expectations, strict=True)
        }

    def of(self, scenario: Scenario) -> Expectation | None:
        """The expectation of a scenario; None if it is not known."""
        known = self._known.get(scenario.id)
        return known[1] if known is not None and known[0] is scenario else None
