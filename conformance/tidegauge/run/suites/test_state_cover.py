"""Every reachable state of a small world, followed by every two steps."""

from tidegauge.run.journal import Finished

from .conftest import passes


def test_state_cover(finished: Finished) -> None:
    passes(finished)
