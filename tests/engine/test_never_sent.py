"""Steps that no runtime sends: who is given them, and which rules apply to an engine that is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Command, results_in

from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.never_sent import never_sent
from tidegauge.wire.steps.clock import AdvanceStep, ClockSetup, PauseStep, ResumeStep
from tidegauge.wire.steps.coordinator import AnnounceStep, CoordinatorSetup
from tidegauge.wire.steps.source import AssignStep, EndOfInputStep, RecordStep, SourceSetup
from tidegauge.wire.vocabulary import Restore, Snapshot

TRUSTING = """
from tidegauge import ComponentAdapter
from tidegauge_reference.clock import PausableClock


class Clock(PausableClock):
    def resume(self, reason):
        if reason in self.pauses:
            super().resume(reason)

    def read(self):
        return [("reading", super().read())]


class Trusting(ComponentAdapter):
    refuses = {refuses}

    def clock(self, setup):
        return Clock(setup.nanoseconds)
"""


def said(component: str, setup: Any, *history: Any) -> str | None:
    scenario = COMPONENTS[component].scenario(id="one", setup=setup, history=history, needs=("snapshot",))
    return never_sent(scenario, "core")


@pytest.mark.parametrize(
    ("component", "setup", "history", "words"),
    [
        ("clock", ClockSetup(), [ResumeStep()], "a resumption without a pause"),
        ("clock", ClockSetup(), [PauseStep(), ResumeStep("alignment")], "a resumption without a pause"),
        ("clock", ClockSetup(), [AdvanceStep(-1)], "time that goes back"),
        ("clock", ClockSetup(), [PauseStep(), Snapshot(), ResumeStep(), Restore(), ResumeStep()], None),
        ("clock", ClockSetup(), [Snapshot(), PauseStep(), Restore(), ResumeStep()], "without a pause"),
        ("source", SourceSetup(), [RecordStep("a", 1)], "a split that is assigned already, or is not"),
        ("source", SourceSetup(), [AssignStep("a"), RecordStep("a", 1), EndOfInputStep()], None),
        ("source", SourceSetup(can_pause=False), [AssignStep("a")], None),
        ("coordinator", CoordinatorSetup(), [AnnounceStep("a")], "a source that has not started"),
    ],
)
def test_what_no_runtime_sends_is_named(
    component: str, setup: Any, history: list[Any], words: str | None
) -> None:
    found = said(component, setup, *history)
    assert (found is None) == (words is None)
    assert words is None or words in str(found)


@pytest.mark.parametrize("refuses", [pytest.param(True, marks=pytest.mark.slower), False])
def test_an_engine_that_relies_on_its_runtime_is_not_given_it(
    tidegauge: Command, tmp_path: Path, refuses: bool
) -> None:
    (tmp_path / "mine.py").write_text(TRUSTING.format(refuses=refuses), encoding="utf-8")
    ended = tidegauge("run", "--adapter", "mine:Trusting", "--budget", "smoke", "-n", "1", "--out", "out")
    rules = {rule["id"]: rule for rule in results_in(tmp_path / "out")["rules"]}
    assert ended.returncode == int(refuses), ended.stdout
    assert rules["CLOCK-4"]["verdict"] == ("fail" if refuses else "not-applicable")
    assert rules["CLOCK-2"]["verdict"] == "pass"
    assert ("no runtime sends it: a resumption without a pause" in ended.stdout) != refuses
