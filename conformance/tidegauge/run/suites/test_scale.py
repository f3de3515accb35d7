"""Many parts, many steps, edges of number types, durations at their limits, difficult names."""

from tidegauge.run.journal import Finished

from .conftest import passes


def test_scale(finished: Finished) -> None:
    passes(finished)
