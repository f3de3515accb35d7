"""Components judged in forks: the judgements are those of one process, whatever becomes of a fork."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from conftest import PATIENCE, ROOT, plain_environment

TESTS = ROOT / "tests"
SAME = ["judged: valve clock", "the same: True"]


def printed(*mode: str) -> list[str]:
    """What the program prints."""
    program = [sys.executable, str(TESTS / "instruments" / "judged_in_forks.py"), *mode]
    path = os.pathsep.join(map(str, (TESTS, TESTS / "samples")))
    environment = {**plain_environment(), "PYTHONPATH": path}
    ran = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout.splitlines()


def test_forks_judge_as_this_process_does() -> None:
    assert printed() == [*SAME, "here:"]


@pytest.mark.parametrize("mode", ["killed", "beside-a-thread"])
def test_what_no_fork_judges_is_judged_here(mode: str) -> None:
    *same, here = printed(mode)
    assert same == SAME
    assert "clock" in here


def test_what_a_fork_raises_is_raised_and_no_fork_is_left() -> None:
    assert printed("raising") == ["raised; children: 0"]
