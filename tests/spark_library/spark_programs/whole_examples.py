"""The programs of `examples/` as a user runs them, whole: `tox -e examples`, some minutes; needs matplotlib.

A small run of one of them is in `test_spark_examples.py`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"
PNG = b"\x89PNG\r\n\x1a\n"
LONGEST = 540

TABLES = {
    "aligned_two_sources": {
        "rows": (2400, 2400),
        "rows in results": (2400, 2400),
        "sources apart, at most (s)": (60, 601),
        "rows in state, at most": (136, 528),
    },
    "idle_partition": {
        "rows": (164, 164, 164),
        "rows in results": (120, 50, 96),
        "rows lost, since too late": (0, 0, 56),
        "rows that wait in open windows": (44, 114, 12),
        "watermark at the end (s)": (47, 19, 62),
    },
    "backlog_catch_up": {
        "micro-batches until it has caught up": (4, 29),
        "results published until the next one": (8, 240),
        "rows counted in the end": (2540, 3040),
    },
}
"""What each program prints, the same at each run: the clock is a virtual one."""


@pytest.mark.timeout(LONGEST + 60)
@pytest.mark.parametrize("name", TABLES)
def test_an_example_prints_its_table_and_leaves_nothing_but_its_plot(name: str, tmp_path: Path) -> None:
    temporary, output = tmp_path / "temporary", tmp_path / "output"
    temporary.mkdir()
    found = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), str(output)],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
    )
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    assert table_of(found.stdout) == TABLES[name]
    plot = output / f"{name}.png"
    assert plot.read_bytes().startswith(PNG)
    assert plot.stat().st_size > 20_000
    assert [path.name for path in output.iterdir()] == [plot.name]
    assert {path.name for path in tmp_path.iterdir()} == {"temporary", "output"}
    left = [path for path in temporary.iterdir() if not path.name.startswith(("matplotlib-", "hsperfdata"))]
    assert left == []


def table_of(text: str) -> dict[str, tuple[int, ...]]:
    """Return the lines of a table that is all numbers: a name, two spaces, and the figures."""
    lines = (re.fullmatch(r"(\S.*?)((?:  +-?\d+)+)", line) for line in text.splitlines())
    return {line[1].rstrip(): tuple(map(int, line[2].split())) for line in lines if line}
