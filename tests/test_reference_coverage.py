"""The kit's own scenarios reach every branch of the reference: what is written down is put to the test."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path

from conftest import plain_environment

from tidegauge_reference import valve

MEASURE = """
import sys
import coverage
measured = coverage.Coverage(branch=True, include=[sys.argv[1]], data_file=None, config_file=False)
measured.start()
from tidegauge.components.registry import COMPONENTS
from tidegauge.generation.cover import state_cover
from tidegauge.generation.histories import draw_history
from tidegauge.judging.oracle import expect
from tidegauge.plan import VOLUMES
from tidegauge_reference import PROFILES
component = COMPONENTS["valve"]
for policies in PROFILES.values():
    for scope in component.covers["default"]:
        cover = state_cover("valve", scope.name, policies)
        for index in range(0, len(cover), 11):
            expect(cover.scenario(index), policies)
    for index in range(VOLUMES["default"].histories // 8):
        expect(draw_history(component, 1, index, policies), policies)
measured.stop()
measured.json_report(outfile=sys.argv[2])
"""


def test_a_part_of_the_default_budget_reaches_every_branch_of_the_valve(tmp_path: Path) -> None:
    source = Path(valve.__file__)
    report = tmp_path / "coverage.json"
    measuring = [sys.executable, "-c", MEASURE, str(source), str(report)]
    subprocess.run(
        measuring, cwd=tmp_path, env=plain_environment(), check=True, timeout=120, capture_output=True
    )
    (found,) = json.loads(report.read_text(encoding="utf-8"))["files"].values()
    lines = source.read_text(encoding="utf-8").splitlines()
    missed = {lines[number - 1].strip() for number in found["missing_lines"]}
    only_without_channels = {
        line for line in missed if line.startswith('raise IllegalArgument(f"channels must be')
    }
    assert missed == only_without_channels, "a scenario has one channel at least; all else must be reached"
    refusal = next(n for n, line in enumerate(lines, 1) if line.strip() in only_without_channels)
    assert {target for _, target in found["missing_branches"]} <= {refusal}
    assert found["summary"]["num_branches"] > 40
    assert inspect.getsource(valve.Valve.__init__).count("raise") == 1
