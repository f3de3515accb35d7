"""The adapter `spark` on a real Spark: the same answers as the tester's, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from msgspec.structs import replace
from pyspark.sql import Row

from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.cover import state_cover
from tidegauge.drawing.histories import draw_history
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.judging.items.shrinker import NO_EFFORT
from tidegauge.run.assembly import assemble
from tidegauge.run.journal import Ended, Finished, Started
from tidegauge.run.request import Request
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.results import ACCUSED
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.steps.valve import ActiveStep, IdleStep, ValveScenario, ValveSetup, WatermarkStep
from tidegauge.wire.transcript import Transcript
from tidegauge.wire.vocabulary import Restore, Snapshot
from tidegauge_adapters.java import require_java
from tidegauge_adapters.spark.adapter import SparkAdapter
from tidegauge_adapters.spark.rows.valve import VALVE_BINDING
from tidegauge_adapters.spark.streaming.checkpointed_query import CheckpointedQuery
from tidegauge_adapters.spark.streaming.step_schedule import legs, schedule
from tidegauge_adapters.spark.streaming.streaming_processors import StreamingProcessors
from tidegauge_adapters.spark_session.session import is_local
from tidegauge_adapters.spark_session.temporary_folder import TemporaryFolder
from tidegauge_reference import PROFILES
from tidegauge_spark.operators.valve import ValveProcessor

CORE = PROFILES["core"]
TESTER = {"engine": "tester"}


def histories(number: int) -> list[Scenario]:
    return [draw_history(COMPONENTS["valve"], 7, index, CORE) for index in range(number)]


def own(name: str, *history: Any, groups: tuple[int, ...] = ()) -> ValveScenario:
    needs = ("snapshot",) if any(isinstance(step, Snapshot) for step in history) else ()
    return ValveScenario(id=name, setup=ValveSetup(2), history=history, groups=groups, needs=needs)


def transcripts(adapter: SparkAdapter, scenarios: list[Scenario]) -> dict[str, Transcript]:
    return {transcript.scenario: transcript for transcript in adapter.run(scenarios)}


# Processors that Python workers get by value: classes that are not found in a module.


def never_idle() -> type[SparkAdapter]:
    class NeverIdle(ValveProcessor):
        def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
            return (row for row in super().handleInputRows(key, rows, timerValues) if row.kind != "idle")

    return SparkAdapter.having(valve=lambda setup: NeverIdle())


def raises_on_idle_channel_1() -> type[SparkAdapter]:
    class Raises(ValveProcessor):
        def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
            steps = list(rows)
            if any(step.kind == "idle" and step.channel == 1 for step in steps):
                raise LookupError(f"no channel 1 in {key[0]}")
            return super().handleInputRows(key, iter(steps), timerValues)

    return SparkAdapter.having(valve=lambda setup: Raises())


def ends_the_worker() -> type[SparkAdapter]:
    class EndsTheWorker(ValveProcessor):
        def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
            if key[0] == "culprit":
                os._exit(3)
            return super().handleInputRows(key, rows, timerValues)

    return SparkAdapter.having(valve=lambda setup: EndsTheWorker())


# What is fed when


def test_group_borders_are_borders_of_micro_batches_with_a_restart_after_the_first() -> None:
    scenario = own("a", *(IdleStep(0), ActiveStep(0)) * 2, IdleStep(1), groups=(2, 1, 2))
    fed = [
        [[row["sequence"] for row in batch] for batch in leg.kept] for leg in legs(VALVE_BINDING, scenario)
    ]
    assert fed == [[[0, 1]], [[2], [3, 4]]]
    assert not any(leg.undone for leg in legs(VALVE_BINDING, scenario))


def test_two_steps_without_borders_are_two_batches() -> None:
    assert [len(leg.kept) for leg in legs(VALVE_BINDING, own("a", IdleStep(0), ActiveStep(0)))] == [1, 1]


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ("aSbRc", ["a", "-b c"]),
        ("aSRb", ["a", "b"]),
        ("SaRb", ["", "-a b"]),
        ("aSbScRd", ["ab", "-c d"]),
        ("aSbRcRd", ["a", "-b ", "-c d"]),
        ("aSbRcSdRe", ["a", "-b c", "-d e"]),
    ],
)
def test_what_comes_between_a_snapshot_and_its_restore_is_undone(history: str, expected: list[str]) -> None:
    step_of = {"S": Snapshot(), "R": Restore()}
    scenario = own("a", *(step_of.get(letter, IdleStep(0)) for letter in history))

    def letters(batches: list[list[dict[str, Any]]]) -> str:
        return "".join(history[row["sequence"]] for batch in batches for row in batch)

    found = [
        f"-{letters(leg.undone)} " * bool(leg.undone) + letters(leg.kept)
        for leg in legs(VALVE_BINDING, scenario)
    ]
    assert found == expected


def test_scenarios_side_by_side_share_their_micro_batches() -> None:
    scenarios = [own("a", IdleStep(0), IdleStep(1)), own("b", IdleStep(0), Snapshot(), Restore())]
    together = schedule(VALVE_BINDING, scenarios)
    assert [[row["valve"] for batch in leg.kept for row in batch] for leg in together] == [["a", "b"], ["a"]]


# On a real Spark


@pytest.fixture
def adapter() -> SparkAdapter:
    """Not closed: the tests of a process share one Spark, which ends with the process."""
    return SparkAdapter({})


@pytest.mark.xdist_group("spark")
def test_both_engines_agree_and_spark_says_nothing(
    adapter: SparkAdapter, capfd: pytest.CaptureFixture[str]
) -> None:
    cover = state_cover(COMPONENTS["valve"], "3-channels-2-timestamps", CORE)
    scenarios: list[Scenario] = [cover.scenario(index) for index in range(0, len(cover), 173)]
    scenarios += [vector.scenario for vector in load_vectors("valve")]
    scenarios += [scenario for scenario in histories(200) if len(scenario.history) <= 24]  # a step, a batch
    assert len(scenarios) > 450
    assert sum("snapshot" in scenario.needs for scenario in scenarios) > 10
    assert transcripts(adapter, scenarios) == transcripts(SparkAdapter(TESTER), scenarios)
    assert transcripts(adapter, []) == {}
    assert capfd.readouterr() == ("", "")


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_the_rule_of_a_wrong_processor_is_accused_on_the_layer_streaming(tmp_path: Path) -> None:
    adapter = never_idle()({})
    implementation = adapter.describe()
    report = ItemReport("item", "valve")
    good = own("good", WatermarkStep(0, 5), WatermarkStep(1, 7))
    bad = own("bad", WatermarkStep(0, 5), IdleStep(0), IdleStep(1), WatermarkStep(0, 9), groups=(2, 2))
    Examiner(adapter, implementation, CORE, effort=NO_EFFORT).compare(report, [good, bad])
    assert (report.scenarios, report.failing) == (2, 1)
    request = Request(adapter="x:Y", options={}, profile=None, components=(), rules=())
    started = Started(request, "core", implementation, {}, ("item",), "2026-01-01T00:00:00+00:00")
    finished = Finished("item", "failed", 1.0, report)
    results = assemble([started, finished, Ended()], tmp_path, [], 1.0)
    accused = [rule for rule in results.rules if rule.verdict in ACCUSED]
    assert "VALVE-14" in {rule.id for rule in accused}
    assert {(rule.component, rule.layer) for rule in accused} == {("valve", "streaming")}


def told(transcript: Transcript) -> Transcript:
    """Without the place of an exception: a worker of a query sends its text only."""
    if transcript.failure is None:
        return transcript
    return replace(transcript, failure=replace(transcript.failure, traceback=""))


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_an_exception_costs_only_its_own_scenario() -> None:
    # In one with a snapshot the engines put the borders of batches differently.
    scenarios = [scenario for scenario in histories(60) if not scenario.needs]
    adapter_class = raises_on_idle_channel_1()
    found = transcripts(adapter_class({}), scenarios)
    tested = transcripts(adapter_class(TESTER), scenarios)
    assert {name: told(one) for name, one in found.items()} == {
        name: told(one) for name, one in tested.items()
    }
    failures = [each.failure for each in found.values() if each.failure is not None]
    assert 5 < len(failures) < 55
    assert all(failure.kind == "exception" and "LookupError" in failure.text for failure in failures)


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_a_worker_that_dies_costs_only_the_scenario_that_killed_it() -> None:
    names = ("innocent", "culprit")
    scenarios: list[Scenario] = [own(name, IdleStep(0), IdleStep(1)) for name in names]
    found = transcripts(ends_the_worker()({}), scenarios)
    assert {name: each.failure is None for name, each in found.items()} == {
        "innocent": True,
        "culprit": False,
    }


class Scripted(CheckpointedQuery):
    """Runs nothing; what comes out of one that was fed the scenario "culprit" has a row of `strange` key."""

    def __init__(self, strange: str | None) -> None:
        self.strange = strange
        self.fed: list[dict[str, Any]] = []

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def feed(self, rows: list[dict[str, Any]], batches: int = 1) -> None:
        self.fed += rows

    def answers(self) -> list[dict[str, Any]]:
        with_culprit = any(row[VALVE_BINDING.key] == "culprit" for row in self.fed)
        return [{VALVE_BINDING.key: self.strange, "sequence": 0}] if with_culprit else []


@pytest.mark.parametrize("strange", ["culprit-2", None])
def test_a_row_of_another_key_costs_the_scenario_that_it_came_of(strange: str | None) -> None:
    class Processors(StreamingProcessors):
        @contextmanager
        def query(self, *_: Any, **named: Any) -> Iterator[CheckpointedQuery]:
            yield Scripted(strange)

    scenarios = [own(name, IdleStep(0), IdleStep(1)) for name in ("one", "culprit", "another")]
    found = {one.scenario: one for one in Processors(VALVE_BINDING, "local[1]", None).transcripts(scenarios)}
    failure = found["culprit"].failure
    assert failure is not None
    assert f"output rows have {strange!r} in the key column" in failure.text
    assert (found["one"].failure, found["another"].failure) == (None, None)


_STARTS_AND_RAISES = """
import sys
from pathlib import Path
from tidegauge_adapters.spark_session.session import running_spark
spark = running_spark("local[1]", Path(sys.argv[1]))
spark.session.range(3).count()
sys.exit("ends by exception: " + str(spark.folder.path))
"""


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_a_process_that_ends_by_exception_leaves_no_folder_and_no_jvm(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _STARTS_AND_RAISES, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.stderr.startswith("ends by exception: ")
    assert ended.stdout == ""
    assert list(tmp_path.iterdir()) == []
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not any(str(tmp_path).encode() in command for command in commands)


# Around it


def test_folders_of_killed_processes_are_removed_and_those_in_use_are_not(tmp_path: Path) -> None:
    code = "import sys, os, pathlib\nfrom tidegauge_adapters.spark_session.temporary_folder import TemporaryFolder\n"
    code += "TemporaryFolder(pathlib.Path(sys.argv[1])).subfolder('query')\nos._exit(1)"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False, timeout=300)
    (abandoned,) = tmp_path.iterdir()
    first = TemporaryFolder(tmp_path)
    assert not abandoned.exists()
    second = TemporaryFolder(tmp_path)
    assert first.path.is_dir()
    first.remove()
    second.remove()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("master", "local"),
    [("local", True), ("local[2]", True), ("local[*]", True), ("local-cluster[2,1,1024]", False)],
)
def test_the_layer_is_told_by_the_master(master: str, local: bool) -> None:
    assert is_local(master) == local
    layer = SparkAdapter({"master": master}).describe().layer
    assert layer == ("streaming" if local else "cluster")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"engine": "flink"}, "known are streaming, tester"),
        ({"engine": "tester", "master": "local"}, "unknown option master"),
        ({"colour": "red"}, "engine=streaming knows engine, master, folder"),
        ({"folder": "/no/such/folder"}, "is not a folder"),
    ],
)
def test_unknown_options_are_refused(options: dict[str, str], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        SparkAdapter(options)


@pytest.mark.parametrize(
    ("printed", "problem"),
    [
        ('openjdk version "11.0.2" 2019-01-15', "is version 11;"),
        ('java version "1.8.0_402"', "is version 8;"),
        ("no such thing", "does not tell its version"),
        ('openjdk version "17-ea" 2021-09-14', None),
        ('openjdk version "25.0.3" 2026-01-20', None),
    ],
)
def test_the_java_must_be_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, problem: str | None
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{printed}' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    if problem is None:
        require_java("Spark")
    else:
        with pytest.raises(ValueError, match=problem):
            require_java("Spark")


def test_without_java_the_run_is_refused_in_one_line(tidegauge: Command, tmp_path: Path) -> None:
    environment = {"PATH": str(tmp_path), "JAVA_HOME": ""}
    refused = tidegauge("run", "--adapter", "spark", "--budget", "smoke", environment=environment)
    assert refused.returncode == 2
    assert len(refused.stderr.strip().splitlines()) == 1
    for words in ("Java 17 or later", "apt-get install", "adoptium.net", "--option engine=tester"):
        assert words in refused.stderr
    assert refused.stdout == ""


_HEAVY = """
import os
from pathlib import Path
from msgspec.structs import replace
from tidegauge_adapters.reference import ReferenceAdapter

class Heavy(ReferenceAdapter):
    def describe(self):
        return replace(super().describe(), one_process=True)
    def run(self, scenarios):
        Path(f"ran-in-{os.getpid()}").touch()
        return super().run(scenarios)
"""


@pytest.mark.slower
def test_an_engine_of_one_process_runs_in_one_worker(
    tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    engine_module("heavy", _HEAVY)
    arguments = ("--adapter", "heavy:Heavy", "--budget", "smoke", "--component", "valve", "-n", "2")
    ran = tidegauge("run", *arguments)
    assert ran.returncode == 0, ran.stdout
    assert len(list(tmp_path.glob("ran-in-*"))) == 1
