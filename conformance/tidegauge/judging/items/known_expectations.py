"""The known expectations of scenarios, for which the reference does not run again."""

from collections.abc import Sequence

from ...wire.scenario import Scenario
from ..reference.oracle import Expectation


class KnownExpectations:
    """The expectations of the scenarios of one item, under the policies with which they were drawn.

    The scenario itself identifies its expectation, not its id: a scenario that was derived from another one,
    such as a smaller one, may have the same id.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[Scenario, Expectation]] = {}

    def keep(self, scenarios: Sequence[Scenario], expectations: Sequence[Expectation]) -> None:
        """Replace all known expectations with the expectations of these scenarios."""
        self._known = {
            scenario.id: (scenario, expectation)
            for scenario, expectation in zip(scenarios, expectations, strict=True)
        }

    def of(self, scenario: Scenario) -> Expectation | None:
        """Return the expectation of a scenario; None if it is not known."""
        known = self._known.get(scenario.id)
        return known[1] if known is not None and known[0] is scenario else None
