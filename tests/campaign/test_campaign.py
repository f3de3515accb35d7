"""Campaigns on this machine: the same verdicts as a run, whatever the engine does, also after a kill."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from campaigns import campaign, rows_in
from click.testing import Result
from conftest import ROOT, Command, results_in
from judged import answers_of
from killed_campaigns import killed_and_compared
from typer.testing import CliRunner

from tidegauge.__main__ import application
from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.exhaustive import exhaustive
from tidegauge.engine.runner import Marker
from tidegauge.judging.items.examination import Examiner
from tidegauge.judging.items.item_report import ItemReport
from tidegauge.run.assembly import assemble
from tidegauge.run.items import examine, scenarios_of
from tidegauge.run.journal import Ended, Finished, Started
from tidegauge.run.named_scenarios import scenario_named
from tidegauge.run.plan import PlannedItem
from tidegauge.run.request import Request
from tidegauge.run.run_in_process import make_run
from tidegauge.run.work import RunOpening
from tidegauge_pipeline.campaign.rows import finished_in
from tidegauge_pipeline.campaign.specification import Exhaustively, chunks_of
from tidegauge_pipeline.commands import judged_campaign
from tidegauge_reference import CORE

MUTANT = "mutant:clock-reason-counts-once"


@pytest.mark.slower
def test_verdicts_are_those_of_a_run_on_the_same_scenarios(tidegauge: Command, tmp_path: Path) -> None:
    asked = ("--adapter", "mutant:valve-no-flush", "--component", "valve", "--count", "4100", "--seed", "3")
    ended = tidegauge("campaign", *asked, "--out", "out")
    assert ended.returncode == 1, ended.stderr
    found = results_in(tmp_path / "out")
    request = Request(adapter="mutant:valve-no-flush", components=("valve",), seed=3)
    run = make_run(
        RunOpening(request=request, item_seconds=300.0, calls_ahead=False), Marker(tmp_path / "marks")
    )
    items = [
        PlannedItem("valve-random-histories-000", "valve", "random-histories", "", 0, 4000),
        PlannedItem("valve-random-histories-001", "valve", "random-histories", "", 4000, 4100),
    ]
    events: list[Started | Finished | Ended] = [
        Started(
            request, run.profile.name, run.implementation, {}, tuple(item.id for item in items), "", run.known
        )
    ]
    for item in items:
        report = ItemReport(item.id, item.component)
        examiner = Examiner(run.adapter, run.implementation, run.policies)
        examine(item, request, scenarios_of(item, request, run.policies), examiner, report)
        events.append(Finished(item.id, "judged", 0.0, report))
    by_hand = assemble([*events, Ended()], tmp_path, [], 0.0, items, ask=answers_of(run.adapter))
    verdicts = {rule.id: (rule.verdict, rule.reason, rule.scenarios, rule.steps) for rule in by_hand.rules}
    assert verdicts["VALVE-15"][0] == "fail"
    assert {
        r["id"]: (r["verdict"], r["reason"], r["scenarios"], r["steps"]) for r in found["rules"]
    } == verdicts
    assert [term["name"] for term in found["components"][0]["model"]] == ["valve-no-flush"]
    (failing,) = [rule for rule in found["rules"] if rule["verdict"] == "fail"]
    assert len(failing["counterexample"]["steps"]) == 3
    rows = rows_in(tmp_path / "out")
    assert [row["index"] for row in rows] == list(range(4100))
    assert sum(row["steps"] for row in rows) == found["counts"]["steps"]
    differing = [row for row in rows if row["verdict"] == "differ"]
    assert len(differing) == found["counts"]["failing_scenarios"] > 0
    # The flush (VALVE-15) is missing where the flush and the status also have an order (VALVE-16).
    assert {row["rule"] for row in differing} & {"VALVE-15", "VALVE-16"}
    again = tidegauge("replay", differing[0]["scenario"], "--adapter", "mutant:valve-no-flush")
    assert again.returncode == 1
    assert f"-> {differing[0]['at'] + 1}" in again.stdout or "differs from" in again.stdout


def test_a_campaign_takes_the_scenarios_that_are_kept(tidegauge: Command, tmp_path: Path) -> None:
    asked = (
        "--adapter",
        "mutant:valve-no-flush",
        "--component",
        "valve",
        "--count",
        "60",
        "--diagnose-steps",
        "0",
    )
    caches = {"TIDEGAUGE_NO_CACHE": "", "XDG_CACHE_HOME": str(tmp_path / "home")}
    found = []
    for environment in ({}, caches, caches):
        ended = tidegauge("campaign", *asked, "--out", "out", environment=environment)
        assert ended.returncode == 1, ended.stderr
        found.append(rows_in(tmp_path / "out"))
        shutil.rmtree(tmp_path / "out")
    assert found[0] == found[1] == found[2] != []
    assert len(list((tmp_path / "home").rglob("*.scenarios"))) == 1


@pytest.mark.slower
def test_a_campaign_that_is_killed_at_random_is_resumed(tmp_path: Path) -> None:
    killed_and_compared(tmp_path, 3, "1")


def test_a_killed_campaign_is_not_overwritten_and_what_it_had_begun_is_removed(tmp_path: Path) -> None:
    asked = ("--adapter", MUTANT, "--out", str(tmp_path))
    assert campaign_ended(*asked).exit_code == 1
    (tmp_path / "results.json").unlink()
    (rows,) = (tmp_path / "scenarios").rglob("*.parquet")
    written = rows.stat().st_mtime_ns
    (rows.parent / ".begun.parquet.1-a").write_bytes(b"half")
    ended = campaign_ended(*asked)
    assert ended.exit_code == 2
    assert "was killed: --resume continues it" in ended.stderr
    assert campaign_ended(*asked, "--resume").exit_code == 1
    assert [path.stat().st_mtime_ns for path in rows.parent.iterdir()] == [written]
    assert (tmp_path / "results.json").exists()


DEADLY = """
import os
from tidegauge.engine.of_the_reference import OfTheReference
from tidegauge_reference.clock import PausableClock

