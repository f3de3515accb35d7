"""The README of the library: its examples run as printed, and show what the text says of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from played_page import NewFile, steps_of

MOST_LINES = 25
FIRST_MOST_LINES = 20
_MOST_DRAWN = """
import json
print(json.dumps({line.get_label(): max(map(int, line.get_ydata())) for line in plt.gca().lines}))
"""
_LABELS_DRAWN = """
print("; ".join(text.get_text() for text in plt.gca().get_legend().get_texts()))
"""


def _page(root: Path) -> str:
    return (root / "adapters" / "tidegauge_spark" / "README.md").read_text(encoding="utf-8")


def _example(root: Path, name: str) -> NewFile:
    return next(step for step in steps_of(_page(root)) if isinstance(step, NewFile) and step.file == name)


def test_what_it_links_to_is_there(root: Path) -> None:
    linked = re.findall(r"\]\(([^)#:]+)\)", _page(root))
    assert len(linked) >= 3
    assert [one for one in linked if not (root / "adapters" / "tidegauge_spark" / one).exists()] == []


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_the_example_of_alignment_runs_as_printed(root: Path, tmp_path: Path) -> None:
    example = _example(root, "first_look.py")
    assert len(example.text.splitlines()) <= MOST_LINES
    program = tmp_path / example.file
    program.write_text(example.text + _MOST_DRAWN, encoding="utf-8")
    ran = subprocess.run([sys.executable, program.name], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "state.png").stat().st_size > 0
    most = json.loads(ran.stdout.splitlines()[-1])
    said = re.search(r"about (\d+) with alignment, ([\d,]+) without", _page(root))
    assert said is not None
    assert most["aligned"] <= 1.1 * int(said[1]) < most["not aligned"] / 10
    assert most["not aligned"] == pytest.approx(int(said[2].replace(",", "")), rel=0.1)


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_the_first_example_draws_what_the_page_says_is_lost(root: Path, tmp_path: Path) -> None:
    example = _example(root, "exact_windows.py")
    assert len(example.text.splitlines()) <= FIRST_MOST_LINES
    (tmp_path / example.file).write_text(example.text + _LABELS_DRAWN, encoding="utf-8")
    ran = subprocess.run([sys.executable, example.file], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "windows.png").stat().st_size > 0
    assert ran.stdout.splitlines()[-1] == (
        "load: 0 of 5,760 rows lost; withWatermark: 2,480 of 5,760 rows lost"
    )
    assert "load lost 0 of 5,760 rows, withWatermark 2,480" in _page(root)


@pytest.mark.slower
@pytest.mark.xdist_group("spark")
def test_the_example_of_own_operators_prints_what_the_page_says(root: Path, tmp_path: Path) -> None:
    example = _example(root, "own_windows.py")
    assert len(example.text.splitlines()) <= MOST_LINES
    (tmp_path / example.file).write_text(example.text, encoding="utf-8")
    ran = subprocess.run([sys.executable, example.file], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    page = _page(root)
    printed = page[page.index(example.text) :].split("```text\n")[1].split("```")[0]
    assert printed.split() == ran.stdout.split()
