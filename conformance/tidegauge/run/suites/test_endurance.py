"""Long scenarios in which as much is live after each round: the state must not grow."""

from tidegauge.run.journal import Finished

from .conftest import passes


def test_endurance(finished: Finished) -> None:
    passes(finished)
