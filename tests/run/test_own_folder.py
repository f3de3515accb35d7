"""The kit replaces and removes its own files only, unless it is forced to."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import Command, results_in

SMALL = ("--component", "clock", "--budget", "smoke", "-n", "1")
CONFORMING = ("run", "--adapter", "reference", *SMALL, "--out", "out")
DIFFERING = ("run", "--adapter", "mutant:clock-milliseconds", *SMALL, "--out", "out")
MARKER = ".tidegauge"


def theirs(path: Path) -> Path:
    """A file of others."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("not of the kit", encoding="utf-8")
    return path


def is_theirs(path: Path) -> bool:
    return path.read_text(encoding="utf-8") == "not of the kit"


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that differs."""
    from conftest import run_module

    folder = tmp_path_factory.mktemp("earlier")
    assert run_module(folder, "tidegauge")(*DIFFERING).returncode == 1
    return folder / "out"


@pytest.mark.parametrize("name", ["notes.txt", "report.html", "counterexamples/mine.jsonl", "results.json"])
def test_a_folder_of_others_is_refused_with_one_line(tidegauge: Command, tmp_path: Path, name: str) -> None:
    file = theirs(tmp_path / "out" / name)
    for command in (
        CONFORMING,
        ("campaign", "--adapter", "reference", "--component", "clock", "--out", "out"),
    ):
        ended = tidegauge(*command)
        assert (ended.returncode, ended.stdout) == (2, "")
        (line,) = ended.stderr.splitlines()
        assert "out has files that Tidegauge did not write, such as " + name.partition("/")[0] in line
        assert line.endswith("choose another --out, or replace files of others with --force")
    assert is_theirs(file)
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == [file]


def test_with_force_only_what_is_in_the_way_is_replaced(tidegauge: Command, tmp_path: Path) -> None:
    kept = [
        theirs(tmp_path / "out" / name) for name in ("notes.txt", "counterexamples/mine.jsonl", ".run-mine/x")
    ]
    replaced = [theirs(tmp_path / "out" / name) for name in ("report.html", "results.json")]
    for _ in range(2):
        ended = tidegauge(*DIFFERING, "--force")
        assert (ended.returncode, ended.stderr) == (1, "")
        assert all(map(is_theirs, kept))
        assert not any(map(is_theirs, replaced))


def test_an_empty_folder_or_one_with_hidden_files_is_taken(tidegauge: Command, tmp_path: Path) -> None:
    file = theirs(tmp_path / "out" / ".gitkeep")
    assert tidegauge(*CONFORMING).returncode == 0
    assert is_theirs(file)


@pytest.mark.parametrize("without_marker", [False, True])
def test_a_folder_of_an_earlier_run_is_taken(
    tidegauge: Command, tmp_path: Path, earlier: Path, without_marker: bool
) -> None:
    """Also one of a version that left no marker."""
    shutil.copytree(earlier, tmp_path / "out")
    assert any((tmp_path / "out" / "counterexamples").iterdir())
    file = theirs(tmp_path / "out" / "notes.txt")
    if without_marker:
        (tmp_path / "out" / MARKER).unlink()
    ended = tidegauge(*CONFORMING)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert results_in(tmp_path / "out")["exit_code"] == 0
    assert not any((tmp_path / "out" / "counterexamples").iterdir())
    assert is_theirs(file)


def test_counterexamples_of_others_stay(tidegauge: Command, tmp_path: Path, earlier: Path) -> None:
    shutil.copytree(earlier, tmp_path / "out")
    file = theirs(tmp_path / "out" / "counterexamples" / "mine.jsonl")
    assert tidegauge(*CONFORMING).returncode == 0
    assert [*(tmp_path / "out" / "counterexamples").iterdir()] == [file]


def test_reports_of_others_are_left_alone_one_by_one(
    tidegauge: Command, tmp_path: Path, earlier: Path
) -> None:
    (tmp_path / "mine").mkdir()
    shutil.copy(earlier / "results.json", tmp_path / "mine")
    file = theirs(tmp_path / "mine" / "report.html")
    for _ in range(2):
        ended = tidegauge("report", "mine/results.json", "-q")
        assert ended.returncode == 1
        (line,) = ended.stderr.splitlines()
        assert "Tidegauge did not write mine/report.html: " in line
        assert is_theirs(file)
        assert (tmp_path / "mine" / "junit.xml").is_file()
    ended = tidegauge("report", "mine/results.json", "-q", "--force")
    assert (ended.returncode, ended.stderr) == (1, "")
    assert not is_theirs(file)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("matrix.html", ("matrix", "results.json", "--out", "out")),
        ("index.html", ("site", "--out", "out")),
    ],
)
def test_pages_of_others_are_left_alone(
    tidegauge: Command, tmp_path: Path, earlier: Path, name: str, command: tuple[str, ...]
) -> None:
    shutil.copy(earlier / "results.json", tmp_path)
    file = theirs(tmp_path / "out" / name)
    ended = tidegauge(*command)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert name in line
    assert is_theirs(file)
    for forced in ((*command, "--force"), command):
        ended = tidegauge(*forced)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert not is_theirs(file)


def test_a_report_beside_results_makes_no_run_folder_of_a_folder(
    tidegauge: Command, tmp_path: Path, earlier: Path
) -> None:
    theirs(tmp_path / "out" / "notes.txt")
    shutil.copy(earlier / "results.json", tmp_path / "out")
    assert tidegauge("report", "out/results.json", "-q").returncode == 1
    assert tidegauge(*CONFORMING).returncode == 2


def test_plain_pytest_refuses_a_folder_of_others(pytest_here: Command, tmp_path: Path) -> None:
    file = theirs(tmp_path / "out" / "journal.jsonl")
    arguments = (
        "--pyargs",
        "tidegauge.run.suites",
        "--tidegauge-adapter",
        "reference",
        "--tidegauge-out",
        "out",
    )
    ended = pytest_here(*arguments, "--tidegauge-component", "clock", "--tidegauge-budget", "smoke")
    assert ended.returncode == 4
    assert "out has files that Tidegauge did not write, such as journal.jsonl: " in ended.stderr
    assert is_theirs(file)


@pytest.fixture
def pytest_here(tmp_path: Path) -> Command:
    """pytest, run in the test's own folder."""
    from conftest import run_module

    return run_module(tmp_path, "pytest")
