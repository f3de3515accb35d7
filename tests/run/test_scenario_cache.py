"""Scenarios that an earlier run has drawn are the same as those drawn again, or are not used at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from component_scenarios import DRAWN
from conftest import ROOT, Command, plain_environment, results_in

from tidegauge.components.component import Component
from tidegauge.components.registry import COMPONENTS, load_mutants
from tidegauge.drawing import histories
from tidegauge.drawing.histories import answered_history, draw_history
from tidegauge.engine.loading import describe, load_adapter
from tidegauge.judging.reference import oracle
from tidegauge.judging.reference.oracle import Expectation, expect, expectation_of
from tidegauge.run import drawn_items, scenario_cache
from tidegauge.run.drawn_items import DrawnItems
from tidegauge.run.journal import Finished, JournalReader
from tidegauge.run.plan import PlannedItem, plan
from tidegauge.run.request import Request
from tidegauge.run.scenario_cache import Drawn, Key, ScenarioCache, policies_of_key
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.shapes import ValveShape
from tidegauge_reference import CORE, PROFILES, valve

SUITES = ("state-cover", "random-histories", "scale", "properties", "interleaved")
REQUEST = Request(adapter="reference", components=("valve",), budget="smoke")
KEY = Key(
    component="valve",
    suite="random-histories",
    name="",
    start=0,
    stop=3,
    shape=None,
    policies=policies_of_key(CORE),
    seed=1,
    budget=None,
)


def items(request: Request) -> list[PlannedItem]:
    adapter = load_adapter("reference", {})
    return [item for item in plan(request, describe("reference", adapter), CORE) if item.suite in SUITES]


def some_drawn() -> Drawn:
    scenarios = tuple(draw_history(COMPONENTS["valve"], 1, index, CORE) for index in range(3))
    return Drawn(scenarios, tuple(expect(scenario, CORE) for scenario in scenarios))


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.scenarios"))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("component", DRAWN)
def test_the_reference_need_not_be_asked_what_it_answered_while_a_scenario_was_drawn(
    component: str, profile: str
) -> None:
    policies, without_answers = PROFILES[profile], 0
    for index in range(150):
        scenario, answers = answered_history(COMPONENTS[component], 3, index, policies)
        assert scenario == draw_history(COMPONENTS[component], 3, index, policies)
        if answers is None:
            without_answers += 1
            nested = component == "generator" and policies.generator_idle_timeouts == "nest"
            assert nested or "snapshot" in scenario.needs
        else:
            assert expectation_of(answers) == expect(scenario, policies), scenario
    assert without_answers < 50 or policies.generator_idle_timeouts == "nest"


@pytest.mark.parametrize("component", DRAWN)
def test_what_was_kept_is_what_would_be_drawn(
    component: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Request(adapter="reference", components=(component,), budget="smoke")
    cold = DrawnItems(request, CORE, ScenarioCache(tmp_path, "source"))
    drawn: dict[str, tuple[list[Scenario], list[Expectation | None]]] = {}
    for item in items(request):
        scenarios = list(cold.of(item, ()))
        drawn[item.id] = scenarios, [cold.known.of(one) for one in scenarios]
        assert [one.id for one in scenarios] == [
            one.id for one in DrawnItems(request, CORE, None).of(item, ())
        ]

    def not_asked(*_: object) -> None:
        raise AssertionError("drawn, or asked, again")

    for name in ("drawn_histories", "scenarios_of", "expect", "expect_each"):
        monkeypatch.setattr(drawn_items, name, not_asked)
    warm = DrawnItems(request, CORE, ScenarioCache(tmp_path, "source"))
    for item in items(request):
        scenarios = list(warm.of(item, ()))
        assert (scenarios, [warm.known.of(one) for one in scenarios]) == drawn[item.id]
        assert all(warm.known.of(one) == expect(one, CORE) for one in scenarios[::20])


def test_what_is_kept_belongs_to_one_source_shape_policies_and_seed(tmp_path: Path) -> None:
    item = next(item for item in items(REQUEST) if item.suite == "random-histories")

    def number_after(request: Request, policies: str, source: str, *shapes: ValveShape) -> int:
        cache = ScenarioCache(tmp_path, source)
        DrawnItems(request, PROFILES[policies], cache).of(item, shapes)
        return len(files(tmp_path))

    assert number_after(REQUEST, "core", "source") == 1
    assert number_after(REQUEST, "core", "source") == 1
    assert number_after(REQUEST, "flink-2.3", "source") == 2
    assert number_after(REQUEST, "core", "other") == 3
    assert number_after(REQUEST, "core", "source", ValveShape(contract=("falling-watermark",))) == 4
    seeded = Request(adapter="reference", components=("valve",), budget="smoke", seed=2)
    assert number_after(seeded, "core", "source") == 5


def flipped(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)


def cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def a_link(file: Path) -> None:
    kept = file.rename(file.with_suffix(".kept"))
    file.symlink_to(kept)


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def writable_by_others(file: Path) -> None:
    file.chmod(0o666)


@pytest.mark.parametrize("damage", [flipped, cut_off, empty, a_link, a_folder, a_pipe, writable_by_others])
def test_a_damaged_or_foreign_file_is_ignored(damage: Callable[[Path], None], tmp_path: Path) -> None:
    cache, drawn = ScenarioCache(tmp_path, "source"), some_drawn()
    cache.write(KEY, drawn)
    assert cache.read(KEY) == drawn
    damage(files(tmp_path)[0])
    assert cache.read(KEY) is None
    if damage is not a_folder:  # which is not in anybody's way
        cache.write(KEY, drawn)
        assert cache.read(KEY) == drawn


def test_a_file_with_the_name_of_another_is_ignored(tmp_path: Path) -> None:
    caches = [ScenarioCache(tmp_path, source) for source in ("first", "second")]
    caches[0].write(KEY, some_drawn())
    file = files(tmp_path)[0]
    caches[1].write(KEY, some_drawn())
    other = next(path for path in files(tmp_path) if path != file)
    shutil.copy(file, other)
    assert [cache.read(KEY) is None for cache in caches] == [False, True]


def test_content_that_was_written_for_something_else_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, drawn = ScenarioCache(tmp_path, "source"), some_drawn()
    for content in (b"", b"\x90", b"\x94\x90\x91\x90\x90\x90", b"\xc1", b"\x91" * 100_000):
        encoder = type("Encoder", (), {"encode": lambda self, file, content=content: content})()
        with monkeypatch.context() as patched:
            patched.setattr(scenario_cache, "_ENCODER", encoder)
            cache.write(KEY, drawn)
        assert cache.read(KEY) is None


def test_a_file_of_another_user_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = ScenarioCache(tmp_path, "source")
    cache.write(KEY, some_drawn())
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert cache.read(KEY) is None


def test_what_was_not_used_for_longest_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    caches = [ScenarioCache(tmp_path, source) for source in ("first", "second", "third")]
    drawn = some_drawn()
    caches[0].write(KEY, drawn)
    size = files(tmp_path)[0].stat().st_size
    monkeypatch.setattr(scenario_cache, "MOST_BYTES", 2 * size)
    caches[1].write(KEY, drawn)
    for number, file in enumerate(files(tmp_path)):
        os.utime(file, (number, number))
    assert caches[0].read(KEY) is not None  # and so it is newer
    caches[2].write(KEY, drawn)
    assert [cache.read(KEY) is not None for cache in caches] == [True, False, True]


def test_a_full_disk_is_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    cache = ScenarioCache(tmp_path, "source")
    cache.write(KEY, some_drawn())
    assert cache.read(KEY) is None
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for caches, in which they are used."""
    monkeypatch.delenv("TIDEGAUGE_NO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_folder_is_the_users_alone(home: Path) -> None:
    assert scenario_cache.scenario_cache() is not None
    folder = home / "tidegauge"
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o770)
    assert scenario_cache.scenario_cache() is None
    folder.rmdir()
    folder.symlink_to(home)
    assert scenario_cache.scenario_cache() is None


