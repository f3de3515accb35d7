"""Engines that crash, hang, raise or talk nonsense, and runs that are killed: what was found stays found."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest
from conftest import PATIENCE, Command, plain_environment, run_module

from tidegauge.run.journal import Finished, JournalReader
from tidegauge.wire.results import Results, decode_results

ENGINE = """
import os, signal, sys
from pathlib import Path
from tidegauge import ComponentAdapter
from tidegauge_reference import Valve

COMMAND = os.getppid()  # now: of a worker whose command was killed the parent is process 1

def never_ends():
    while True:
        pass

def in_the_last_item():
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_name != "step_interactively":
        frame = frame.f_back
    return frame is not None

class Strange(Valve):
    def watermark(self, channel, timestamp):
        if TRIGGER:
            ACTION
        return super().watermark(channel, timestamp)

class Engine(ComponentAdapter):
    extras = ("snapshot", "int64")
    def valve(self, setup):
        written = Path(__file__).with_name("pids.written")
        written.write_text(f"{COMMAND} {os.getpid()}")
        written.replace(Path(__file__).with_name("pids"))
        return Strange(setup.channels)
"""
FIVE_CHANNELS = "len(self.channels) == 5"
IN_ONE_VECTOR = "timestamp == 42300000"
IN_THE_LAST_ITEM = "in_the_last_item()"
CRASH = "os.kill(os.getpid(), signal.SIGSEGV)"

DRAWN = {"random-histories", "scale", "properties", "interleaved"}
"""The suites whose scenarios have five channels now and then."""


def engine(trigger: str, action: str) -> str:
    """The source of an engine that is the reference but for one thing."""
    return ENGINE.replace("TRIGGER", trigger).replace("ACTION", action)


def results_in(folder: Path) -> Results:
    """The results of a run; they must be whole and valid."""
    return decode_results((folder / "results.json").read_bytes(), "results.json")


def outcomes(results: Results) -> dict[str, set[str]]:
    """The outcomes of the items of each suite of the valve."""
    found: dict[str, set[str]] = {}
    for item in results.items:
        suite = next(
            s for s in (*DRAWN, "vectors", "state-cover", "fuzz", "interactive", "endurance") if s in item.id
        )
        found.setdefault(suite, set()).add(item.outcome)
    return found


def joined(found: dict[str, set[str]]) -> set[str]:
    """The outcomes of all suites."""
    return {outcome for of_suite in found.values() for outcome in of_suite}


SMOKE = (
    "--adapter",
    "strange:Engine",
    "--budget",
    "smoke",
    "--component",
    "valve",
    "-n",
    "1",
    "--out",
    "out",
    "--progress",
    "none",
)


@pytest.fixture
def run(
    tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> Callable[..., Results]:
    """Runs an engine of that source; the run must end by itself with that exit code and no traceback."""

    def run_engine(source: str, *arguments: str, exit_code: int = 1) -> Results:
        engine_module("strange", source)
        ended = tidegauge("run", *SMOKE, *arguments)
        assert ended.returncode == exit_code, ended.stdout + ended.stderr
        assert ended.stderr == ""
        assert (tmp_path / "out" / "report.html").is_file()
        return results_in(tmp_path / "out")

    return run_engine


@pytest.mark.slower
def test_a_crash_costs_the_items_in_which_it_happens_however_many(run: Callable[..., Results]) -> None:
    results = run(engine(FIVE_CHANNELS, CRASH))
    assert results.complete
    found = outcomes(results)
    assert {suite: found.pop(suite) for suite in DRAWN} == {suite: {"crashed"} for suite in DRAWN}
    assert joined(found) == {"judged"}
    crashed = [item for item in results.items if item.outcome == "crashed"]
    assert len(crashed) > 4, "the worker process starts again each time"
    assert all("while scenario valve:s" in item.text for item in crashed)


@pytest.mark.slower
def test_rules_that_decide_where_it_crashed_are_in_error_and_say_so(run: Callable[..., Results]) -> None:
    results = run(engine(IN_ONE_VECTOR, CRASH))
    assert outcomes(results)["vectors"] == {"crashed"}
    rules = {rule.id: rule for rule in results.rules}
    assert rules["VALVE-2"].verdict == "error"
    assert rules["VALVE-2"].reason == "the engine crashed in scenario valve/essay-one-upstream"
    assert rules["VALVE-10"].verdict == "pass"
    assert results.counts["scenarios"] > 2000


@pytest.mark.slower
def test_an_endless_loop_costs_its_item(run: Callable[..., Results]) -> None:
    results = run(engine(IN_ONE_VECTOR, "never_ends()"), "--item-timeout", "15")
    found = outcomes(results)
    assert found.pop("vectors") == {"timeout"}
    assert joined(found) == {"judged"}
    rules = {rule.id: rule for rule in results.rules}
    assert (
        rules["VALVE-2"].reason
        == "the engine did not end the item within 15 s in scenario valve/essay-one-upstream"
    )
    assert rules["VALVE-10"].verdict == "pass"


@pytest.mark.slower
def test_a_silent_exit_costs_its_item(run: Callable[..., Results]) -> None:
    results = run(engine(IN_ONE_VECTOR, "os._exit(0)"))
    found = outcomes(results)
    assert found.pop("vectors") == {"crashed"}
    assert joined(found) == {"judged"}


GONE = """
from pathlib import Path
GONE = Path(__file__).with_name("gone")
if GONE.exists():
    raise ImportError("no module named there_no_more")
