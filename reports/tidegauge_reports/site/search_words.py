"""The words by which a rule is found: its own, its bugs and mutants, its vectors, and names as engines write
them (`withIdleness`)."""

import re
from functools import cache
from importlib.resources import files

import msgspec

from tidegauge_spec import load_registry

from .dossier import Dossier


def search_words(told: Dossier) -> str:
    """What the search looks at, in lower case."""
    rule = told.rule
    bugs = [bug for wrong in told.wrong_engines for bug in wrong.bugs] + list(told.other_bugs)
    words = [
        *(rule.id, rule.title, rule.sentence, rule.component, *rule.sources, *rule.policies),
        *(wrong.mutant.name for wrong in told.wrong_engines),
        *(word for bug in bugs for word in (bug.id, *bug.also, bug.system)),
        *(vector.id for vector in told.vectors),
        *_steps(told),
        *_names_of_chapter(load_registry().chapters[rule.component].rules[0].file),
    ]
    return " ".join(dict.fromkeys(" ".join(words).lower().split()))


def _steps(told: Dossier) -> list[str]:
    """The steps of the rule's vectors, as builders in Java are called: `with-idleness` is withIdleness."""
    names = {msgspec.to_builtins(step)["step"] for vector in told.vectors for step in vector.scenario.history}
    return sorted(name.replace("-", "") for name in names if "-" in name)


@cache
def _names_of_chapter(file: str) -> tuple[str, ...]:
    """The names in code that a chapter gives before its first rule: `WatermarksWithIdleness`."""
    text = (files("tidegauge_spec") / "chapters" / file).read_text(encoding="utf-8")
    head = text.partition("\n## ")[0]
    return tuple(re.findall(r"`([A-Za-z]+)`", head))