def test_a_cache_may_be_switched_off(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDEGAUGE_NO_CACHE", "1")
    assert scenario_cache.scenario_cache() is None
    assert not home.exists()


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (valve.Valve, "idle"),
        (valve, "smallest"),
        (histories, "draw_history"),
        (oracle, "expect"),
        (Component, "reference"),
    ],
)
def test_a_reference_or_a_drawing_changed_in_memory_has_no_cache(
    owner: object, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = scenario_cache.scenario_cache()
    assert kept is not None
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, lambda *_: [])
        assert scenario_cache.scenario_cache() is None
        kept.write(KEY, Drawn((), ()))
    assert files(tmp_path) == []
    assert scenario_cache.scenario_cache() is not None


@pytest.mark.usefixtures("home")
def test_a_mutant_is_a_copy_and_changes_no_reference() -> None:
    next(one for one in load_mutants().values() if one.component == "valve").load("valve")
    assert scenario_cache.scenario_cache() is not None


DRAWS_A_HISTORY = """
from tidegauge.run.drawn_items import DrawnItems
from tidegauge.run.plan import PlannedItem
from tidegauge.run.request import Request
from tidegauge.run.scenario_cache import scenario_cache
from tidegauge_reference import CORE
item = PlannedItem("valve", "valve", "random-histories", "", 0, 1000)
items = DrawnItems(Request(adapter="reference"), CORE, scenario_cache())
print(hash(tuple(map(repr, (items.known.of(one) for one in items.of(item, ()))))))
"""


