"""Hypothesis looks for a history on which the engine differs, one scenario a call: for cheap engines."""

from tidegauge.run.journal import Finished

from .conftest import passes


def test_fuzz(finished: Finished) -> None:
    passes(finished)
