"""The suites are ordinary pytest modules: `pytest --pyargs tidegauge.run.suites`, from wherever one stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Command, run_module

from tidegauge.run.journal import Finished, JournalReader
from tidegauge.run.options import REQUEST_OPTIONS

SUITES = ("--pyargs", "tidegauge.run.suites", "-p", "no:cacheprovider")
SMOKE = ("--tidegauge-budget", "smoke", "--tidegauge-component", "valve")
REFERENCE = ("--tidegauge-adapter", "reference")


@pytest.fixture
def run_pytest(tmp_path: Path) -> Command:
    """`pytest`, run in the test's own folder."""
    return run_module(tmp_path, "pytest")


USERS_OWN = {
    "pytest.ini": """
[pytest]
addopts = --strict-markers --strict-config
filterwarnings = error
xfail_strict = true
markers = slow: takes long
python_files = check_*.py
""",
    "conftest.py": """
import pytest

@pytest.fixture(autouse=True)
def always(tmp_path):
    yield tmp_path

@pytest.fixture
def run():
    raise RuntimeError("the user's own fixture")

def pytest_collection_modifyitems(items):
    items.reverse()
""",
    "check_mine.py": """
def test_mine():
    assert True
""",
}


@pytest.fixture
def users_project(tmp_path: Path) -> None:
    """A project of the user's, with a configuration of its own."""
    for name, content in USERS_OWN.items():
        (tmp_path / name).write_text(content, encoding="utf-8")


def test_from_an_empty_folder_every_item_passes_without_a_warning(run_pytest: Command) -> None:
    ended = run_pytest(*SUITES, *REFERENCE, *SMOKE, "-W", "error", "-v")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    for item in (
        "valve-vectors",
        "valve-state-cover-",
        "valve-random-histories-000",
        "valve-fuzz",
        "valve-interactive",
    ):
        assert f"[{item}" in ended.stdout
    last = ended.stdout.splitlines()[-1]
    assert " passed" in last
    for word in ("skipped", "warning", "failed", "error"):
        assert word not in last


@pytest.mark.slower
@pytest.mark.usefixtures("users_project")
def test_from_a_project_with_a_configuration_of_its_own(run_pytest: Command) -> None:
    ended = run_pytest(*SUITES, *REFERENCE, *SMOKE, "-W", "error", "-n", "2", "-o", "python_files=test_*.py")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert " passed" in ended.stdout.splitlines()[-1]


@pytest.mark.usefixtures("users_project")
def test_the_user_s_own_tests_do_not_notice(run_pytest: Command) -> None:
    ended = run_pytest("-W", "error", "-p", "no:cacheprovider")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "1 passed" in ended.stdout.splitlines()[-1]


def test_the_options_are_named_so_that_they_meet_no_others(run_pytest: Command) -> None:
    options = [word for word in run_pytest("--help").stdout.split() if word.startswith("--tidegauge")]
    declared = {f"--tidegauge-{option.name}" for option in REQUEST_OPTIONS}
    assert {option.partition("=")[0] for option in options} == declared


def test_without_an_adapter_the_suites_are_a_mistake_and_the_option_is_named(run_pytest: Command) -> None:
    ended = run_pytest(*SUITES)
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR
    assert "the Tidegauge suites need --tidegauge-adapter NAME" in ended.stderr


@pytest.mark.slower
def test_without_an_adapter_no_item_passes_on_the_workers_of_xdist_either(run_pytest: Command) -> None:
    ended = run_pytest(*SUITES, "-n", "2", "-q")
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
    assert "the Tidegauge suites need --tidegauge-adapter NAME" in ended.stdout
    assert "passed" not in ended.stdout.splitlines()[-1]
    assert "INTERNALERROR" not in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--tidegauge-adapter", "zzz"), "unknown adapter 'zzz'; known are "),
        pytest.param(
            (*REFERENCE, "--tidegauge-profile", "x"),
            "unknown profile 'x'; known are core, flink-2.3, spark-4; a profile of your own is a file whose name ends in .toml",
            marks=pytest.mark.slower,
        ),
        pytest.param((*REFERENCE, "--tidegauge-rule", "X-1"), "unknown rule 'X-1'", marks=pytest.mark.slower),
        pytest.param((*REFERENCE, "--tidegauge-budget", "x"), "unknown budget 'x'", marks=pytest.mark.slower),
        ((*REFERENCE, "--tidegauge-option", "x"), "option 'x' is not key=value"),
    ],
    ids=["adapter", "profile", "rule", "budget", "option"],
)
def test_bad_input_is_a_usage_error_in_one_line(
    run_pytest: Command, arguments: tuple[str, ...], problem: str
) -> None:
    ended = run_pytest(*SUITES, *arguments)
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in ended.stderr.splitlines() if line.startswith("ERROR")]
    assert problem in line
    assert "Traceback" not in ended.stdout + ended.stderr