@pytest.mark.parametrize(
    ("file", "line", "changed"),
    [
        ("tidegauge_reference/valve.py", 'cite("VALVE-5", source.idle)', 'cite("VALVE-5", False)'),
        ("tidegauge_reference/timestamps.py", "MAX = 2**63 - 1", "MAX = 2**62 - 1"),
        ("tidegauge/components/valve/drawing.py", "random.chance(20)", "random.chance(21)"),
        ("tidegauge_spec/chapters/VALVE.md", "channel", "canal"),
    ],
)
def test_a_change_of_one_line_of_the_source_misses_the_cache(
    file: str, line: str, changed: str, tmp_path: Path
) -> None:
    for folder in ("conformance/tidegauge", "reference_impl/tidegauge_reference", "spec/tidegauge_spec"):
        shutil.copytree(
            ROOT / folder, tmp_path / Path(folder).name, ignore=shutil.ignore_patterns("__pycache__")
        )
    environment: Mapping[str, str] = {
        **plain_environment(),
        "TIDEGAUGE_NO_CACHE": "",
        "XDG_CACHE_HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(tmp_path),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }

    def expected() -> str:
        command = [sys.executable, "-c", DRAWS_A_HISTORY]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    first = expected()
    assert expected() == first
    assert len(files(tmp_path / "home")) == 1
    source = tmp_path / file
    text = source.read_text(encoding="utf-8")
    assert line in text
    source.write_text(text.replace(line, changed, 1), encoding="utf-8")
    assert (expected() == first) == file.endswith(".md")
    assert len(files(tmp_path / "home")) == 2


def without_times(folder: Path) -> tuple[object, object]:
    results = results_in(folder)
    for name in ("started", "duration_s", "command"):
        del results[name]
    for item in results["items"]:
        del item["duration_s"]
    finished = [event for event in JournalReader(folder).new_events() if isinstance(event, Finished)]
    return results, {event.item: event.report for event in finished}


@pytest.mark.parametrize("adapter", ["reference", "mutant:valve-no-flush"])
def test_results_are_the_same_with_and_without_a_cache(
    adapter: str, tidegauge: Command, tmp_path: Path
) -> None:
    environment = {"TIDEGAUGE_NO_CACHE": "", "XDG_CACHE_HOME": str(tmp_path / "home")}

    def run(*more: str) -> tuple[object, object]:
        tidegauge(
            "run", "--adapter", adapter, "--component", "valve", "--budget", "smoke", *more,
            environment=environment,
        )  # fmt: skip
        written = without_times(tmp_path / "tidegauge-results")
        shutil.rmtree(tmp_path / "tidegauge-results")
        return written

    without = run("--no-cache")
    assert not (tmp_path / "home").exists()
    # What the reference leaves behind is there for an engine with a defect.
    for_reference = ["run", "--adapter", "reference", "--component", "valve", "--budget", "smoke"]
    tidegauge(*for_reference, "--out", "reference", environment=environment)
    kept = files(tmp_path / "home")
    assert len(kept) == 3
    assert run() == without
    assert files(tmp_path / "home") == kept
