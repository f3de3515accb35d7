"""Properties: what must be true of every engine; no reference is asked."""

from tidegauge.run.journal import Finished

from .conftest import passes


def test_properties(finished: Finished) -> None:
    passes(finished)
