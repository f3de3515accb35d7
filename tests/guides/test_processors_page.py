"""The page about stateful processors, played as a reader plays it; its table of checks."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT
from played_page import VARIES, Command, played, steps_of

from tidegauge_adapters.processors.checks import CHECKS

PAGE = (ROOT / "adapters" / "PROCESSORS.md").read_text(encoding="utf-8")
PARTS = ("A tumbling count", "Deduplication")


@pytest.mark.slower
@pytest.mark.parametrize("part", PARTS)
def test_every_printed_line_is_what_is_printed(part: str, tmp_path: Path) -> None:
    differing = played(PAGE, tmp_path, part)
    assert not differing, "\n".join(differing)


def test_all_steps_are_in_parts_that_are_played_and_little_of_what_is_printed_varies() -> None:
    steps = steps_of(PAGE)
    assert len(steps) == sum(len(steps_of(PAGE, part)) for part in PARTS)
    for step in steps:
        if isinstance(step, Command):
            assert step.shown, f"{step.text} prints nothing"
            assert sum(VARIES in line for line in step.shown) <= 1


def test_the_table_has_all_checks_in_their_order() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert [row.rpartition(" | ")[0] for row in rows] == [
        f"| `{check.name}` | {check.demands} | {check.excludes}" for check in CHECKS
    ]
