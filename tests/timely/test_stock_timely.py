"""Stock timely dataflow under the kit, with the driver that `python -m tidegauge_adapters.timely.driver` builds."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import Command, results_in
from declared_engines import undeclared_differences, undeclared_differences_of

from tidegauge import Scenario
from tidegauge.components.registry import COMPONENTS
from tidegauge.components.within import component_within
from tidegauge.drawing.histories import draw_history
from tidegauge.engine.loading import describe
from tidegauge.engine.runner import run
from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.steps.valve import IdleStep, ValveSetup, WatermarkStep
from tidegauge.wire.timestamps import from_wire
from tidegauge.wire.vocabulary import Error, Watermark
from tidegauge_adapters.reference import ReferenceAdapter
from tidegauge_adapters.timely.adapter import TimelyAdapter
from tidegauge_adapters.timely.driver import SOURCES, RustDriver, timely_driver
from tidegauge_reference import CORE

pytestmark = pytest.mark.timely

CLAIMED = {f"VALVE-{number}" for number in (1, 2, 3, 17, 19, 20)}
"""The rules of the chapter that decide something within the shape of timely."""

LARGEST, SMALLEST = str(2**63 - 2), str(-(2**63) + 1)


@pytest.fixture(scope="module", autouse=True)
def driver() -> Path:
    """The built driver. Without it, the test fails with the command that builds it."""
    try:
        return timely_driver().locate()
    except ValueError as error:
        pytest.fail(f"{error}; tox -e timely builds it, too", pytrace=False)


@pytest.fixture
def timely() -> Iterator[TimelyAdapter]:
    with closing(TimelyAdapter({})) as adapter:
        yield adapter


def valves(channels: int, *steps: tuple[int, Any]) -> Scenario:
    """Return a scenario of watermarks: the channel and the timestamp of each."""
    history = tuple(WatermarkStep(channel, timestamp) for channel, timestamp in steps)
    made: Scenario = COMPONENTS["valve"].scenario(
        id=f"valve {steps}",
        setup=ValveSetup(channels),
        history=history,
        origin=Origin("own"),
        needs=("int64",),
    )
    return made


def watermarks_of(adapter: TimelyAdapter, scenario: Scenario) -> list[list[Any]]:
    """Return the timestamps of the watermarks that each step outputs."""
    (transcript,) = run(adapter, [scenario])
    assert transcript is not None
    assert transcript.failure is None, transcript.failure
    outputs = [[output for output in step if isinstance(output, Watermark)] for step in transcript.outputs]
    return [[output.timestamp for output in step] for step in outputs]


@pytest.mark.parametrize(
    "options",
    [{}, {"workers": "2", "progress": "eager"}, {"workers": "4", "progress": "eager"}],
    ids=lambda options: "-".join(options.values()),
)
def test_the_frontier_behind_several_inputs_is_a_valve(options: dict[str, str]) -> None:
    with closing(TimelyAdapter(options)) as adapter:
        steps = ((0, 5), (1, 3), (2, 4), (1, "MAX"), (0, "MAX"), (2, "MAX"))
        assert watermarks_of(adapter, valves(3, *steps)) == [[], [], [3], [4], [], ["MAX"]]
        far = ((0, SMALLEST), (1, LARGEST), (0, LARGEST), (1, "MAX"))
        assert watermarks_of(adapter, valves(2, *far)) == [[], [SMALLEST], [LARGEST], []]


def test_under_core_every_claimed_rule_passes(tidegauge: Command, tmp_path: Path) -> None:
    command = ("run", "--adapter", "timely", "--budget", "smoke", "-n", "2", "--out", "out")
    ended = tidegauge(*command, "--profile", "core", "--deviations", "none")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert {rule["id"] for rule in results["rules"] if rule["verdict"] == "pass"} == CLAIMED
    assert {rule["verdict"] for rule in results["rules"]} == {"pass", "not-applicable"}
    assert (results["errors"], results["left_out"]) == ([], {})
    assert results["implementation"]["version"] == "0.32.0"


@pytest.mark.parametrize(
    "options", [{}, {"workers": "2", "progress": "eager"}, {"workers": "3", "progress": "eager"}]
)
def test_random_scenarios_show_no_difference(options: dict[str, str]) -> None:
    assert undeclared_differences("timely", options, component="valve", scenarios=2_000) == []


def test_on_demand_several_workers_pass_through_earlier_times() -> None:
    """A worker does not send progress that cannot advance the frontier. As soon as the other worker advances,
    the frontier moves to the time that the first worker has sent, and then to the time that it has held back."""
    with closing(TimelyAdapter({"workers": "2"})) as adapter:
        assert watermarks_of(adapter, valves(2, (0, 1), (0, 2), (1, 3))) == [[], [], [1, 2]]
        differing = undeclared_differences_of(
            "timely", adapter, component="valve", scenarios=1_000, at_least=1_000
        )
        assert len(differing) > 20
        for scenario in differing:
            assert_last_frontier_is_right(adapter, scenario)


def assert_last_frontier_is_right(adapter: TimelyAdapter, scenario: Scenario) -> None:
    """Check that the last watermark of each step is the one of the reference, and that all of them rise."""
    (expected,) = run(ReferenceAdapter({}), [scenario])
    assert expected is not None
    got = watermarks_of(adapter, scenario)
    for ours, theirs in zip(expected.outputs, got, strict=True):
        assert [output.timestamp for output in ours if isinstance(output, Watermark)] == theirs[-1:]
    rising = [from_wire(timestamp) for step in got for timestamp in step]
    assert all(earlier < later for earlier, later in pairwise(rising))


def test_a_difference_on_demand_is_named_by_its_rules(tidegauge: Command, tmp_path: Path) -> None:
    command = ("run", "--adapter", "timely", "--option", "workers=2", "--budget", "smoke", "-n", "2")
    ended = tidegauge(*command, "--out", "out")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["errors"] == []
    verdicts = {rule["id"]: rule["verdict"] for rule in results["rules"] if rule["id"] in CLAIMED}
    assert verdicts["VALVE-2"] in ("fail", "suspect")
    assert {rule for rule, verdict in verdicts.items() if verdict == "pass"} == {"VALVE-17", "VALVE-20"}


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_panic_of_timely_is_an_error_that_names_it(workers: str) -> None:
    with closing(TimelyAdapter({"workers": workers})) as adapter:
        back, sound = valves(2, (1, 5), (1, 3), (0, 1)), valves(1, (0, 5))
        failing, following = run(adapter, [back, sound])
        assert failing is not None
        assert failing.outputs == ((),)
        assert failing.failure is not None
        assert failing.failure.kind == "exception"
        place = r"timely panicked at timely-0\.32\.0/src/dataflow/operators/core/input\.rs:\d+:\d+: "
        assert re.match(place + "assertion failed: self.now_at.less_equal", failing.failure.text)
        assert following is not None
        assert following.outputs == ((Watermark(5),),)


def test_steps_that_timely_lacks_are_refused_or_fail(timely: TimelyAdapter) -> None:
    idle = COMPONENTS["valve"].scenario(
        id="idle", setup=ValveSetup(1), history=(IdleStep(0),), origin=Origin("own")
    )
    (refused,) = run(timely, [idle])
    assert refused is not None
    assert refused.outputs == ((Error("unsupported"),),)
    for steps, text in ((((0, 1), (7, 2)), "there is no input 7"), (((0, "MAX"),) * 2, "input 0 is closed")):
        (failing,) = run(timely, [valves(2, *steps)])
        assert failing is not None
        assert failing.failure is not None
        assert failing.failure.text == text


def test_a_process_that_is_killed_costs_no_more_than_its_scenario(timely: TimelyAdapter) -> None:
    component = component_within("valve", describe("timely", timely).shapes)
    drawn = [draw_history(component, 1, index, CORE) for index in range(200)]
    before = run(timely, drawn)
    (process,) = psutil.Process().children()
    process.kill()
    process.wait()
    assert run(timely, drawn) == before
    timely.close()
    assert psutil.Process().children() == []


MUTANTS = {
    "the output follows the first input only": (
        "worker.rs",
        "scope.concatenate(streams)",
        "scope.concatenate(streams.into_iter().take(1))",
        {"VALVE-2", "VALVE-1"},
    ),
    "an input that ends stays open": (
        "worker.rs",
        "inputs[stream].take().unwrap().close()",
        "()",
        {"VALVE-17", "VALVE-19"},
    ),
    "timely forgets the time to which an input advances": (
        "timely/src/dataflow/operators/core/input.rs",
        "progress.borrow_mut().update(self.now_at.clone(), 1);\n            }",
        "let _ = progress;\n            }",
        {"VALVE-1", "VALVE-2"},
    ),
}
"""By name: a source of the driver or of timely, a text, its replacement, and rules of which one must be accused."""


def mutated_driver(folder: Path, source: str, replaced: str, replacement: str) -> Path:
    """Build a driver with a mutated source, and return its path."""
    rust, built = folder / "rust", folder / "built"
    shutil.copytree(SOURCES, rust)
    if source.startswith("timely/"):
        use_copy_of_timely(rust)
    path = rust / "src" / source if "/" not in source else rust / source
    text = path.read_text()
    assert text.count(replaced) == 1
    path.write_text(text.replace(replaced, replacement))
    built.mkdir()
    (built / "target").symlink_to(timely_driver().folder / "target")
    return RustDriver(rust, built).build()


def use_copy_of_timely(rust: Path) -> None:
    """Copy the released sources of timely, as cargo has fetched them, beside the driver's sources."""
    lock = (rust / "Cargo.lock").read_text()
    entry = re.search(r'name = "timely"\nversion = "(.*)"\n(source = .*\nchecksum = .*\n)', lock)
    assert entry is not None
    cargo = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    released = next(cargo.glob(f"registry/src/*/timely-{entry[1]}"))
    shutil.copytree(released, rust / "timely")
    (rust / "Cargo.lock").write_text(lock.replace(entry[2], ""))
    with (rust / "Cargo.toml").open("a") as manifest:
        manifest.write('\n[patch.crates-io]\ntimely = { path = "timely" }\n')


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_fails_on_its_rule(name: str, tidegauge: Command, tmp_path: Path) -> None:
    source, replaced, replacement, accused = MUTANTS[name]
    program = mutated_driver(tmp_path, source, replaced, replacement)
    command = ("run", "--adapter", "timely", "--option", f"driver={program}", "--budget", "smoke", "-n", "2")
    ended = tidegauge(*command, "--out", "out")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    results = results_in(tmp_path / "out")
    assert results["errors"] == []
    verdicts = {rule["id"]: rule["verdict"] for rule in results["rules"]}
    assert {rule for rule in accused if verdicts[rule] in ("fail", "suspect")}
