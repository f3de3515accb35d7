"""Files that are cut, changed or foreign, through every command that reads one: a fixed sample of the campaign
`python -m mutated_input.campaign`, and that it notices defects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PATIENCE, ROOT, plain_environment

CAMPAIGN = """
import sys
sys.path.insert(0, ".")
from mutated_input import campaign, mutations
{defect}
sys.argv[1:] = {arguments}
campaign.typer.run(campaign.main)
"""

DEFECTS = {
    "control characters are printed": (
        "import re, tidegauge.commands.console as at, tidegauge.commands.terminal_text as text\n"
        "at.UNSHOWABLE = text.UNSHOWABLE = re.compile('(?!)')\n"
        "mutations.TEXTS = (mutations.CONTROL,)",
        "replay",
        "a control character on std",
    ),
    "a reader raises what no command expects": (
        "import tidegauge.run.journal as at\nat.BadInput = KeyError",
        "report FOLDER",
        "exit code 4, documented are (0, 1, 2)",
    ),
    "a complaint is never cut": (
        "import tidegauge.commands.console as at\nat.LONGEST_COMPLAINT = 10**9",
        "execute",
        "bad input is a line of",
    ),
    "a page escapes nothing": (
        "import markupsafe, tidegauge_reports.pages.environment as at\n"
        "at.finalized = lambda value: markupsafe.Markup(value) if isinstance(value, str) else value\n"
        "mutations.TEXTS = (mutations.MARKUP,)",
        "report FILE",
        "unescaped markup in report.html",
    ),
}
"""A defect, the command that shows it, and what the campaign says."""


@pytest.fixture(scope="module")
def a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run whose journal and results are mutated."""
    out = tmp_path_factory.mktemp("a-run") / "out"
    engine = (
        "--adapter",
        "mutant:clock-milliseconds",
        "--component",
        "clock",
        "--budget",
        "smoke",
        "-n",
        "1",
    )
    subprocess.run(
        [sys.executable, "-m", "tidegauge", "run", *engine, "--out", str(out)],
        env=plain_environment(),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    return out


def campaign(a_run: Path, out: Path, *arguments: str, defect: str = "") -> subprocess.CompletedProcess[str]:
    """The campaign, in a kit with a defect if so."""
    given = [*arguments, "--seed", "1", "--quick", "--run", str(a_run), "--out", str(out)]
    return subprocess.run(
        [sys.executable, "-c", CAMPAIGN.format(defect=defect, arguments=given)],
        cwd=ROOT / "tests",
        env=plain_environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )


@pytest.mark.slower
def test_mutated_files_end_in_one_harmless_line_or_in_what_is_documented(a_run: Path, tmp_path: Path) -> None:
    ended = campaign(a_run, tmp_path, "--files", "200", "--anew", "100")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "200 mutated files" in ended.stdout
    assert "2 of them given to a new Python" in ended.stdout


@pytest.mark.slower
@pytest.mark.parametrize("defect", DEFECTS)
def test_the_campaign_finds_a_defect(defect: str, a_run: Path, tmp_path: Path) -> None:
    source, only, said = DEFECTS[defect]
    ended = campaign(a_run, tmp_path, "--files", "60", "--only", only, "--anew", "1000", defect=source)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert said in ended.stdout
    assert list(tmp_path.glob("seed-1-file-*")), "the files are kept"
