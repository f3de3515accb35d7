"""How fast two engines are compared: the reference under the profile of Flink, and stock Flink.

Of each component: the steps a second that go through both engines and are compared, in one process and in one
a core, and the time that takes as a part of the time to draw the scenarios. The drawing, for which no engine
is asked, is left out.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from kept_figures import add_record_option, keep

from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.histories import draw_history
from tidegauge.judging.items.difference import Side, differing_steps
from tidegauge.judging.items.difference_in_processes import Written
from tidegauge.wire.scenario import Scenario
from tidegauge_reference import FLINK_2_3

LEFT, RIGHT = Written("reference", {"policies": "flink-2.3"}), Written("flink", {})

_READY: list[tuple[tuple[Side, Side], list[Scenario]]] = []
"""In a process: its engines, and what is put through them."""


def drawn(sides: tuple[Side, Side], component: str, indices: Sequence[int]) -> list[Scenario]:
    """The scenarios that both engines take."""
    histories = (draw_history(COMPONENTS[component], 1, index, FLINK_2_3) for index in indices)
    return [one for one in histories if all(side.takes(one) for side in sides)]


def get_ready(component: str, count: int) -> int:
    """Start the engines and draw, each process for itself; how many steps that are."""
    sides = (LEFT.side(), RIGHT.side())
    scenarios = drawn(sides, component, range(count))
    differing_steps(sides, scenarios)
    _READY[:] = [(sides, scenarios)]
    return sum(len(one.history) for one in scenarios)


def compare(rounds: int) -> None:
    """Put the scenarios through both engines, so many times."""
    sides, scenarios = _READY[0]
    for _ in range(rounds):
        assert set(differing_steps(sides, scenarios)) == {None}


def close() -> None:
    """End the engines."""
    for side in _READY.pop()[0]:
        side.adapter.close()


def in_processes(component: str, count: int, rounds: int, processes: int) -> float:
    """Steps a second of so many processes together."""
    pools = [ProcessPoolExecutor(1, get_context("spawn")) for _ in range(processes)]
    try:
        steps = sum(one.result() for one in [pool.submit(get_ready, component, count) for pool in pools])
        began = time.perf_counter()
        for one in [pool.submit(compare, rounds) for pool in pools]:
            one.result()
        seconds = time.perf_counter() - began
        for one in [pool.submit(close) for pool in pools]:
            one.result()
    finally:
        for pool in pools:
            pool.shutdown()
    return steps * rounds / seconds


def measured(component: str, count: int, rounds: int) -> dict[str, Any]:
    """The figures of a component."""
    steps = get_ready(component, count)
    sides = _READY[0][0]
    drawing, comparing = [], []
    for _ in range(rounds):
        began = time.perf_counter()
        drawn(sides, component, range(count))
        between = time.perf_counter()
        compare(1)
        drawing.append(between - began)
        comparing.append(time.perf_counter() - between)
    close()
    cores = os.cpu_count() or 1
    return {
        "steps": steps,
        "steps/s, one process": steps / statistics.median(comparing),
        f"steps/s, {cores} processes": in_processes(component, count, rounds, cores),
        "comparing / drawing": statistics.median(comparing) / statistics.median(drawing),
    }


def main() -> None:
    """Print the figures, and keep them as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("components", nargs="*", default=["valve", "splits", "idleness"])
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=5)
    add_record_option(parser)
    given = parser.parse_args()
    figures = {name: measured(name, given.count, given.rounds) for name in given.components}
    print(json.dumps(figures, indent=1))
    keep(figures, given.record)


if __name__ == "__main__":
    main()
