"""Stock Apache Flink under the kit, as `pip install 'tidegauge[flink]'` brings it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from conftest import Command, results_in
from flink_jars import flink_jar
from live_defects import NAMED_SOON

from tidegauge.components.registry import COMPONENTS
from tidegauge.drawing.histories import draw_history
from tidegauge.engine.loading import describe
from tidegauge.engine.runner import run
from tidegauge.judging.items.difference import Side, compared
from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.steps.window import RecordStep, Session, WatermarkStep, WindowSetup
from tidegauge.wire.vocabulary import Error
from tidegauge_adapters.flink.adapter import FlinkAdapter
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_reference import FLINK_2_3, MAX

pytestmark = pytest.mark.flink

COMPONENTS_OF_FLINK = (
    "backlog",
    "clock",
    "coordinator",
    "generator",
    "idleness",
    "source",
    "splits",
    "valve",
    "window",
)
STEPPED = [word for name in COMPONENTS_OF_FLINK for word in ("--component", name)]


@pytest.fixture(scope="module", autouse=True)
def jars() -> None:
    """Flink's jars, or what to do about them."""
    flink_jar()


@pytest.fixture
def flink() -> Iterator[FlinkAdapter]:
    adapter = FlinkAdapter({})
    yield adapter
    adapter.close()


@pytest.mark.parametrize("component", COMPONENTS_OF_FLINK)
def test_the_reference_under_its_profile_does_as_flink_does(flink: FlinkAdapter, component: str) -> None:
    reference = ReferenceAdapter({"policies": "flink-2.3"})
    sides = (Side(reference, reference.describe()), Side(flink, describe("flink", flink)))
    found = list(compared(sides, COMPONENTS[component], 2027, 800, FLINK_2_3))
    assert [scenario for some in found for scenario in some.differing] == []
    assert sum(some.scenarios for some in found) > 100


def test_a_session_that_is_kept_after_the_end_of_time_rejects_what_merges_it(flink: FlinkAdapter) -> None:
    """Found by 200,000 scenarios of `tidegauge diff`: one of 4,600 of windows."""
    setup = WindowSetup(Session(1), allowed_lateness=2, late_output=True)
    history = (
        RecordStep(str(MAX - 2), 0),
        WatermarkStep("MAX"),
        RecordStep(str(MAX - 3), 0),
    )
    scenario = COMPONENTS["window"].scenario(
        id="kept", setup=setup, history=history, origin=Origin("own"), needs=("int64",)
    )
    (ours,), (theirs,) = (
        run(one, [scenario]) for one in (ReferenceAdapter({"policies": "flink-2.3"}), flink)
    )
    assert ours is not None
    assert theirs is not None
    assert theirs.outputs[-1] == (Error("unsupported"),)
    assert ours.outputs == theirs.outputs


def test_under_its_profile_no_rule_fails(tidegauge: Command, tmp_path: Path) -> None:
    """Whole jobs, which take the most time: `test_flink_jobs.py`."""
    ended = tidegauge("run", "--adapter", "flink", "--budget", "smoke", "-n", "2", "--out", "out", *STEPPED)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["profile"] == "flink-2.3"
    assert results["counts"]["fail"] == results["counts"]["error"] == results["counts"]["not-tested"] == 0
    assert results["counts"]["pass"] > 95
    unrefused = {rule["id"]: rule for rule in results["rules"] if "refuses" in rule["reason"]}
    assert set(unrefused) == {"ALIGN-13", "CLOCK-4", "CLOCK-5", "SOURCE-16"}
    assert {rule["verdict"] for rule in unrefused.values()} == {"not-applicable"}


def test_under_core_its_live_defects_are_named(tidegauge: Command) -> None:
    ended = tidegauge(
        "run",
        "--adapter",
        "flink",
        "--profile",
        "core",
        "--budget",
        "smoke",
        "-n",
        "2",
        "--out",
        "out",
        *STEPPED,
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    missing = {bug for bug in NAMED_SOON if bug not in ended.stdout}
    assert missing == set()


def test_a_jvm_that_is_killed_costs_no_more_than_its_scenario(flink: FlinkAdapter) -> None:
    scenarios = [draw_history(COMPONENTS["valve"], 1, index, FLINK_2_3) for index in range(200)]
    taken = [one for one in scenarios if not one.needs and flink.inexpressible(one) is None]
    before = run(flink, taken)
    (jvm,) = psutil.Process().children()
    jvm.kill()
    jvm.wait()
    assert run(flink, taken) == before
    (again,) = psutil.Process().children()
    assert again.pid != jvm.pid
    flink.close()
    assert psutil.Process().children() == []