class Deadly(PausableClock):
    def advance(self, nanoseconds):
        if nanoseconds == 2 and len(self.state()[1]) > 2:
            os.kill(os.getpid(), 11)
        while nanoseconds == 3 and len(self.state()[1]) > 2:
            pass
        return super().advance(nanoseconds)

class Adapter(OfTheReference):
    def clock(self, setup):
        return Deadly(setup.nanoseconds)
"""
"""The clock of the reference, which dies or hangs where a short time passes during three pauses."""


def test_an_engine_that_dies_or_hangs_loses_its_scenario_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deadly_clock.py").write_text(DEADLY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    specification = campaign(tmp_path / "out", "deadly_clock:Adapter", "clock", 34, scenario_seconds=3)
    rows = rows_in(tmp_path / "out")
    assert [row["index"] for row in rows if row["verdict"] == "error"] == [0, 4, 8, 9, 33]
    assert Counter(row["verdict"] for row in rows).keys() == {"agree", "error"}
    ((_, finished),) = finished_in(tmp_path / "out", chunks_of(specification), specification.digest)
    assert finished.report is not None
    kinds = {one.scenario: (one.kind, one.text) for one in finished.report.errors.values()}
    assert kinds == {
        "clock:seed:1:0": ("crashed", "the process of the engine ended by SIGSEGV"),
        "clock:seed:1:4": ("timeout", "the engine did not answer within 3 s"),
    }


BATCHES = """
import os
from tidegauge import Adapter
from tidegauge_adapters.reference import ReferenceAdapter

class Batches(Adapter):
    def __init__(self, options):
        super().__init__(options)
        self.reference = ReferenceAdapter({})

    def describe(self):
        return self.reference.describe()

    def run(self, scenarios):
        taken = list(scenarios)
        if any(scenario.id.endswith(":7") for scenario in taken):
            os._exit(3)
        yield from self.reference.run(taken)
