"""The figures of the README about wrong engines are those of the kit."""

from __future__ import annotations

from pathlib import Path

from tidegauge.components.registry import load_mutants
from tidegauge.detection.conditions import Conditions
from tidegauge.detection.listed_mutants import load_equivalents, load_survivors
from tidegauge.judging.changes.syntax_mutants import SyntaxMutant, load_syntax_mutants
from tidegauge.mutants.known_bugs import load_known_bugs
from tidegauge.mutants.loading import forget_copy


def test_wrong_engines_are_counted_right(root: Path) -> None:
    readme = " ".join((root / "README.md").read_text(encoding="utf-8").split())
    named = load_mutants()
    jobs = sum(mutant.component == "job" for mutant in named.values())
    assert f"{len(named)} named wrong engines are part of the kit" in readme
    assert f"{len(named) - jobs} of {len(named) - jobs}, on each of 5 seeds" in readme
    assert f"whole jobs | {jobs} of {jobs} |" in readme
    assert f"of {len(load_known_bugs())} real defects" in readme


def test_small_changes_are_counted_right(root: Path) -> None:
    readme = " ".join((root / "README.md").read_text(encoding="utf-8").split())
    every, equivalent = load_syntax_mutants(), load_equivalents()
    wrong_at_most = [mutant for name, mutant in every.items() if name not in equivalent]
    not_loadable = [mutant for mutant in wrong_at_most if _runs_when_loaded(mutant) and not _loads(mutant)]
    wrong = len(every) - len(equivalent) - len(not_loadable)
    caught = wrong - len(load_survivors())
    assert caught >= 0.97 * wrong
    assert f"| small changes | {caught:,} of {wrong:,} ({100 * caught / wrong:.1f} %) |" in readme
    assert f"Of {len(every):,} small changes {len(equivalent)} change nothing" in readme
    assert f"and {len(not_loadable)} are no engines at all" in readme


def _runs_when_loaded(mutant: SyntaxMutant) -> bool:
    """Whether it changes a module or a class, not a function."""
    innermost = mutant.name.partition(":")[0].rpartition(".")[2]
    return innermost == mutant.module or innermost[0].isupper()


def _loads(mutant: SyntaxMutant) -> bool:
    try:
        mutant.load(Conditions(mutant.components[0]).entry)
    except Exception:
        return False
    finally:
        forget_copy(mutant.copy_name)
    return True
