"""Runs that are killed, or stopped by a signal, at random moments: nothing that was judged is lost, the last results
stay until there are new ones, no process lives on, and `--resume` continues to the verdicts of a whole run."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Event

import psutil
import pytest
from conftest import PATIENCE, ROOT, Command, plain_environment

from tidegauge.run.journal import AnyEvent, Finished, JournalReader, Started
from tidegauge.wire.results import read_results
from tidegauge.wire.scenario import BadInput

MARK = "TIDEGAUGE_KILLED_AT_RANDOM"
"""In the environment of a run: all its processes are found by it."""

PROGRAM = ROOT / "tests" / "samples" / "protocol_engine.py"
SMALL = ("--component", "clock", "--budget", "smoke", "-n", "2", "--out", "out", "--progress", "none")
ENGINES = (
    ("--adapter", "mutant:clock-milliseconds"),
    ("--adapter", "reference"),
    ("--command", f"{sys.executable} {PROGRAM}"),
)
LINES = 9
"""About as many lines has the journal of such a run."""

SEEDS = range(10)


class Run:
    """A `tidegauge run` under way in `folder`, with the results of an earlier one in its output folder."""

    def __init__(self, folder: Path, engine: tuple[str, ...]) -> None:
        self.engine = engine
        self.out = folder / "out"
        self.before = (self.out / "results.json").read_bytes()
        self.mark = uuid.uuid4().hex
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tidegauge", "run", *engine, *SMALL],
            cwd=folder,
            env={**plain_environment(), MARK: self.mark},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def has_begun(self) -> bool:
        """Whether the command has done what comes before a run."""
        return any(self.out.glob(".run-*"))

    def lines(self) -> int:
        """The number of lines of the journal that it writes."""
        return sum(len(path.read_bytes().splitlines()) for path in self.out.glob(".run-*/journal.jsonl"))

    def writes_results(self) -> bool:
        """Whether the session has ended, and results are made from its journal."""
        journals = [path.read_bytes() for path in self.out.glob(".run-*/journal.jsonl")]
        return any(b'{"event":"ended"' in journal for journal in journals) or not journals

    def wait_for(self, seconds: float) -> bool:
        """Whether it still runs after so long."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        return self.process.poll() is None

    def left(self) -> list[psutil.Process]:
        """Its processes that are alive."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if process.environ().get(MARK) == self.mark and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found


def wait_for_the_moment(run: Run, draw: random.Random) -> str:
    """Wait for a random moment of the run, or for its end; the moment in words."""
    kind = draw.choice(("starts", "judges", "judges", "writes"))
    lines, seconds = draw.randrange(1, LINES), draw.random()
    while run.wait_for(0.01):
        if kind == "starts" and run.has_begun():
            run.wait_for(4 * seconds)
            return f"{4 * seconds:.1f} s after it began"
        if kind == "judges" and run.lines() >= lines:
            run.wait_for(seconds / 5)
            return f"{seconds / 5:.1f} s after line {lines} of its journal"
        if kind == "writes" and run.lines() > 1:
            break
    while kind == "writes" and run.wait_for(0.005):
        if run.writes_results():
            run.wait_for(seconds)
            return f"{seconds:.1f} s after its session ended"
    return "after its end"


def events_in(folder: Path) -> list[AnyEvent]:
    """The events of a journal; none if it is no journal."""
    with suppress(BadInput):
        return JournalReader(folder).new_events()
    return []


def judged_by(run: Run) -> dict[str, str]:
    """What came of the items of the run, by the journal that is there now."""
    folders = [*run.out.glob(".run-*"), run.out]
    events = next((events for one in folders if (events := events_in(one))), [])
    return {event.item: event.outcome for event in events if isinstance(event, Finished)}


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a run that has come to its end, on another engine."""
    folder = tmp_path_factory.mktemp("earlier")
    subprocess.run(
        [sys.executable, "-m", "tidegauge", "run", "--adapter", "mutant:clock-no-data-pauses", *SMALL],
        cwd=folder,
        env=plain_environment(),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (folder / "out" / "results.json").is_file()
    return folder / "out"


@pytest.fixture
def stopped(
    request: pytest.FixtureRequest, earlier: Path, tmp_path: Path
) -> Iterator[tuple[Run, str, signal.Signals]]:
    """A run that has got a signal at a random moment, with the moment in words."""
    seed, number = request.param
    draw = random.Random(f"killed at random {seed} {number.name}")
    shutil.copytree(earlier, tmp_path / "out")
    run = Run(tmp_path, ENGINES[seed % len(ENGINES)])
    try:
        moment = wait_for_the_moment(run, draw)
        run.process.send_signal(number)
        yield run, moment, number
    finally:
        for process in run.left():
            with suppress(psutil.Error):
                process.kill()
        run.process.kill()
        run.process.communicate()


SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
KILLS = [(seed, number) for number in SIGNALS for seed in SEEDS]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[str, ...]], dict[str, str]]:
    """The verdicts of a run of an engine that nothing stops."""

    @cache
    def verdicts(engine: tuple[str, ...]) -> dict[str, str]:
        folder = tmp_path_factory.mktemp("undisturbed")
        subprocess.run(
            [sys.executable, "-m", "tidegauge", "run", *engine, *SMALL],
            cwd=folder,
            env=plain_environment(),
            capture_output=True,
            check=False,
            timeout=PATIENCE,
        )
        return verdicts_in(folder / "out")

    return verdicts


