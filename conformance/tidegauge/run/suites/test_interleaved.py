"""Two scenarios at a time, stepped alternately on two instances of the engine; the reference is not asked."""

from tidegauge.run.journal import Finished

from .conftest import passes


def test_interleaved(finished: Finished) -> None:
    passes(finished)
