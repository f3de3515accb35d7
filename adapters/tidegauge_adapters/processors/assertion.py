"""An assertion runs the checks of a processor in a user's own tests."""

from __future__ import annotations

from .playing.player import Player
from .processor_under_test import ProcessorUnderTest
from .searching.search import TRACES, searched
from .session_time import in_zone
from .terminal import lines_of_counterexample, lines_of_gaps


def check_processor(subject: ProcessorUnderTest, *, traces: int = TRACES, seed: int = 0) -> None:
    """Play random traces through a processor and run all checks that apply to it.

    Raises `AssertionError` with a minimal counterexample for each check that fails.
    """
    with in_zone("UTC"):
        player = Player(subject)
        result = searched(player, traces=traces, seed=seed)
        broken = [(one.check.name, [*lines_of_counterexample(player, one)]) for one in result.broken]
        gaps = [*lines_of_gaps(result)] if result.is_vacuous else []
    texts = [*gaps[:1]] + [f"{name}: " + "\n".join(lines) for name, lines in broken]
    if texts:
        raise AssertionError("\n\n".join(texts))
