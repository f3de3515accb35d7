"""Seeded random histories in which nearly every step matters."""

from tidegauge.run.journal import Finished

from .conftest import passes


def test_random_histories(finished: Finished) -> None:
    passes(finished)
