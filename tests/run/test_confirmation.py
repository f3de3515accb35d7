"""Counterexamples run again in fresh processes: the run detects and names engines whose instances share
state."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from conftest import ROOT, Command, run_module
from msgspec.structs import replace

from tidegauge.judging.items.item_report import SeenInterference
from tidegauge.run.interference_search import is_lasting, questions_again
from tidegauge.wire.results import ACCUSED, PropertyResult, Results, read_results
from tidegauge.wire.scenario import ValveScenario
from tidegauge.wire.steps.valve import ValveSetup, WatermarkStep
from tidegauge.wire.transcript import Transcript
from tidegauge.wire.vocabulary import Watermark
from tidegauge.words.conclusion import conclude

SHARED = """
from tidegauge import ComponentAdapter
from tidegauge_reference import CORE, Valve


class SharingValve(Valve):
    largest = [0]

    def watermark(self, channel, timestamp):
        outputs = super().watermark(channel, timestamp)
        self.largest[0] += len(outputs)
        return [("idle",)] if outputs and self.largest[0] > 500 else outputs


class SharingAdapter(ComponentAdapter):
    name = "valves that share a counter"

    def valve(self, setup):
        return SharingValve(setup.channels, CORE)
"""

SAMPLES = {"PYTHONPATH": os.pathsep.join([str(ROOT / "tests" / "samples"), os.environ.get("PYTHONPATH", "")])}
SHARE_STATE = "instances of the engine share state"


@dataclass(frozen=True)
class Ran:
    """A run: its results, what it printed, and the folder with both."""

    results: Results
    printed: str
    folder: Path

    def written(self, name: str) -> str:
        """The text of a report."""
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """Runs an engine of `tests/samples/sharing_engines.py`, each once."""

    @cache
    def run(adapter: str) -> Ran:
        folder = tmp_path_factory.mktemp(adapter)
        told = ("--adapter", f"sharing_engines:{adapter}", "--budget", "smoke", "-n", "1", "--out", "out")
        if adapter == "OperatorsInOneDictionary":  # the search for a model would take long
            told += ("--diagnose-steps", "100000")
        ended = run_module(folder, "tidegauge")("run", *told, environment=SAMPLES)
        assert ended.returncode == 1, ended.stderr
        return Ran(read_results(folder / "out" / "results.json"), ended.stdout, folder / "out")

    return run


def isolation(results: Results) -> PropertyResult:
    (found,) = (one for one in results.properties if one.name.endswith("-interleaved"))
    return found


@pytest.mark.slower
@pytest.mark.parametrize(
    ("adapter", "component"),
    [
        ("ValvesOnTheClass", "valve"),
        ("OperatorsOnTheClass", "window"),
        ("ValvesWithDefaultArgument", "valve"),
        ("OperatorsInOneDictionary", "window"),
    ],
)
def test_an_engine_whose_instances_share_state_is_found_and_named_so(
    ran: Callable[[str], Ran], adapter: str, component: str
) -> None:
    run = ran(adapter)
    results = run.results
    found = isolation(results)
    assert found.verdict == "fail"
    assert SHARE_STATE in found.reason
    assert found.interference is not None
    assert found.interference.repeats
    assert found.interference.differs_at < 4
    said = f"FAILED: {SHARE_STATE} ({component})"
    assert conclude(results).headline == said
    assert said in run.printed
    assert found.interference.message in run.printed
    assert said in run.written("report.html")
    assert "  together: " in run.written("report.html")
    for view in ("summary.md", "junit.xml"):
        assert SHARE_STATE in run.written(view)
    assert [rule.id for rule in results.rules if rule.verdict in ACCUSED] == []
    assert all(one.model == [] for one in results.components)


@pytest.mark.slower
def test_the_pair_that_shows_it_can_be_replayed(tmp_path: Path, ran: Callable[[str], Ran]) -> None:
    run = ran("ValvesWithDefaultArgument")
    interference = isolation(run.results).interference
    assert interference is not None
    file = str(run.folder / interference.file)
    tidegauge: Command = run_module(tmp_path, "tidegauge")
    asked = ("replay", file, "--interleaved", "--adapter")
    sharing = tidegauge(*asked, "sharing_engines:ValvesWithDefaultArgument", environment=SAMPLES)
    assert (sharing.returncode, "its instances share state" in sharing.stdout) == (1, True)
    reference = tidegauge(*asked, "reference")
    assert (reference.returncode, "each instance does as it does alone" in reference.stdout) == (0, True)
    (tmp_path / "one.jsonl").write_text(json.dumps(interference.scenarios[0]) + "\n", encoding="utf-8")
    single = tidegauge("replay", "one.jsonl", "--interleaved", "--adapter", "reference")
    assert (single.returncode, "needs two" in single.stderr) == (2, True)


@pytest.mark.slower
def test_rules_that_failed_only_because_of_it_say_so(ran: Callable[[str], Ran]) -> None:
    run = ran("ValvesWithDefaultArgument")
    results = run.results
    depending = [
        rule
        for rule in results.rules
        if rule.counterexample is not None and rule.counterexample.depends_on_earlier
    ]
    assert depending
    for rule in depending:
        assert rule.verdict == "not-tested"
        assert "depends on earlier scenarios" in rule.reason
    assert results.counts["fail"] == results.counts["suspect"] == 0
    assert results.counts["not-tested"] == sum(rule.verdict == "not-tested" for rule in results.rules)
    assert "depends on earlier scenarios" in run.printed
    assert "Depends on earlier scenarios" in run.written("report.html")


@pytest.mark.slower
def test_an_engine_that_is_random_is_not_said_to_share_state(ran: Callable[[str], Ran]) -> None:
    run = ran("RandomValves")
    assert isolation(run.results).verdict == "not-tested"
    assert SHARE_STATE not in run.printed
    assert any(rule.verdict in ACCUSED for rule in run.results.rules)


def test_an_interference_lasts_only_if_it_is_seen_each_time() -> None:
    """What an engine does that now and then forgets a watermark is alike by chance two or three times."""
    one = ValveScenario(id="one", setup=ValveSetup(1), history=(WatermarkStep(0, 1),))
    other = replace(one, id="other")
    first, second = (Transcript(name, ((Watermark(1),),)) for name in ("one", "other"))
    forgetful = Transcript("other", ((),))
    seen = SeenInterference((one, other), (first, second), (first, forgetful))
    given = {"one": [first], "other": [second], "one other": [first, forgetful]}
    lasting = {
        question.name: given[" ".join(scenario.id for scenario in question.scenarios)]
        for question in questions_again(seen)
    }
    assert is_lasting(seen, lasting)
    for name, transcripts in lasting.items():
        assert not is_lasting(seen, {**lasting, name: transcripts[:-1]})
        assert not is_lasting(seen, {key: value for key, value in lasting.items() if key != name})
    last = list(lasting)[-1]
    assert not is_lasting(seen, {**lasting, last: [first, second]})


@pytest.mark.slower
def test_an_answer_that_depends_on_what_ran_before_is_no_proof(tmp_path: Path) -> None:
    """No two scenarios show that state is shared: it takes hundreds."""
    (tmp_path / "sharing.py").write_text(SHARED, encoding="utf-8")
    tidegauge: Command = run_module(tmp_path, "tidegauge")
    ended = tidegauge(
        "run", "--adapter", "sharing:SharingAdapter", "--budget", "smoke", "-n", "1", "--out", "out"
    )
    results = read_results(tmp_path / "out" / "results.json")
    accused = [rule for rule in results.rules if rule.verdict in ACCUSED]
    assert accused
    for rule in accused:
        assert rule.counterexample is not None
        assert rule.counterexample.depends_on_earlier
        assert "depends on earlier scenarios" in rule.counterexample.message
    assert "the difference depends on earlier scenarios" in " ".join(conclude(results).remarks)
    assert "the difference depends on earlier scenarios" in ended.stdout


@pytest.mark.slower
def test_a_defect_repeats_in_a_fresh_process(tmp_path: Path) -> None:
    tidegauge: Command = run_module(tmp_path, "tidegauge")
    tidegauge("run", "--adapter", "mutant:valve-no-flush", "--budget", "smoke", "-n", "1", "--out", "out")
    results = read_results(tmp_path / "out" / "results.json")
    failing = [rule for rule in results.rules if rule.verdict == "fail"]
    assert [rule.id for rule in failing] == ["VALVE-15"]
    assert failing[0].counterexample is not None
    assert failing[0].counterexample.deterministic
    assert not failing[0].counterexample.depends_on_earlier
    assert isolation(results).verdict == "pass"
