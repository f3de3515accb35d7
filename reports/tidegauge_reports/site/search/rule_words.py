"""The names by which a rule is found: its bugs, mutants and vectors, and the names that engines use
(`withIdleness`)."""

import re
from functools import cache
from importlib.resources import files

import msgspec

from tidegauge_spec import load_registry

from ..dossier import Dossier


def rule_words(told: Dossier) -> str:
    """Return the names that belong to a rule, without duplicates, in their original case."""
    rule = told.rule
    bugs = [bug for wrong in told.wrong_engines for bug in wrong.bugs] + list(told.other_bugs)
    words = [
        *(rule.id, rule.component, *rule.sources, *rule.policies),
        *(wrong.mutant.name for wrong in told.wrong_engines),
        *(id for bug in bugs for id in (bug.id, *bug.also)),
        *(vector.id for vector in told.vectors),
        *_steps(told),
        *_names_of_chapter(load_registry().chapters[rule.component].rules[0].file),
    ]
    return " ".join(dict.fromkeys(words))


def _steps(told: Dossier) -> list[str]:
    """Return the steps of the rule's vectors as names of Java methods: `withIdleness` for `with-idleness`."""
    names = {msgspec.to_builtins(step)["step"] for vector in told.vectors for step in vector.scenario.history}
    return sorted(re.sub(r"-(\w)", lambda letter: letter[1].upper(), name) for name in names if "-" in name)


@cache
def _names_of_chapter(file: str) -> tuple[str, ...]:
    """Return the names in code before the first rule of a chapter, such as `WatermarksWithIdleness`."""
    text = (files("tidegauge_spec") / "chapters" / file).read_text(encoding="utf-8")
    head = text.partition("\n## ")[0]
    return tuple(re.findall(r"`([A-Za-z]+)`", head))
