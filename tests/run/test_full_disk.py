"""A disk that is full stops a run with one line, which names the path; `--resume` continues once there is space."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import PATIENCE, Command, plain_environment, results_in

from tidegauge.wire.results import read_results

ENGINE = ("--adapter", "mutant:clock-milliseconds", "--component", "clock", "--budget", "smoke", "-n", "1")
RUN = ("run", *ENGINE, "--out", "out")
FULL = "No space left on device"
TOO_LARGE = "File too large"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing stops."""
    from conftest import run_module

    folder = tmp_path_factory.mktemp("undisturbed")
    assert run_module(folder, "tidegauge")(*RUN).returncode == 1
    return folder / "out"


def limited(folder: Path, most_bytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command whose files may have so many bytes: to a program this looks like a full disk."""
    return subprocess.run(
        [sys.executable, "-m", "tidegauge", *arguments],
        cwd=folder,
        env={**plain_environment(), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, resource.RLIM_INFINITY)),
    )


def verdicts(folder: Path) -> dict[str, str]:
    results = read_results(folder / "results.json")
    return {rule.id: rule.verdict for rule in results.rules}


@pytest.mark.parametrize("place", ["journal.jsonl", "results.json"])
def test_a_run_on_a_full_disk_is_resumed(
    tidegauge: Command, tmp_path: Path, undisturbed: Path, place: str
) -> None:
    if place == "journal.jsonl":
        ended, reason = limited(tmp_path, (undisturbed / place).stat().st_size // 2, *RUN), TOO_LARGE
    else:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / f"{place}.partial").symlink_to("/dev/full")
        ended, reason = tidegauge(*RUN, "--force"), FULL
    assert ended.returncode == 4, (ended.stdout, ended.stderr)
    (line,) = ended.stderr.splitlines()
    assert line.startswith("tidegauge: out/")
    assert f"/{place}" in line
    assert f" cannot be written: {reason}; make space, and continue: tidegauge run " in line
    assert line.endswith(" --resume")
    assert not (tmp_path / "out" / "results.json").exists()
    resumed = tidegauge(*RUN, "--resume")
    assert (resumed.returncode, resumed.stderr) == (1, "")
    assert verdicts(tmp_path / "out") == verdicts(undisturbed)
    assert not [*(tmp_path / "out").glob(".run-*")]


def test_a_disk_that_is_full_before_a_run_begins_leaves_the_last_one(
    tmp_path: Path, undisturbed: Path
) -> None:
    shutil.copytree(undisturbed, tmp_path / "out")
    ended = limited(tmp_path, 300, *RUN)
    assert ended.returncode == 4, (ended.stdout, ended.stderr)
    (line,) = ended.stderr.splitlines()
    assert line.endswith(
        f" cannot be written: {TOO_LARGE}; nothing is judged yet: make space, or choose another --out"
    )
    assert not [*(tmp_path / "out").glob(".run-*")]
    assert verdicts(tmp_path / "out") == verdicts(undisturbed)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, of 1 MB, in the folder `disk`; skips where the tests may not mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1000k", "tidegauge-test", str(place)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.slower
@pytest.mark.parametrize("kilobytes_left", [4, 16, 100, 300, 560, 640])
def test_a_run_on_a_disk_that_fills_up_is_resumed(
    small_disk: Path, tidegauge: Command, undisturbed: Path, kilobytes_left: int
) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(bytes(1000 * 1024 - kilobytes_left * 1024))
    run = ("run", *ENGINE, "--out", "disk/out")
    ended = tidegauge(*run)
    assert "Traceback" not in ended.stderr
    if ended.returncode in (1, 3):  # only a report may have found no space
        assert verdicts(small_disk / "out") == verdicts(undisturbed)
        return
    assert ended.returncode == 4, (ended.stdout, ended.stderr)
    (line,) = ended.stderr.splitlines()
    assert FULL in line
    assert "disk/out" in line
    filler.unlink()
    resumed = tidegauge(*run, *(["--resume"] if line.endswith("--resume") else []))
    assert (resumed.returncode, resumed.stderr) == (1, "")
    assert verdicts(small_disk / "out") == verdicts(undisturbed)
    assert results_in(small_disk / "out")["complete"]
