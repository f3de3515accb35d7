"""The scenarios of whole components, given to the engine before their items ask for them.

They are drawn in the thread that judges: the reference notes its citations in one place, so that only one
thread at a time may use it. Only the engine's calls run beside it.
"""

from collections.abc import Iterator, Sequence

from ..components.job.jobs import JOBS
from ..components.registry import COMPONENTS
from ..engine.ahead import AnswersAhead
from ..judging.items.examination import Examiner, with_variants
from ..judging.items.preflight import preflight_scenarios
from ..judging.jobs.findings import family, properties_of
from ..wire.implementation import CHEAP_LAYERS
from ..wire.scenario import Scenario
from .items import published_answers, scenarios_of, shapes_within
from .plan import PlannedItem
from .request import Request


class CallAhead:
    """Begins the calls of a run's components in the order of the plan, one component further than its items.

    Whole jobs, which mostly wait, are begun at once. What runs in this process is left to the items.
    """

    def __init__(
        self, planned: Sequence[PlannedItem], request: Request, examiner: Examiner, engine: AnswersAhead
    ) -> None:
        self._planned, self._request, self._examiner = planned, request, examiner
        self.engine = engine
        self._components = list(dict.fromkeys(item.component for item in planned))
        implementation = examiner.implementation
        waiting = [name for name in self._components if implementation.layer_of(name) not in CHEAP_LAYERS]
        self._waiting = sorted(waiting, key=lambda name: name != "job")

    def reach(self, component: str) -> None:
        """An item of this component is about to run."""
        due = self._components.index(component)
        while self._waiting:
            upcoming = self._waiting[0]
            self.engine.start(self._scenarios(upcoming))
            del self._waiting[0]
            if upcoming != "job" and self._components.index(upcoming) > due:
                break

    def _scenarios(self, component: str) -> Iterator[Scenario]:
        capabilities = self._examiner.implementation.capabilities
        yield from preflight_scenarios(COMPONENTS[component], self._examiner.policies, capabilities)
        for item in self._planned:
            if item.component == component:
                yield from scenarios_sent(item, self._request, self._examiner)


def scenarios_sent(item: PlannedItem, request: Request, examiner: Examiner) -> list[Scenario]:
    """What an item gives to the engine as long as nothing fails: with those made of its scenarios."""
    if item.suite == "jobs":
        return list(family(JOBS[item.name], properties_of(JOBS[item.name])).values())
    shapes = shapes_within(item, examiner.implementation.shapes, examiner.drawn)
    drawn = list(scenarios_of(item, request, examiner.policies, shapes))
    if item.suite == "properties":
        property = next(one for one in COMPONENTS[item.component].properties if one.name == item.name)
        kept = examiner.applicable(examiner.within_its_means(property, drawn), suite=item.suite)
        return [member for scenario in kept for member in with_variants(property, scenario)]
    if item.suite == "vectors":
        published = published_answers(item, request, examiner.policies, drawn)
        drawn = [scenario for scenario in drawn if scenario.id in published]
    return examiner.applicable(drawn, suite=item.suite)
