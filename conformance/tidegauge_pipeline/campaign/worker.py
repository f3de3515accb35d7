"""Starts the worker process of a campaign, which runs `host.py`."""

import os
import sys

from tidegauge.engine.watch import Limits
from tidegauge.engine.worker_process import WorkerProcess, WorkerProgram
from tidegauge.run.item_worker import memory_of

from .specification import Specification

_BATCH_SECONDS = 3600.0
"""The time limit (s) of a piece of work for an engine that takes many scenarios at once."""


def worker_of(specification: Specification) -> WorkerProcess:
    """Return a worker process for the engine of a campaign."""
    # executors of Spark find modules by `sys.path`, which the process needs, too
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    program = WorkerProgram(
        "tidegauge_pipeline.campaign.host", specification, environment={"PYTHONPATH": paths}
    )
    return WorkerProcess(
        program, Limits(_BATCH_SECONDS, memory_of(specification.request, specification.implementation))
    )
