"""A Hypothesis state machine steps the engine, if it can be stepped, beside the reference.

Hypothesis finds; the kit's own shrinker makes it small.
"""

from tidegauge.run.journal import Finished

from .conftest import passes


def test_interactive(finished: Finished) -> None:
    passes(finished)
