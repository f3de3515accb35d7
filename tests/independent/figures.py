"""Figures on the verdicts: how many engines are caught, which rules are accused, which broken rules pass."""

from __future__ import annotations

import json
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .catalog import IndependentEngine


PRINTED = "printed.txt"
"""The file in the folder of a run that has what the command printed."""

_UNDER_REVIEW = re.compile(r"^First difference, in .*rule under review:\n([A-Z]+-\d+) ", re.MULTILINE)


@dataclass(frozen=True)
class Judged:
    """An independent engine and the verdicts on it.

    :param engine: The engine.
    :param verdicts: The verdict of each applicable rule, by id.
    :param under_review: The rule that the first difference named while the run went on; empty if none did.
    """

    engine: IndependentEngine
    verdicts: dict[str, str]
    under_review: str = ""

    def rules(self, verdict: str) -> set[str]:
        """Return the rules with this verdict."""
        return {rule for rule, given in self.verdicts.items() if given == verdict}

    @property
    def caught(self) -> bool:
        """Whether a rule fails or is a suspect."""
        return bool(self.rules("fail") | self.rules("suspect"))

    @property
    def broken(self) -> set[str]:
        """The broken rules that were judged."""
        return set(self.engine.broken) & set(self.verdicts)

    @property
    def accused(self) -> set[str]:
        """The broken rules that fail or are suspect."""
        return self.broken & (self.rules("fail") | self.rules("suspect"))

    @property
    def wrongly_failed(self) -> bool:
        """Whether rules fail, but no broken one is among them."""
        return bool(self.rules("fail")) and not self.rules("fail") & self.broken

    @property
    def passing(self) -> set[str]:
        """The broken rules that pass."""
        return self.broken & self.rules("pass")


def read(engine: IndependentEngine, folder: Path) -> Judged:
    """Read the verdicts from the folder of a run of the engine."""
    rules = json.loads((folder / "results.json").read_text(encoding="utf-8"))["rules"]
    verdicts = {rule["id"]: rule["verdict"] for rule in rules if rule["verdict"] != "not-applicable"}
    printed = folder / PRINTED
    first = _UNDER_REVIEW.search(printed.read_text(encoding="utf-8")) if printed.exists() else None
    return Judged(engine, verdicts, first[1] if first else "")


def figures(judged: Iterable[Judged]) -> Iterator[str]:
    """Yield the figures for `conformance/DETECTION.md`, a line each."""
    everyone = list(judged)
    caught = [one for one in everyone if one.caught]
    yield f"engines {len(everyone)}, caught {_share(len(caught), len(everyone))}"
    if not caught:
        return
    accused = sum(bool(one.accused) for one in caught)
    yield f"a broken rule is accused: {_share(accused, len(caught))} of those"
    reviewed = [one for one in caught if one.under_review]
    agreed = sum(one.verdicts[one.under_review] in ("fail", "suspect") for one in reviewed)
    yield f"the rule under review in the first difference is accused: {_share(agreed, len(reviewed))}"
    yield f"only innocent rules fail: {_share(sum(one.wrongly_failed for one in caught), len(caught))}"
    yield f"every broken rule passes: {sum(bool(one.broken) and one.broken == one.passing for one in caught)}"
    broken = sum(len(one.broken) for one in caught)
    yield f"broken rules that pass: {_share(sum(len(one.passing) for one in caught), broken)}"
    sizes = [len(one.rules("suspect")) for one in caught if one.rules("suspect")]
    median, most = statistics.median(sizes or [0]), max(sizes, default=0)
    yield f"suspects, where there are any: median {median}, most {most}"
    yield from _passes(caught)


def exceptions(judged: Iterable[Judged]) -> Iterator[str]:
    """Yield a line for each engine with a wrong verdict."""
    for one in judged:
        faults = [
            fault
            for fault, applies in {
                "not caught": not one.caught,
                "no broken rule accused": one.caught and not one.accused,
                "only innocent rules fail": one.wrongly_failed,
                f"{', '.join(sorted(one.passing))} passes": one.caught and one.passing,
            }.items()
            if applies
        ]
        if faults:
            breaks = ", ".join(sorted(one.engine.broken))
            accused = ", ".join(sorted(one.rules("fail"))) or "none"
            suspects = ", ".join(sorted(one.rules("suspect"))) or "none"
            yield (
                f"{one.engine.name} ({one.engine.component}): {'; '.join(faults)}. "
                f"Breaks {breaks}; fail {accused}; suspect {suspects}: {one.engine.defect}"
            )


def _passes(caught: list[Judged]) -> Iterator[str]:
    """Yield the share of unbroken rules that pass despite the defect, in all and by component."""
    passing: Counter[str] = Counter()
    innocent: Counter[str] = Counter()
    for one in caught:
        rules = set(one.verdicts) - one.broken
        innocent[one.engine.component] += len(rules)
        passing[one.engine.component] += len(rules & one.rules("pass"))
    yield f"rules not broken that pass: {_share(passing.total(), innocent.total())}"
    for component in sorted(innocent):
        yield f"  {component}: {_share(passing[component], innocent[component])}"


def _share(part: int, whole: int) -> str:
    """Return a count and its share of the whole in words."""
    return f"{part} of {whole} ({part / max(1, whole):.1%})"