"""


@pytest.mark.slower
def test_an_engine_that_does_not_import_any_more_ends_the_run(run: Callable[..., Results]) -> None:
    """It crashes in some item, and no process that would go on can be started."""
    results = run(GONE + engine(FIVE_CHANNELS, "GONE.touch(); os._exit(0)"))
    assert not results.complete
    assert joined(outcomes(results)) >= {"crashed", "not-run"}
    not_run = {item.text for item in results.items if item.outcome == "not-run"}
    assert not_run == {"adapter 'strange:Engine' does not import: ImportError: no module named there_no_more"}


@pytest.mark.slower
@pytest.mark.parametrize(
    ("action", "kind", "text"),
    [
        ("raise KeyError(channel)", "exception", "KeyError: "),
        pytest.param(
            "return [('watermark', 1.5)]",
            "protocol",
            "Expected `int | str`, got `float`",
            marks=pytest.mark.slower,
        ),
        pytest.param(
            "return ['nonsense']", "protocol", "the engine returned 'nonsense'", marks=pytest.mark.slower
        ),
    ],
    ids=["raises", "a float", "nonsense"],
)
def test_an_answer_that_is_none_is_an_error_of_the_rules_that_decide_there(
    run: Callable[..., Results], action: str, kind: str, text: str
) -> None:
    results = run(engine("timestamp == 2**63 - 1 and len(self.channels) == 1", action))
    assert results.complete
    assert not {"crashed", "timeout", "failed", "not-run"} & {item.outcome for item in results.items}
    (error,) = results.errors
    assert (error.component, error.kind) == ("valve", kind)
    assert text in error.text
    assert 0 < error.scenarios < error.of
    assert "VALVE-19" in error.rules
    verdicts = {rule.id: rule.verdict for rule in results.rules}
    assert {verdicts[rule] for rule in error.rules} == {"error"}
    assert "fail" not in verdicts.values()
    assert {verdicts[rule] for rule in ("VALVE-7", "VALVE-8", "VALVE-9", "VALVE-12", "VALVE-13")} == {"pass"}


@pytest.mark.slower
def test_an_engine_that_cannot_be_built_for_a_setup_is_in_error_there_only(
    run: Callable[..., Results],
) -> None:
    source = engine("False", "pass").replace(
        "return Strange(setup.channels)", "return Strange(setup.channels) if setup.channels < 5 else 1 / 0"
    )
    results = run(source)
    found = outcomes(results)
    assert not {"crashed", "failed", "not-run"} & joined(found)
    assert found["random-histories"] == {"error"}
    assert found["state-cover"] == {"judged"}
    assert {error.text for error in results.errors} == {"ZeroDivisionError: division by zero"}
    verdicts = [rule.verdict for rule in results.rules]
    assert "fail" not in verdicts
    assert "error" in verdicts


@pytest.mark.slower
def test_an_adapter_that_runs_nothing_ends_the_run_at_once_and_all_is_in_error(
    run: Callable[..., Results],
) -> None:
    source = engine("False", "pass") + "\n    def run(self, scenarios):\n        raise OSError('no server')\n"
    results = run(source, exit_code=2)
    assert joined(outcomes(results)) == {"error"}
    assert any("no server" in item.text for item in results.items)
    assert {rule.verdict for rule in results.rules} == {"error"}
    assert results.exit_code == 2


@pytest.mark.slower
def test_an_adapter_whose_run_breaks_now_and_then_is_in_error_where_it_does(
    run: Callable[..., Results],
) -> None:
    breaking = """
    def run(self, scenarios):
        several = list(scenarios)
        if len(several) > 100:
            raise OSError('no server')
        return super().run(several)
