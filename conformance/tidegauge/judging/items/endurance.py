"""Does the state of an engine stay as large as what is live? Long scenarios that do the same in each round.

The reference is not asked, and outputs are not compared: that is done where scenarios are short.
"""

from ...components.component import Component
from ...components.endurance import Endurance
from ...components.within import component_within
from ...engine.errors import NotAnswered
from ...engine.long_run import grows, long_run
from ...engine.session import Session
from ...wire.growth import Growth
from ...wire.scenario import Scenario
from ...wire.vocabulary import Step
from .examination import Examiner
from .item_report import ItemReport, LeftOut, PropertyCount

SUITE = "endurance"

SENTENCE = "In a long scenario in which as much is live after each round, the state grows no further."

_BYTES = 128
"""A state that grows by less (bytes) has only longer numbers in it."""

_MUCH_MEMORY = 64 * 1024
_MUCH_RESIDENT = 32 * 1024 * 1024
_MUCH_SLOWER = 2.0
"""Growth (bytes) of what Python objects take and of a process, and how many times as long a step takes at
the end. Less is not kept: it changes from run to run, and results of the same seed are the same."""

_FEWEST = 20
"""The smallest number of rounds that shows growing state."""

_ROUNDS_LOOKED_AT = 3
"""So many rounds tell whether an engine can express the others."""


def property_name(component: str) -> str:
    """The name under which results have the property of a component."""
    return f"{component.replace('_', '-')}-state-bounded"


def examine_endurance(examiner: Examiner, report: ItemReport, steps: int) -> None:
    """Run the long scenarios of a component on an engine, counting into `report`, and record the growth of
    its state there. The scenarios have `steps` steps together, or fewer if the engine declares a smaller
    number."""
    steps = min(steps, examiner.implementation.at_most.get(SUITE, steps))
    component = component_within(report.component, examiner.drawn)
    counted = report.properties.setdefault(property_name(component.name), PropertyCount())
    feasible = [one for one in component.endurance if _applies(examiner, component, one)]
    counted.inexpressible = not feasible
    for one in feasible:
        examiner.about_to_run(_scenario(component, one, ()).id)
        session = examiner.adapter.session(one.setup)
        if session is None:
            counted.without_sessions = True
            break
        try:
            growth = _growth(examiner, component, one, session, steps // len(feasible))
        except NotAnswered as problem:
            report.growth.append(Growth(scenario=one.name, rounds=0, steps=0, failure=problem.failure.text))
            continue
        finally:
            session.close()
        report.growth.append(growth)
        report.scenarios += 1
        report.steps += growth.steps
        counted.checked += bool(growth.state)
        counted.violated += growth.grows
        report.failing += growth.grows and bool(one.rules)
    examiner.about_to_run("")


def _growth(
    examiner: Examiner, component: Component, endurance: Endurance, session: Session, steps: int
) -> Growth:
    ran = long_run(
        session,
        _scenario(component, endurance, endurance.opening),
        lambda number: _announced(examiner, _scenario(component, endurance, endurance.round(number)), number),
        max(_FEWEST, steps // len(endurance.round(0))),
        with_state="snapshot" in examiner.implementation.capabilities,
        with_memory=examiner.implementation.layer_of(component.name) == "in-process",
    )
    much = _MUCH_RESIDENT if ran.resident else _MUCH_MEMORY
    return Growth(
        scenario=endurance.name,
        rounds=ran.rounds,
        steps=ran.steps,
        state=list(ran.state),
        memory=[later - ran.memory[0] for later in ran.memory] if grows(ran.memory, much) else [],
        resident=ran.resident,
        slower=round(ran.slower, 1) if ran.slower >= _MUCH_SLOWER else 1.0,
        grows=grows(ran.state, _BYTES),
    )


def _announced(examiner: Examiner, scenario: Scenario, number: int) -> Scenario:
    """A round, which has the time that a scenario may take."""
    examiner.about_to_run(f"{scenario.id}:{number}")
    return scenario


def _applies(examiner: Examiner, component: Component, endurance: Endurance) -> bool:
    rounds = (step for number in range(_ROUNDS_LOOKED_AT) for step in endurance.round(number))
    scenario = _scenario(component, endurance, (*endurance.opening, *rounds))
    return bool(examiner.applicable([scenario], LeftOut(), SUITE))


def _scenario(component: Component, endurance: Endurance, steps: tuple[Step, ...]) -> Scenario:
    return component.scenario(
        id=f"{component.name}:{SUITE}:{endurance.name}", setup=endurance.setup, history=steps
    )
