"""Spark's own operators behind `load(reader)` as an engine under test: real queries, and a library that is broken."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tidegauge.judging.items.judge import judge
from tidegauge.judging.reference.deviating_reference import with_deviations
from tidegauge.judging.reference.deviations import read_deviations
from tidegauge.judging.reference.oracle import expect
from tidegauge.wire.scenario import Scenario, SplitsScenario, WindowScenario
from tidegauge.wire.steps import splits, valve, window
from tidegauge.wire.steps.valve import ValveScenario, ValveSetup
from tidegauge.wire.vocabulary import Restore, Snapshot
from tidegauge_adapters.spark_exact.adapter import DEVIATIONS, SparkExactAdapter
from tidegauge_adapters.spark_session.session import end_spark
from tidegauge_reference import PROFILES
from tidegauge_reports.shipped import load_shipped

pytestmark = pytest.mark.xdist_group("spark")

README = Path(DEVIATIONS).with_name("README.md")
EXACT = with_deviations(PROFILES["spark-4"], read_deviations(Path(DEVIATIONS)).deviation)


@pytest.fixture(name="adapter")
def _adapter() -> Iterator[SparkExactAdapter]:
    adapter = SparkExactAdapter({})
    yield adapter
    adapter.close()


def of_splits(name: str, *history: Any) -> SplitsScenario:
    return SplitsScenario(id=name, setup=splits.SplitOutputsSetup(), history=history)


SLOWEST = of_splits(
    "the slowest split counts",
    splits.AddSplitStep("fast"),
    splits.AddSplitStep("slow"),
    splits.SplitWatermarkStep("fast", 900),
    splits.SplitWatermarkStep("slow", 5),
    splits.SplitWatermarkStep("slow", 7),
)
IDLE = of_splits(
    "an idle split does not count",
    splits.AddSplitStep("fast"),
    splits.AddSplitStep("slow"),
    splits.SplitWatermarkStep("fast", 900),
    splits.SplitWatermarkStep("slow", 5),
    splits.SplitIdleStep("slow"),
    splits.SplitIdleStep("fast"),
    splits.SplitWatermarkStep("slow", 8),
)
ENDED = ValveScenario(
    id="channels that end, over a restart",
    setup=ValveSetup(2),
    needs=("snapshot",),
    history=(
        valve.WatermarkStep(0, 4),
        valve.WatermarkStep(1, 9),
        Snapshot(),
        valve.IdleStep(0),
        Restore(),
        valve.WatermarkStep(0, "MAX"),
        valve.WatermarkStep(1, "MAX"),
    ),
)
LATE = WindowScenario(
    id="a record that is late and one that is far ahead",
    setup=window.WindowSetup(window.Tumbling(10), late_output=False),
    history=(
        window.RecordStep(3, 1),
        window.RecordStep(25, 2),
        window.WatermarkStep(9),
        window.RecordStep(4, 3),
        window.RecordStep(12, 4),
        window.WatermarkStep(40),
    ),
)


def differing(adapter: SparkExactAdapter, scenarios: Sequence[Scenario]) -> list[str]:
    """Return the scenarios in which the engine differs from the reference with the known deviations."""
    transcripts = {transcript.scenario: transcript for transcript in adapter.run(scenarios)}
    judged = [judge(each, transcripts[each.id], expect(each, EXACT), "group") for each in scenarios]
    assert not [each.failure for each in transcripts.values() if each.failure]
    return [each.id for each, its in zip(scenarios, judged, strict=True) if its.diverges_at is not None]


def test_splits_idleness_ends_and_windows_are_those_of_the_reference(adapter: SparkExactAdapter) -> None:
    assert differing(adapter, [SLOWEST, IDLE, ENDED, LATE]) == []


BROKEN_LIBRARY = """
import sys
from importlib.abc import MetaPathFinder
from importlib.util import find_spec


