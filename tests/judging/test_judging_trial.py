"""The trial of a model: what happens when the engine contradicts it in a new scenario."""

from __future__ import annotations

from tidegauge.detection.soundness import Case, outcome_of


def test_a_tied_change_takes_the_place_of_one_that_the_trial_contradicts() -> None:
    """One of 818 differing scenarios shows the second defect, and three changes reproduce it. The first of
    them is wrong in scenarios of the trial."""
    defects = ("backlog-end-of-input-lags", "backlog-misspelled-option")
    outcome = outcome_of(Case("backlog", "pair", defects, left_out=False))
    assert outcome is not None
    assert outcome.exact
    assert set(outcome.model) == set(defects)
    assert outcome.named == outcome.listed == ("BACKLOG-1", "BACKLOG-5", "TIME-4")
    assert (outcome.misnamed, outcome.suspects) == ((), ())