"""
"""Takes all scenarios before it runs the first, and dies of one of them."""


@pytest.mark.slower
def test_a_campaign_ends_though_a_batch_of_scenarios_always_ends_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "batches.py").write_text(BATCHES, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    campaign(tmp_path / "out", "batches:Batches", "clock", 20)
    rows = rows_in(tmp_path / "out")
    assert (len(rows), {row["verdict"] for row in rows}) == (20, {"error"})


def test_every_history_of_a_small_world_is_judged_once(tmp_path: Path) -> None:
    every = exhaustive(COMPONENTS["valve"], "2-channels-2-timestamps@3")
    campaign(tmp_path, "mutant:valve-no-flush", "valve", None, Exhaustively(3, channels=2))
    rows = rows_in(tmp_path)
    assert len(rows) == every.size == 8**3
    drawn = [every.scenario(index) for index in range(every.size)]
    assert {one.history for one in drawn} == set(product(every.scope.alphabet, repeat=3))
    assert [row["scenario"] for row in rows] == [one.id for one in drawn]
    assert {row["verdict"] for row in rows} == {"agree", "differ"}
    differing = next(row for row in rows if row["verdict"] == "differ")
    assert scenario_named(differing["scenario"], CORE) == drawn[differing["index"]]


def test_an_engine_behind_the_process_protocol_is_judged(tmp_path: Path) -> None:
    engine = ROOT / "tests" / "samples" / "protocol_engine.py"
    command = {"command": f"{sys.executable} {engine}"}
    campaign(tmp_path, "process", "clock", 70, options=command)
    rows = rows_in(tmp_path)
    assert (len(rows), {row["verdict"] for row in rows}) == (70, {"agree"})


SPEECHLESS = """
from tidegauge_adapters.reference import ReferenceAdapter

class Speechless(ReferenceAdapter):
    def inexpressible(self, scenario):
        return "words for anything"
"""


def test_a_campaign_in_which_nothing_is_judged_does_not_succeed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "speechless.py").write_text(SPEECHLESS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert campaign_ended("--adapter", "speechless:Speechless", "--out", str(tmp_path / "out")).exit_code == 1
    results = results_in(tmp_path / "out")
    assert (results["complete"], results["counts"]["scenarios"]) == (True, 0)


def test_rows_that_did_not_reach_the_folder_are_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on executors whose disks the driver does not see."""
    monkeypatch.setattr(judged_campaign, "judged_in_process", lambda *_: None)
    ended = campaign_ended("--adapter", MUTANT, "--count", "9000", "--out", str(tmp_path / "out"))
    assert ended.exit_code == 2
    assert "3 of 3 parts of the campaign are not in" in ended.stderr
    assert not (tmp_path / "out" / "results.json").exists()


def campaign_ended(*asked: str) -> Result:
    """The command in this process, for the clock; 20 scenarios unless asked."""
    count = () if "--count" in asked else ("--count", "20")
    return CliRunner().invoke(application(["campaign"]), ["campaign", "--component", "clock", *count, *asked])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--exhaustive"], "--exhaustive needs --length"),
        (["--exhaustive", "--length", "70"], "--length 70 is not from 1 to 64"),
        (["--exhaustive", "--length", "30"], "2-steps@30 of clock has 1,000,000,"),
        (["--exhaustive", "--length", "3", "--channels", "2"], "makes no world of clock"),
        (["--exhaustive", "--length", "3", "--scope", "3-steps"], "did you mean"),
        (["--resume"], "holds no campaign; leave --resume out"),
        (["--component", "job"], "unknown component of a campaign 'job'"),
        (["--out", "s3://bucket/out"], "--out: s3:// is not supported: mount that file system"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["campaign", "--adapter", MUTANT, "--out", str(tmp_path), *arguments]
    ended = CliRunner().invoke(application(["campaign"]), asked)
    assert ended.exit_code == 2
    (line,) = ended.stderr.splitlines() or capsys.readouterr().err.splitlines()
    assert words in line