def verdicts_in(out: Path) -> dict[str, str]:
    """The verdict of each rule and property."""
    results = read_results(out / "results.json")
    return {one.id: one.verdict for one in results.rules} | {
        f"{one.component} {one.name}": one.verdict for one in results.properties
    }


@pytest.mark.slower
@pytest.mark.parametrize(
    "stopped", KILLS, indirect=True, ids=[f"{number.name}-{seed}" for seed, number in KILLS]
)
def test_a_run_that_is_stopped_at_any_moment_loses_nothing(
    stopped: tuple[Run, str, signal.Signals],
    undisturbed: Callable[[tuple[str, ...]], dict[str, str]],
    tidegauge: Command,
) -> None:
    run, moment, number = stopped
    out, err = run.process.communicate(timeout=PATIENCE)
    assert nothing_lives_on(run), moment
    finished = run.process.returncode
    assert "Traceback" not in out + err, (moment, err)
    is_stopped = finished == 128 + number
    if is_stopped:
        (last,) = err.splitlines()
        assert last.startswith(f"tidegauge: stopped by {number.name}"), (moment, err)
        assert ("--resume" in last) == run.has_begun(), (moment, err)
    else:  # the signal met Python itself, at its start or at its end
        assert finished in (0, 1, -number), (moment, out, err)
        assert err == "", moment
    judged = judged_by(run)
    old = (run.out / "results.json").read_bytes()
    if old != run.before:
        read_results(run.out / "results.json")  # then it is a whole document
    ended = tidegauge("report", "out")
    assert ended.returncode in (0, 1), (moment, ended.stderr)
    assert ended.stderr == "", moment
    results = read_results(run.out / "results.json")
    outcomes = {item.id: item.outcome for item in results.items if item.outcome != "not-run"}
    assert judged.items() <= outcomes.items(), moment
    journal = events_in(run.out)
    assert {one.item for one in journal if isinstance(one, Finished)} == set(judged)
    assert any(isinstance(one, Started) for one in journal)
    assert (run.out / "report.html").is_file()
    if run.lines() > 0:
        resumed = tidegauge("run", *run.engine, *SMALL, "--resume")
        assert resumed.returncode in (0, 1), (moment, resumed.stderr)
        assert verdicts_in(run.out) == undisturbed(run.engine), moment
        assert not run.has_begun(), moment


def nothing_lives_on(run: Run) -> bool:
    """Whether all processes of the run end, if one waits for them."""
    never, until = Event(), time.monotonic() + PATIENCE
    while run.left():
        if time.monotonic() > until:
            return False
        never.wait(0.05)
    return True


@pytest.mark.slower
def test_a_run_that_is_killed_before_it_has_judged_anything_costs_the_last_one_nothing(
    earlier: Path, tidegauge: Command, tmp_path: Path
) -> None:
    shutil.copytree(earlier, tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.json*")}
    hidden = tmp_path / "out" / ".run-20260101T000000000000"
    hidden.mkdir()
    for content in (b"", b'{"event":"started","requ'):
        (hidden / "journal.jsonl").write_bytes(content)
        assert tidegauge("report", "out").returncode == 1
        assert (tmp_path / "out" / "journal.jsonl").read_bytes() == before[tmp_path / "out" / "journal.jsonl"]
        assert set(before) <= set((tmp_path / "out").rglob("*.json*"))
