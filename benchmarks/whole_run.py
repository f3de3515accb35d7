"""Benchmark: cost of a run of the reference, as a multiple of the bare reference on the same scenarios.

The benchmark takes three measurements in turns, on one machine. Two are the processor time of a command with
all its processes, first with an empty cache, then with the scenarios that the first command has kept. The
third is the bare reference, without citations and without a watch, on every scenario that the runs draw,
whole jobs included, as often as the runs judge it. The runs also include the scenarios that Hypothesis draws
(the suites fuzz and interactive) and the long scenarios of endurance; the bare reference does not.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from statistics import median

from first_answer import processor_seconds

from tidegauge.components.job.jobs import JOBS
from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.runner import Marker
from tidegauge.judging.jobs.findings import family, properties_of
from tidegauge.run.plan import PlannedItem
from tidegauge.run.rare_collections import rare_collections
from tidegauge.run.request import BUDGETS, Request
from tidegauge.run.run_in_process import Run, make_run
from tidegauge.run.work import RunOpening
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.vocabulary import Restore, Snapshot
from tidegauge_reference import CORE

_NOT_DRAWN = ("fuzz", "interactive", "endurance")


def bare_seconds(components: list[str], budget: str) -> tuple[float, int]:
    """Return the processor seconds of the bare reference, and the number of steps."""
    request = Request(adapter="reference", components=tuple(components), budget=budget)
    with tempfile.TemporaryDirectory() as folder, rare_collections():
        opening = RunOpening(request=request, item_seconds=300.0, calls_ahead=False)
        run = make_run(opening, Marker(Path(folder) / "about-to-run"))
        seconds, steps = 0.0, 0
        for item in run.planned:
            scenarios = list(_scenarios(run, item))
            started = time.process_time()
            for scenario in scenarios:
                _step(scenario)
            seconds += time.process_time() - started
            steps += sum(len(scenario.history) for scenario in scenarios)
    return seconds, steps


def _scenarios(run: Run, item: PlannedItem) -> Iterable[Scenario]:
    if item.suite == "jobs":
        return family(JOBS[item.name], properties_of(JOBS[item.name])).values()
    return () if item.suite in _NOT_DRAWN else run.scenarios(item)


def _step(scenario: Scenario) -> None:
    component = COMPONENTS[str(scenario.__struct_config__.tag)]
    engine = component.reference(scenario.setup, CORE)
    for step in scenario.history:
        if not isinstance(step, Snapshot | Restore):
            with suppress(ValueError, RuntimeError):
                component.calls[type(step)](engine, step)


def main() -> None:
    """Print a line for each round, and the medians of the ratios."""
    parser = argparse.ArgumentParser(description="What a run costs, by the bare reference.")
    parser.add_argument("components", nargs="*", metavar="COMPONENT", help="default: all")
    parser.add_argument("--budget", choices=BUDGETS, default="default", help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    arguments = parser.parse_args()
    run = [sys.executable, "-m", "tidegauge", "run", "--adapter", "reference", "--budget", arguments.budget]
    for name in arguments.components:
        run += ["--component", name]
    ratios: list[tuple[float, float]] = []
    for number in range(arguments.rounds):
        with tempfile.TemporaryDirectory() as scratch:
            os.environ["XDG_CACHE_HOME"] = scratch
            first, again = (processor_seconds(run, Path(scratch)) for _ in range(2))
            bare, steps = bare_seconds(arguments.components, arguments.budget)
        ratios.append((first / bare, again / bare))
        print(
            f"round {number + 1}: bare {bare:.1f} s ({steps:,} steps), without a cache {first:.1f} s, "
            f"with one {again:.1f} s; ratios {first / bare:.2f} and {again / bare:.2f}"
        )
    without, with_one = (median(column) for column in zip(*ratios, strict=True))
    print(f"by the bare reference: {without:.2f} without a cache, {with_one:.2f} with one")


if __name__ == "__main__":
    main()
