"""The checks of a processor as an assertion, for tests of one's own."""

from __future__ import annotations

from .player import Player
from .processor_under_test import ProcessorUnderTest
from .search import TRACES, searched
from .session_time import in_utc
from .terminal import lines_of_counterexample


def check_processor(subject: ProcessorUnderTest, *, traces: int = TRACES, seed: int = 0) -> None:
    """Play random traces through a processor and check what holds for every one.

    Raises `AssertionError` with the smallest counterexample of each check that is broken.
    """
    with in_utc():
        player = Player(subject)
        result = searched(player, traces=traces, seed=seed)
        broken = [(one.check.name, [*lines_of_counterexample(player, one)]) for one in result.broken]
    texts = [f"{name}: " + "\n".join(lines) for name, lines in broken]
    if texts:
        raise AssertionError("\n\n".join(texts))
