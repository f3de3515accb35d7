"""The published vectors: the right answers stand in the file, the reference is not asked."""

from tidegauge.run.journal import Finished

from .conftest import passes


def test_vectors(finished: Finished) -> None:
    passes(finished)
