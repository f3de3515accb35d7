"""What the kit's whole path costs, measured by the bare reference in the same process.

For each component the same seeded histories are drawn; stepped through the bare reference, uncited and
unwatched; checked with every property; and judged as a run judges them: through an adapter, over the wire,
against the reference. What counts is how many times the bare stepping the others take: that is the kit's own
share, and nearly the same on every machine.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.histories import draw_history
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.vocabulary import Restore, Snapshot
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import CORE

DRAWN = [name for name, component in COMPONENTS.items() if component.drawn]

_SEED = 1
_ROUNDS = 3


@dataclass(frozen=True)
class Cost:
    """Seconds of processor time for `steps` steps: `bare` on the reference alone; to draw them, to judge
    them, and to check one property of them on the average."""

    steps: int
    bare: float
    drawing: float
    judging: float
    property: float


def measure(component_name: str, histories: int) -> Cost:
    """The cost of the first histories of a seed, the best of a few rounds."""
    component = COMPONENTS[component_name]
    adapter = ReferenceAdapter({})
    examiner = Examiner(adapter, adapter.describe(), CORE)
    scenarios = [draw_history(component, _SEED, index, CORE) for index in range(histories)]

    def check_properties() -> None:
        for property in component.properties:
            examiner.check(ItemReport("properties", component_name), property, scenarios)

    return Cost(
        steps=sum(len(scenario.history) for scenario in scenarios),
        bare=_seconds(lambda: _step_bare(component_name, scenarios)),
        drawing=_seconds(lambda: [draw_history(component, _SEED, index, CORE) for index in range(histories)]),
        judging=_seconds(lambda: examiner.compare(ItemReport("histories", component_name), scenarios)),
        property=_seconds(check_properties) / len(component.properties),
    )


def _step_bare(component_name: str, scenarios: Sequence[Scenario]) -> None:
    component = COMPONENTS[component_name]
    for scenario in scenarios:
        engine = component.reference(scenario.setup, CORE)
        for step in scenario.history:
            if not isinstance(step, Snapshot | Restore):
                with suppress(ValueError, RuntimeError):
                    component.calls[type(step)](engine, step)


def _seconds(work: Callable[[], object]) -> float:
    """The least processor time of a few rounds: what disturbs only adds."""
    rounds = []
    for _ in range(_ROUNDS):
        started = time.process_time()
        work()
        rounds.append(time.process_time() - started)
    return min(rounds)


def main() -> None:
    """Print a line for each component: bare steps a second, and how many times that the rest takes."""
    parser = argparse.ArgumentParser(description="What the kit's whole path costs, by the bare reference.")
    parser.add_argument("components", nargs="*", metavar="COMPONENT", help="default: all that are drawn")
    parser.add_argument("--histories", type=int, default=2_000, help="default: %(default)s")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.components) - set(DRAWN)):
        parser.error(f"unknown component {', '.join(unknown)}; known are {', '.join(DRAWN)}")
    print(f"{'component':15}{'bare steps/s':>14}{'drawing':>10}{'judging':>10}{'a property':>12}")
    for name in arguments.components or DRAWN:
        cost = measure(name, arguments.histories)
        shares = [f"{part / cost.bare:.1f} x" for part in (cost.drawing, cost.judging, cost.property)]
        print(f"{name:15}{cost.steps / cost.bare:14,.0f}{shares[0]:>10}{shares[1]:>10}{shares[2]:>12}")


if __name__ == "__main__":
    main()