class Breaking(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != {module!r}:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        load = spec.loader.exec_module

        def broken(module):
            load(module)
            exec({breakage!r}, vars(module))

        spec.loader.exec_module = broken
        return spec


sys.meta_path.insert(0, Breaking())
"""


@pytest.mark.slower
@pytest.mark.parametrize(
    ("module", "breakage", "wrong"),
    [
        pytest.param(
            "tidegauge_spark.decisions.splits",
            "min = max",
            [SLOWEST.id, IDLE.id],
            id="the fastest split counts",
        ),
        pytest.param(
            "tidegauge_spark.decisions.sources.signals",
            "made = SourceSignals.__init__\n"
            "def never_idle(self, subtasks, idle_timeout=None, threshold=None):\n"
            "    made(self, subtasks, None, threshold)\n"
            "SourceSignals.__init__ = never_idle\n",
            [IDLE.id],
            id="the idle timeout is ignored",
        ),
        pytest.param(
            "tidegauge_spark.decisions.sources.signals",
            "SourceSignals._smallest = lambda self: max(self._emitted)",
            [LATE.id],
            id="the fastest subtask counts",
        ),
    ],
)
def test_a_broken_library_differs_in_the_scenario_of_what_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, breakage: str, wrong: list[str]
) -> None:
    """The library is broken in the Python processes of Spark, which plan and read: the adapter stays as it is."""
    end_spark()
    (tmp_path / "sitecustomize.py").write_text(BROKEN_LIBRARY.format(module=module, breakage=breakage))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))
    adapter = SparkExactAdapter({})
    try:
        assert differing(adapter, [SLOWEST, IDLE, LATE]) == wrong
    finally:
        adapter.close()


CANNOT = {
    "valve_returning_channel": ("VALVE-9", "VALVE-10", "VALVE-12"),
    "splits-unknown-is-added": ("SPLIT-12",),
    "window-no-statuses": ("WIN-14",),
    "window-without-time-is-passed-over": ("WIN-15",),
    "window_session_lateness": ("WIN-2", "WIN-10"),
}
"""By known deviation, the rules that `spark-native` breaks too."""


def test_the_rules_that_the_readme_gives_up_are_those_of_the_known_deviations() -> None:
    """A run fails if a known deviation does not show, or if there is another one."""
    lines = README.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if line.startswith("| ")]
    rules = {row[1]: row[3] for row in rows if len(row) == 5 and row[1].partition("-")[2].isdigit()}
    assert len(rules) == 34
    assert {rule for rule, fate in rules.items() if not fate.startswith("will pass")} == {
        rule for several in CANNOT.values() for rule in several
    }
    known = tomllib.loads(Path(DEVIATIONS).read_text(encoding="utf-8"))["deviation"]
    names = [entry.get("policy") or entry["like"].removeprefix("mutant:") for entry in known]
    assert sorted(names) == sorted(CANNOT)


def test_the_list_of_the_readme_holds_in_the_verdicts_that_are_shipped() -> None:
    verdicts = {rule.id: rule.verdict for rule in load_shipped()["spark-exact"].rules}
    lines = README.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if line.startswith("| ")]
    listed = {row[1]: row[3] for row in rows if len(row) == 5 and row[1] in verdicts}
    for rule, fate in listed.items():
        assert verdicts[rule] == ("pass" if fate.startswith("will pass") else "fail"), rule
    assert list(verdicts.values()).count("pass") >= 36


def test_no_option_is_taken() -> None:
    with pytest.raises(ValueError, match="spark-exact takes no options, got engine"):
        SparkExactAdapter({"engine": "tester"})


def test_what_no_log_brings_is_inexpressible() -> None:
    adapter = SparkExactAdapter({})
    twice = of_splits("twice", splits.AddSplitStep("a"), splits.AddSplitStep("a"))
    assert adapter.inexpressible(twice) == "a split that is added twice: a log lists each split once"
    assert adapter.inexpressible(SLOWEST) is None
