"""Whole jobs, with and without alignment, judged by their event logs."""

from tidegauge.run.journal import Finished

from .conftest import passes


def test_jobs(finished: Finished) -> None:
    passes(finished)