def test_a_wrong_engine_fails_with_a_message_that_a_stranger_understands(run_pytest: Command) -> None:
    wrong = ("--tidegauge-adapter", "mutant:valve-lower-watermark-accepted")
    ended = run_pytest(*SUITES, *wrong, *SMOKE, "-k", "random")
    assert ended.returncode == 1
    for part in (
        "scenarios fail; the minimal counterexample, rule under review:",
        "VALVE-3 (MUST) A channel's watermark never regresses",
        "A watermark that is not greater than its channel's watermark MUST be ignored.",
        "On a valve with ",
        "  -> step ",
        "  expected: ",
        "  got:      ",
        "Check that the channel keeps the larger of the old and the new watermark",
        "tidegauge replay FILE --adapter mutant:valve-lower-watermark-accepted",
        '{"component":"valve",',
    ):
        assert part in ended.stdout
    assert "Traceback" not in ended.stdout
    assert (
        "conformance/tidegauge"
        not in ended.stdout.partition("FAILURES")[2].partition("short test summary")[0]
    )


@pytest.mark.slower
def test_the_scenario_in_the_message_can_be_replayed(
    run_pytest: Command, tmp_path: Path, tidegauge: Command
) -> None:
    wrong = "mutant:valve-strictly-caught-up"
    ended = run_pytest(*SUITES, "--tidegauge-adapter", wrong, *SMOKE, "-k", "random")
    (line, *_) = [line for line in ended.stdout.splitlines() if line.startswith('{"component":"valve",')]
    (tmp_path / "found.jsonl").write_text(line, encoding="utf-8")
    assert tidegauge("replay", "found.jsonl", "--adapter", wrong).returncode == 1
    assert tidegauge("replay", "found.jsonl", "--adapter", "reference").returncode == 0


SEES_NO_STEPS = """
from msgspec.structs import replace
from tidegauge import Adapter
from tidegauge.wire.transcript import Transcript, joined, spans
from tidegauge_adapters.reference import ReferenceAdapter

class Batches(Adapter):
    def describe(self):
        return replace(ReferenceAdapter({}).describe(), name="batches", layer="streaming", observes="group")

    def run(self, scenarios):
        for scenario in scenarios:
            (seen,) = ReferenceAdapter({}).run([scenario])
            yield Transcript(scenario.id, tuple(joined(list(seen.outputs), spans(scenario, "group"))))
"""


@pytest.mark.slower
def test_an_engine_that_cannot_be_stepped_is_judged_by_what_can_be_seen(
    run_pytest: Command, engine_module: Callable[[str, str], None]
) -> None:
    engine_module("batches", SEES_NO_STEPS)
    ended = run_pytest(*SUITES, "--tidegauge-adapter", "batches:Batches", *SMOKE, "-v")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "[valve-random-histories-000]" in ended.stdout
    for absent in ("valve-interactive", "valve-fuzz", "valve-nothing-pending", "skipped"):
        assert absent not in ended.stdout


WITHOUT_STATUSES = """
from tidegauge.wire.steps.valve import ActiveStep, IdleStep
from tidegauge_adapters.reference import ReferenceAdapter

class WithoutStatuses(ReferenceAdapter):
    def describe(self):
        self.name = "without statuses"
        return super().describe()

    def inexpressible(self, scenario):
        statuses = [step for step in scenario.history if isinstance(step, (IdleStep, ActiveStep))]
        return "a status" if any(step.channel == 2 for step in statuses) else None  # which no shape can say

    def session(self, setup):
        session = super().session(setup)
        step = session.step
        session.step = lambda one: () if isinstance(one, (IdleStep, ActiveStep)) and one.channel == 2 else step(one)
        return session
"""


@pytest.mark.slower
def test_the_interactive_suite_takes_no_step_for_which_the_engine_has_no_words(
    run_pytest: Command, engine_module: Callable[[str, str], None], tmp_path: Path
) -> None:
    engine_module("without", WITHOUT_STATUSES)
    out = ("--tidegauge-out", "out", "-k", "interactive")
    ended = run_pytest(*SUITES, "--tidegauge-adapter", "without:WithoutStatuses", *SMOKE, *out)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    events = JournalReader(tmp_path / "out").new_events()
    (finished,) = [event for event in events if isinstance(event, Finished)]
    assert finished.report is not None
    assert finished.report.scenarios
    assert finished.report.left_out.reasons["a status"] > 0