"""
    results = run(engine("False", "pass") + breaking)
    found = outcomes(results)
    assert found["vectors"] == found["interactive"] == {"judged"}
    assert found["random-histories"] == {"error"}
    (error,) = results.errors
    assert error.text.startswith("OSError: no server; raised by `run` of the adapter, at strange.py:")
    assert {rule.id for rule in results.rules if rule.verdict == "error"} == set(error.rules)


class Started:
    """A `tidegauge run` under way, on an engine that hangs in the last suite; its processes end with us."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tidegauge", "run", *SMOKE, "--seed", "5"],
            cwd=folder,
            env=plain_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finished_items(self) -> set[str]:
        """The items that the journal has by now."""
        events = [one for folder in self.hidden() for one in JournalReader(folder).new_events()]
        return {event.item for event in events if isinstance(event, Finished)}

    def hidden(self) -> list[Path]:
        """The folder in which it writes until its end."""
        return list((self.folder / "out").glob(".run-*"))

    def wait_for_items(self, count: int) -> set[str]:
        """Wait until that many items have come to their end."""
        for _ in range(20 * PATIENCE):
            if len(found := self.finished_items()) >= count:
                return found
            self._wait(0.05)
        raise AssertionError("the run makes no progress")

    def _wait(self, seconds: float) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
            raise AssertionError(f"the run has ended already: {self.process.communicate()}")

    def pids(self) -> tuple[int, int]:
        """The numbers of the processes of the command and of its worker."""
        command, worker = (self.folder / "pids").read_text(encoding="utf-8").split()
        assert int(command) > 1, "to kill group 1 is to kill every process"
        return int(command), int(worker)

    def end(self) -> None:
        """Leave nothing running."""
        with suppress(ProcessLookupError, FileNotFoundError):
            os.killpg(self.pids()[0], signal.SIGKILL)
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def started(engine_module: Callable[[str, str], None], tmp_path: Path) -> Iterator[Started]:
    """A run that has judged most of its items and hangs in the last."""
    engine_module("strange", engine(IN_THE_LAST_ITEM, "never_ends()"))
    run = Started(tmp_path)
    yield run
    run.end()


def soon_gone(pid: int) -> bool:
    """Whether a process ends, if one waits for it."""
    never = Event()
    return any(gone(pid) or never.wait(0.05) for _ in range(20 * PATIENCE))


