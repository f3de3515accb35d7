"""The measure of soundness: it finds a judge that passes what an engine breaks, and it can be stopped and
continued."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tidegauge.detection import soundness
from tidegauge.detection.soundness import Case, Outcome, cases, outcome_of, sample_of
from tidegauge.detection.soundness_campaign import bars, measured, part_of
from tidegauge.judging.diagnosis.component_judgement import ComponentJudgement, RuleJudgement
from tidegauge.judging.diagnosis.fitting import Fit
from tidegauge.wire.scenario import BadInput

FAST_CLOCK = Case("clock", "single", ("clock-system-time",), False)


def test_a_known_defect_is_named_and_no_rule_that_it_breaks_passes() -> None:
    outcome = outcome_of(FAST_CLOCK)
    assert outcome is not None
    assert outcome.named == outcome.listed
    assert outcome.false == outcome.misnamed == ()
    assert outcome.model == FAST_CLOCK.changes
    assert outcome.kept > 0


def test_without_knowing_the_defect_no_rule_that_it_breaks_passes() -> None:
    outcome = outcome_of(msgspec.structs.replace(FAST_CLOCK, left_out=True))
    assert outcome is not None
    assert outcome.false == ()
    assert FAST_CLOCK.changes[0] not in outcome.model


def test_a_judge_that_passes_everything_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def passes_everything(_evidence: object, rules: list[str], *_: object) -> ComponentJudgement:
        return ComponentJudgement(dict.fromkeys(rules, RuleJudgement("pass", "")), Fit(), 0)

    monkeypatch.setattr(soundness, "judge_evidence", passes_everything)
    outcome = outcome_of(FAST_CLOCK)
    assert outcome is not None
    assert outcome.false == outcome.listed != ()
    missed = {bar.name for bar in bars([outcome]) if not bar.kept}
    assert missed == {"false passes, known single", "engines with a listed fail, known single"}


def test_no_property_is_asked_where_the_reference_violates_it() -> None:
    asked = {(one.name, family[0].id) for one, family in sample_of("window").families}
    assert ("window-shift", "window/end-of-time~0") not in asked, "the end of time cannot be moved"
    assert ("window-snapshot-restore", "window/end-of-time~0") in asked


def test_outcomes_are_kept_and_not_measured_again(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    (first,) = measured([FAST_CLOCK], 1, kept)
    lines = kept.read_text(encoding="utf-8")
    (again,) = measured([FAST_CLOCK], 1, kept)
    assert again == first
    assert kept.read_text(encoding="utf-8") == lines
    kept.write_text("no outcome\n", encoding="utf-8")
    with pytest.raises(BadInput, match="holds no outcomes of --soundness"):
        list(measured([FAST_CLOCK], 1, kept))


@pytest.mark.slower
def test_parts_make_up_the_whole() -> None:
    every = cases()
    parts = [part_of(every, f"{number}/3") for number in (1, 2, 3)]
    assert sorted(one.key for part in parts for one in part) == sorted(one.key for one in every)
    with pytest.raises(BadInput, match="is not i/n"):
        part_of(every, "4/3")


@pytest.mark.slower
def test_a_case_keeps_its_name() -> None:
    every = [case.key for case in cases()]
    assert len(set(every)) == len(every)
    assert isinstance(outcome_of(FAST_CLOCK), Outcome)
    assert FAST_CLOCK.key == "clock|single|clock-system-time|known"
    assert FAST_CLOCK.key in every
