"""The kit's own scenarios reach every branch of the reference: what is written down is put to the test."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from component_scenarios import DRAWN
from conftest import PATIENCE, ROOT, plain_environment

import tidegauge_reference
from tidegauge_spec import load_registry, read_policies

PACKAGE = Path(tidegauge_reference.__file__).parent

LINES_A_RULE = 14
"""So long may the reference be for each rule of the specification, besides the line that declares each policy."""

MEASURE = """
import sys
import coverage
from dataclasses import replace as other
measured = coverage.Coverage(branch=True, include=[sys.argv[1] + "/*"], data_file=None, config_file=False)
measured.start()
from msgspec.structs import replace
from component_scenarios import all_kinds
from tidegauge.components.job.jobs import JOBS, control
from tidegauge.judging.reference.oracle import expect
from tidegauge_reference import PROFILES
of_no_profile = other(
    PROFILES["core"],
    clock_backwards="clamped",
    align_failed_subtask="forgotten",
    window_late_at_watermark="in-time",
    window_order_at_a_watermark="by-creation",
    valve_flush_channels="all-channels",
    valve_returning_channel="holds-back",
    window_session_end="inclusive",
)
for component in sys.argv[3:]:
    for policies in (PROFILES["core"], PROFILES["flink-2.3"], of_no_profile):
        for scenario in all_kinds(component, policies):
            expect(scenario, policies)
short = replace(JOBS["short-subtask"].setup, until=2000, restarts=(1000,))
expect(replace(JOBS["short-subtask"], setup=short), PROFILES["core"])
for name in ("blocked-is-not-idle", "backpressured-is-not-idle", "window-state-restarted"):
    for scenario in (JOBS[name], control(JOBS[name])):
        expect(scenario, PROFILES["core"])
measured.stop()
measured.json_report(outfile=sys.argv[2])
"""

ONLY_BY_CALLERS = {
    "citation.py": "what the judge asks of it, not what a component does (test_reference_citations.py)",
}
"""Modules that are not a component's semantics."""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[Any]]]:
    """Missing lines and branches by file name, over the scenarios of all components and all jobs."""
    folder = tmp_path_factory.mktemp("coverage")
    report = folder / "coverage.json"
    subprocess.run(
        [sys.executable, "-c", MEASURE, str(PACKAGE), str(report), *DRAWN],
        cwd=folder,
        env=plain_environment() | {"PYTHONPATH": str(ROOT / "tests" / "samples")},
        check=True,
        timeout=PATIENCE,
    )
    files = json.loads(report.read_text(encoding="utf-8"))["files"]
    return {Path(name).name: found for name, found in files.items()}


@pytest.mark.slower
@pytest.mark.parametrize("module", sorted(path.name for path in PACKAGE.glob("*.py")))
def test_every_branch_is_reached(measured: dict[str, dict[str, list[Any]]], module: str) -> None:
    """All but the refusals of constructors: the wire form has no setup that cannot be built."""
    if module in ONLY_BY_CALLERS:
        return
    refusals = refusals_of_constructors((PACKAGE / module).read_text(encoding="utf-8"))
    assert set(measured[module]["missing_lines"]) <= refusals
    assert {target for _, target in measured[module]["missing_branches"]} <= refusals


def refusals_of_constructors(source: str) -> set[int]:
    """The lines of `raise` statements in constructors."""
    constructors = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name in ("__init__", "__post_init__")
    ]
    return {
        line
        for constructor in constructors
        for node in ast.walk(constructor)
        if isinstance(node, ast.Raise)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def test_the_reference_stays_small() -> None:
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.glob("*.py")}
    longest = LINES_A_RULE * len(load_registry().rules) + len(read_policies())
    assert sum(lengths.values()) <= longest, lengths
    assert max(lengths.values()) <= 300, lengths