def gone(pid: int) -> bool:
    """Whether a process has ended (or is a zombie, which waits for nothing but its parent)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    state = Path(f"/proc/{pid}/stat")
    return state.is_file() and state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"


def assert_results_of_a_cut_run(results: Results, finished: set[str]) -> None:
    """What was judged is in the results, and what was not says so."""
    assert not results.complete
    assert results.exit_code == 1
    judged = {item.id for item in results.items if item.outcome == "judged"}
    assert finished <= judged
    assert {item.id for item in results.items if item.outcome == "not-run"} == {"valve-interactive"}
    verdicts = {rule.verdict for rule in results.rules if rule.component == "valve"}
    assert verdicts == {"not-tested"}, "the last item could still show a breach"
    assert results.counts["scenarios"] > 1000


ALL_BUT_ONE = 16
"""Items of a smoke run of the valve without the last one."""


@pytest.mark.parametrize(
    "number",
    [pytest.param(signal.SIGTERM, marks=pytest.mark.slower), signal.SIGINT],
    ids=["SIGTERM", "SIGINT"],
)
def test_a_run_that_is_stopped_leaves_valid_results_and_no_process(
    started: Started, number: signal.Signals, tidegauge: Command
) -> None:
    """On a busy machine the time for the reports may be over: then the line has the command that makes them."""
    finished = started.wait_for_items(ALL_BUT_ONE)
    command, worker = started.pids()
    assert command == started.process.pid
    started.process.send_signal(number)
    out, err = started.process.communicate(timeout=PATIENCE)
    assert started.process.returncode == 128 + number, out + err
    (last,) = err.splitlines()
    assert last.startswith(f"tidegauge: stopped by {number.name}; {len(finished)} of 17 items are judged; ")
    assert last.endswith("--resume")
    if "write their reports: tidegauge report out" in last:
        out = tidegauge("report", str(started.folder / "out")).stdout
    assert "The run ended early" in out
    assert_results_of_a_cut_run(results_in(started.folder / "out"), finished)
    assert (started.folder / "out" / "report.html").is_file()
    assert soon_gone(worker)


@pytest.mark.slower
def test_after_a_run_is_killed_its_journal_gives_the_results(started: Started, tidegauge: Command) -> None:
    finished = started.wait_for_items(ALL_BUT_ONE)
    command, worker = started.pids()
    started.process.kill()
    started.process.communicate()
    assert soon_gone(command)
    assert soon_gone(worker)
    assert not (started.folder / "out" / "results.json").exists()
    ended = tidegauge("report", "out")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert_results_of_a_cut_run(results_in(started.folder / "out"), finished)
    assert (started.folder / "out" / "report.html").is_file()


@pytest.mark.slower
def test_half_a_line_at_the_end_of_a_journal_is_not_read(started: Started, tidegauge: Command) -> None:
    finished = started.wait_for_items(3)
    started.end()
    (hidden,) = started.hidden()
    with (hidden / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"event":"finished","item":"valve-int')
    ended = tidegauge("report", "out")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    results = results_in(started.folder / "out")
    assert not results.complete
    assert finished <= {item.id for item in results.items if item.outcome == "judged"}


@pytest.mark.slower
def test_a_killed_run_goes_on_where_it_was(
    started: Started, tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    """With the engine mended, which says that it is the same one; also when its reports were looked at."""
    finished = started.wait_for_items(ALL_BUT_ONE)
    started.end()
    (hidden,) = started.hidden()
    with (hidden / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"event":"finished","item":"valve-int')
    looked_at = tidegauge("report", "out")
    assert looked_at.returncode == 1, looked_at.stdout + looked_at.stderr
    refused = tidegauge("run", *SMOKE, "--seed", "6", "--resume")
    assert refused.returncode == 2
    assert refused.stderr == (
        "tidegauge: the seed is not that of the run that was killed; leave --resume out\n"
    )
    engine_module("strange", engine("False", "pass"))
    ended = tidegauge("run", *SMOKE, "--seed", "5", "--resume")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    results = results_in(started.folder / "out")
    assert results.complete
    assert joined(outcomes(results)) == {"judged"}
    lines = (started.folder / "out" / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    again = [line for line in lines if '"event":"finished"' in line]
    assert len(again) == ALL_BUT_ONE + 1 > len(finished)
    assert not started.hidden()
    nothing = tidegauge("run", *SMOKE, "--resume")
    assert nothing.stderr == "tidegauge: out holds no run that was killed; leave --resume out\n"


@pytest.mark.slower
def test_two_runs_do_not_write_into_one_folder(started: Started, tidegauge: Command) -> None:
    started.wait_for_items(1)
    ended = tidegauge("run", *SMOKE)
    assert ended.returncode == 2
    assert ended.stderr == (
        "tidegauge: another run writes into out; wait for its end, or choose another --out\n"
    )
    ended = tidegauge("report", "out")
    assert ended.returncode == 2


HUGE = "exec('hoard = []\\nwhile True: hoard.append(bytearray(2**26))')"
HOSTILE = {
    "holds the lock": ("__import__('re').fullmatch('(a|a)*b', 'a' * 50)", "did not answer within 3 s"),
    "stops its process": ("os.kill(os.getpid(), signal.SIGSTOP)", "stopped a process of the kit (SIGSTOP)"),
    "takes memory": (HUGE, "took more than 700 MiB of memory"),
}


@pytest.mark.slower
@pytest.mark.parametrize("deed", HOSTILE)
def test_what_python_cannot_end_is_ended_from_outside(run: Callable[..., Results], deed: str) -> None:
    action, did = HOSTILE[deed]
    results = run(engine(IN_ONE_VECTOR, action), "--scenario-seconds", "3", "--memory", "700")
    assert results.complete
    found = outcomes(results)
    assert found.pop("vectors") == {"timeout" if "answer" in did else "crashed"}
    assert joined(found) == {"judged"}
    rules = {rule.id: rule for rule in results.rules}
    assert rules["VALVE-2"].verdict == "error"
    assert rules["VALVE-2"].reason == f"the engine {did} in scenario valve/essay-one-upstream"
    assert rules["VALVE-10"].verdict == "pass"


@pytest.mark.parametrize(
    "deed",
    [
        "os.kill(COMMAND, signal.SIGSTOP)",
        pytest.param("os.kill(0, signal.SIGSTOP)", marks=pytest.mark.slower),
    ],
)
def test_an_engine_that_stops_the_command_is_named(run: Callable[..., Results], deed: str) -> None:
    results = run(engine(IN_ONE_VECTOR, deed))
    assert results.complete
    said = "the engine stopped a process of the kit (SIGSTOP)"
    assert any(error.text.startswith(said) for error in results.errors)
    assert joined(outcomes(results)) <= {"judged", "crashed"}


CHANGES_SCENARIOS = """
    def run(self, scenarios):
        from msgspec.structs import force_setattr
        from tidegauge import Transcript
        for scenario in scenarios:
            force_setattr(scenario, "history", ())
            yield Transcript(scenario.id, ())
