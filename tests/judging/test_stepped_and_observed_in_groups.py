"""A run of an engine that can be stepped, and that is observed in groups of steps otherwise."""

from __future__ import annotations

from pathlib import Path

from handwritten_defects import DEFECTS
from judged import events_of

from tidegauge.run.journal import Finished


def test_a_difference_found_step_by_step_is_judged_as_the_engine_is_observed(tmp_path: Path) -> None:
    (defect,) = (one for one in DEFECTS if one.name == "said-one-too-few")
    events = events_of(defect.adapter(), tmp_path, wanted=lambda item: item.suite == "interactive")
    (report,) = (event.report for event in events if isinstance(event, Finished))
    assert report is not None
    (failure,) = report.failures
    assert failure.deterministic, "the engine answers alike when the scenario is repeated"
    (difference,) = report.differences
    assert difference.at < len(difference.transcript.outputs) == 1, "all steps are one group"
