"""Faulty source subtasks that only scenarios of scale detect."""

from typing import Any

from tidegauge_reference.citation import cite

from ...mutants.mutant import Mutant, at_scale


def _names_of_64_characters(self: Any, split: str) -> Any:
    alike = any(split[:64] == known[:64] for known in self.assigned)
    self._refuse(split == "" or alike, f"split {split!r} has no name or is assigned already")
    self.assigned |= {split}
    self.alignment.reassigned |= {split} & self.alignment.paused
    if not (self.settings.per_split_outputs or self.apart):
        return self._deliver("", [])
    self._open(split)
    return self._send("splits", self.splits.add(split))


def _every_256th_report(self: Any) -> Any:
    self.intervals = getattr(self, "intervals", 0) + 1
    if cite("SOURCE-4", not self.settings.aligned) or self.intervals % 256 == 0:
        return []
    return self._reported(self.state() if self.may_fail else ())


SOURCE_MUTANTS_OF_SCALE = (
    at_scale(
        "names",
        Mutant(
            "source-names-of-64-characters",
            "source",
            "source_operator",
            ("SOURCE-16",),
            "a column of fixed width",
            "Splits are merged if the first 64 characters of their names are the same.",
            functions=(("SourceOperator.assign", _names_of_64_characters),),
        ),
    ),
    at_scale(
        "repeated",
        Mutant(
            "source-every-256th-report",
            "source",
            "source_operator",
            ("SOURCE-6",),
            "a counter of 8 bits",
            "Every 256th report is not sent.",
            functions=(("SourceOperator.report", _every_256th_report),),
        ),
    ),
)