"""
ANSWERS_IN_CAPITALS = """
    def run(self, scenarios):
        from msgspec.structs import replace
        for transcript in super().run(scenarios):
            yield replace(transcript, scenario=transcript.scenario.upper())
"""
HARMLESS = {
    "forks": "os.fork()",
    "leaves the machine no folder": "import tempfile; d = tempfile.mkdtemp(); os.chdir(d); os.rmdir(d)",
    "ignores signals": "[signal.signal(number, signal.SIG_IGN) for number in (1, 2, 14, 15, 27)]",
    "changes the time zone": "import time; os.environ['TZ'] = 'Asia/Kathmandu'; time.tzset()",
    "stops the clocks": "import time; time.monotonic = time.perf_counter = lambda: 0",
    "raises in a finalizer": "self.bomb = type('Bomb', (), {'__del__': lambda self: 1 / 0})()",
    "never ends a thread": "from threading import Event, Thread; Thread(target=Event().wait).start()",
    "breaks the encoder": "import msgspec; msgspec.json.encode = msgspec.json.decode = lambda *_, **__: 1 / 0",
    "prints": "print('x' * 100_000, flush=True); os.write(1, b'junk' * 1000)",
}
"""What an engine may do to its process, in one vector, without a change of any verdict."""

HARMFUL = {
    "leaves a fork behind": (
        "os.kill(os.getpid(), signal.SIGKILL) if os.fork() else __import__('time').sleep(2)",
        "the process of the engine ended while scenario valve/",
    ),
    "interrupts itself": (
        "signal.signal(signal.SIGINT, signal.default_int_handler); os.kill(os.getpid(), signal.SIGINT)",
        "KeyboardInterrupt",
    ),
    "allows no recursion": ("sys.setrecursionlimit(5)", "RecursionError: cannot set the recursion limit"),
    "opens no file": (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))",
        "OSError: [Errno 24] Too many open files",
    ),
    "closes all files": ("os.closerange(0, 4096)", "the process of the engine ended outside of any scenario"),
    "replaces builtins": ("import builtins; builtins.len = lambda _: 0", "the process of the engine ended"),
    "forgets all modules": ("sys.modules.clear()", "Error: "),
    "changes scenarios": (CHANGES_SCENARIOS, "the transcript ends before this step"),
    "answers in capitals": (ANSWERS_IN_CAPITALS, "which it was not asked for"),
}
"""What an engine may do that is an error, or a failure, and what is said of it first."""


@pytest.mark.slower
@pytest.mark.parametrize("deed", HARMLESS)
def test_what_an_engine_does_to_its_process_changes_no_verdict(
    run: Callable[..., Results], deed: str
) -> None:
    results = run(engine(IN_ONE_VECTOR, HARMLESS[deed]), exit_code=0)
    assert results.complete
    assert {rule.verdict for rule in results.rules} == {"pass"}


@pytest.mark.slower
@pytest.mark.parametrize("deed", HARMFUL)
def test_an_engine_that_harms_the_kit_passes_nothing_unseen(run: Callable[..., Results], deed: str) -> None:
    action, said = HARMFUL[deed]
    in_a_step = "\n" not in action
    source = engine(IN_ONE_VECTOR, action) if in_a_step else engine("False", "pass") + action
    results = run(source, exit_code=2 if deed == "answers in capitals" else 1)
    texts = [*(error.text for error in results.errors), *(item.text for item in results.items)]
    assert any(said in text.partition("\n")[0] for text in texts), texts


@pytest.mark.slower
def test_an_engine_that_hangs_again_and_again_is_given_up(run: Callable[..., Results]) -> None:
    """It answers in the preflight, and in no random history."""
    results = run(engine("len(self.channels) > 2", "never_ends()"), "--scenario-seconds", "2")
    assert results.complete
    assert len([item for item in results.items if item.outcome == "timeout"]) == 3
    not_run = {item.text for item in results.items if item.outcome == "error"}
    assert not_run
    assert all("3 processes of the engine had to be killed" in text for text in not_run)


@pytest.mark.slower
def test_an_engine_that_never_loads_ends_the_run(
    tidegauge: Command, engine_module: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDEGAUGE_SECONDS_TO_START", "5")
    engine_module("strange", "while True:\n    pass\n")
    ended = tidegauge("run", *SMOKE)
    assert ended.returncode == 2
    assert ended.stderr.strip() == "tidegauge: the engine did not load within 5 s; see out/engine.log"


PLAIN_SESSION = (
    *("--pyargs", "tidegauge.run.suites", "-q", "--tidegauge-adapter=strange:Engine"),
    *("--tidegauge-budget=smoke", "--tidegauge-component=valve"),
)


@pytest.mark.slower
def test_a_plain_session_of_pytest_is_watched_too(
    engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    engine_module("strange", engine(IN_ONE_VECTOR, "os.kill(os.getpid(), signal.SIGSTOP)"))
    options = ("-n", "1", "--tidegauge-scenario-seconds=3", "--timeout", "300")
    ended = run_module(tmp_path, "pytest")(*PLAIN_SESSION, *options)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "1 failed" in ended.stdout


@pytest.mark.slower
@pytest.mark.parametrize("action", ["os.kill(os.getpid(), signal.SIGINT)", "raise KeyboardInterrupt"])
def test_an_interrupt_of_an_engine_ends_no_plain_session(
    action: str, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    engine_module("strange", engine(IN_ONE_VECTOR, action))
    ended = run_module(tmp_path, "pytest")(*PLAIN_SESSION, "-k", "vectors")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "KeyboardInterrupt" in ended.stdout


@pytest.mark.slower
def test_an_engine_that_does_not_close_costs_nothing_that_is_judged(
    tidegauge: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    closing = "\n    def close(self):\n        os.kill(os.getpid(), signal.SIGSTOP)\n"
    engine_module("strange", engine("False", "pass") + closing)
    ended = tidegauge("run", *SMOKE)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stderr.strip() == (
        "tidegauge: when it was closed the engine stopped a process of the kit (SIGSTOP), and was killed"
    )
    results = results_in(tmp_path / "out")
    assert results.complete
    assert {item.outcome for item in results.items} == {"judged"}


LEAVES = """
import subprocess
for own_session in (False, True):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"], start_new_session=own_session)
"""


@pytest.mark.slower
def test_processes_that_an_engine_leaves_behind_are_ended_and_named(
    tidegauge: Command, engine_module: Callable[[str, str], None]
) -> None:
    engine_module("strange", engine("False", "pass") + LEAVES)
    ended = tidegauge("run", *SMOKE)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    said = "tidegauge: the engine left processes behind, which were ended: "
    assert ended.stderr.startswith(said)
    (line,) = ended.stderr.splitlines()
    left = [int(one.rpartition("(")[2].rstrip(")")) for one in line.removeprefix(said).split(", ")]
    assert left
    assert all(map(soon_gone, left))
