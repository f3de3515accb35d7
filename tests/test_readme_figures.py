"""The figures of the README about wrong engines are those of the kit."""

from __future__ import annotations

from pathlib import Path

from tidegauge.detection.syntax_mutants import load_syntax_mutants
from tidegauge.mutants import load_mutants
from tidegauge.mutants.known_bugs import load_known_bugs


def test_wrong_engines_are_counted_right(root: Path) -> None:
    readme = " ".join((root / "README.md").read_text(encoding="utf-8").split())
    named = load_mutants()
    jobs = sum(mutant.component == "job" for mutant in named.values())
    assert f"{len(named)} named wrong engines are part of the kit" in readme
    assert f"{len(named) - jobs} of {len(named) - jobs}, on each of 5 seeds" in readme
    assert f"whole jobs | {jobs} of {jobs} |" in readme
    assert f"of {len(load_known_bugs())} real defects" in readme
    assert f"Of {len(load_syntax_mutants()):,} small changes" in readme
