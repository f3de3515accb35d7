"""Named wrong engines are found out by a default run, and laid to a rule that they break.

In `tox -e slower` one in four of each component, with one seed; `tox -e mutation` takes all of them, with five seeds, and
whole jobs. That a vector shows each wrong engine is always tested: `spec/test_vectors_published.py`.
"""

from __future__ import annotations

import pytest
from component_scenarios import DRAWN

from tidegauge.components.registry import load_mutants
from tidegauge.detection.campaign import try_named

LONGEST_COUNTEREXAMPLE = 12
ONE_IN = 4


@pytest.mark.slower
@pytest.mark.parametrize("component", DRAWN)
def test_a_wrong_engine_is_found_out_and_laid_to_a_rule_it_breaks(component: str) -> None:
    mutants = [mutant for mutant in load_mutants().values() if mutant.component == component][::ONE_IN]
    scores = list(try_named(mutants, "default", seeds=1, workers=2))
    assert len(scores) == len(mutants)
    assert [(one.name, one.suspects) for one in scores if not one.killed] == []
    small = {mutant.name for mutant in mutants if not mutant.scale}
    long = [one.name for one in scores if (one.shrunk_steps or 0) > LONGEST_COUNTEREXAMPLE]
    assert small.intersection(long) == set()
