"""What a campaign costs beside the bare loop in one process that draws, runs and judges.

The campaign is that of the reference's own valve: with one worker, with two, and on Spark. Each is measured
in turns with the loop, in one run. Processor time is that of this process and of all that it started, Java
and the workers of Spark too; a busy machine changes it little.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from kept_figures import add_record_option, keep

from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.histories import draw_history
from tidegauge.engine.loading import load_adapter
from tidegauge.engine.runner import run
from tidegauge.judging.items.judge import judge
from tidegauge.judging.reference.oracle import expect
from tidegauge.run.request import Request
from tidegauge_pipeline.campaign.in_process import judged_in_process
from tidegauge_pipeline.campaign.specification import chunks_of, specified
from tidegauge_pipeline.on_spark.campaign import judged_on_spark
from tidegauge_pipeline.on_spark.session import session
from tidegauge_reference import CORE

BATCH = 1_000


def loop(component: str, count: int) -> None:
    """Draw scenarios, run and judge them."""
    adapter = load_adapter("reference", {})
    for start in range(0, count, BATCH):
        indices = range(start, min(start + BATCH, count))
        scenarios = [draw_history(COMPONENTS[component], 1, index, CORE) for index in indices]
        for scenario, transcript in zip(scenarios, run(adapter, scenarios), strict=True):
            assert judge(scenario, transcript, expect(scenario, CORE), "step").agrees


def identity(spark: Any, count: int) -> None:
    """Put the indices through Python workers that do nothing."""
    frame = spark.range(count)
    frame.mapInArrow(lambda batches: batches, frame.schema).write.format("noop").mode("overwrite").save()


def campaign(component: str, count: int, workers: int, spark: Any = None) -> None:
    """A whole campaign into a folder that is removed."""
    with tempfile.TemporaryDirectory() as folder:
        request = Request(adapter="reference", components=(component,), out=folder)
        specification = specified(request, count, None)
        chunks = chunks_of(specification)
        if spark is None:
            judged_in_process(specification, chunks, Path(folder), lambda scenarios: None, workers)
        else:
            judged_on_spark(spark, specification, chunks, Path(folder), lambda scenarios: None)


def took(work: Callable[[], None]) -> tuple[float, float]:
    """How long some work takes (s), and how much time of the processor."""
    began, before = time.perf_counter(), processor()
    work()
    return time.perf_counter() - began, processor() - before


def processor() -> float:
    """The time of the processor (s) that this process and all that it started have taken, of those that run
    and of those that have ended."""
    here, total = psutil.Process(), 0.0
    for process in [here, *here.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):  # it has ended since it was listed
            total += sum(process.cpu_times()[:4])
    return total


def measured(component: str, count: int, pairs: int, master: str | None) -> dict[str, Any]:
    """All figures; without a master those without Spark."""
    works: dict[str, Callable[[], None]] = {
        "loop": lambda: loop(component, count),
        "1 worker": lambda: campaign(component, count, 1),
        "2 workers": lambda: campaign(component, count, 2),
    }
    taken: dict[str, list[tuple[float, float]]] = {}

    def in_turns() -> None:
        for turn in range(pairs + 1):  # the first one warms up
            for name, work in works.items():
                if turn:
                    taken.setdefault(name, []).append(took(work))
                else:
                    work()

    cores = 0
    if master is not None:
        with session(master) as spark:
            cores = spark.sparkContext.defaultParallelism
            works["Spark"] = lambda: campaign(component, count, 2, spark)
            works["Spark identity"] = lambda: identity(spark, count)
            in_turns()
    else:
        in_turns()
    rates = {name: count / statistics.median(wall for wall, _ in some) for name, some in taken.items()}
    costs = {name: statistics.median(cpu for _, cpu in some) for name, some in taken.items()}
    figures = {
        "component": component,
        "scenarios": count,
        "scenarios/s": rates,
        "1 worker / loop": rates["1 worker"] / rates["loop"],
        "2 workers / 1 worker": rates["2 workers"] / rates["1 worker"],
        "1 worker / loop, by processor time": costs["loop"] / costs["1 worker"],
        "2 workers / loop, by processor time": costs["loop"] / costs["2 workers"],
    }
    if master is not None:
        figures["Spark"] = {"master": master, "cores": cores}
        figures["Spark a core / loop"] = rates["Spark"] / cores / rates["loop"]
        figures["Spark / loop, by processor time"] = costs["loop"] / costs["Spark"]
    return figures


def main() -> None:
    """Print the figures, and keep them as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--component", default="valve")
    parser.add_argument("--count", type=int, default=40_000)
    parser.add_argument("--pairs", type=int, default=3)
    spark = parser.add_mutually_exclusive_group()
    spark.add_argument("--master", default="local[2]", help="the Spark on which it runs")
    spark.add_argument("--without-spark", action="store_true")
    add_record_option(parser)
    given = parser.parse_args()
    master = None if given.without_spark else given.master
    figures = measured(given.component, given.count, given.pairs, master)
    print(json.dumps(figures, indent=1))
    keep(figures, given.record)


if __name__ == "__main__":
    main()
