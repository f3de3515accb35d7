"""Faulty combinations of splits and inputs that only scenarios of scale detect."""

from typing import Any

from tidegauge_reference.citation import cite
from tidegauge_reference.errors import IllegalArgument, IllegalState
from tidegauge_reference.splits import Part

from ...mutants.mutant import Mutant, at_scale


def _without_case(self: Any, name: Any) -> Any:
    alike = [known for known in self.parts if str(known).casefold() == str(name).casefold()]
    if cite("SPLIT-12", not alike):
        raise IllegalArgument(f"split or input {name!r} does not exist (SPLIT-12)")
    return self.parts[alike[0]]


def _numbers_in_a_byte(self: Any, name: Any) -> Any:
    if cite("SPLIT-12", name not in self.parts):
        raise IllegalArgument(f"split or input {name!r} does not exist (SPLIT-12)")
    return self.parts[name % 256 if isinstance(name, int) else name]


def _added_255_times(self: Any, split: str) -> Any:
    if cite("SPLIT-12", split in self.parts):
        raise IllegalState(f"split {split!r} is there already (SPLIT-12)")
    self.added = getattr(self, "added", 0) + 1
    if self.added <= 255:
        self.parts[split] = Part()
    return self._update(self.policies.split_membership == "next-update")


SPLITS_MUTANTS_OF_SCALE = (
    at_scale(
        "names",
        Mutant(
            "splits-finds-names-without-case",
            "splits",
            "splits",
            ("SPLIT-12",),
            "names in lower case",
            "The lookup of a split by its name ignores case.",
            functions=(("Combined._part", _without_case),),
        ),
    ),
    at_scale(
        "257-inputs",
        Mutant(
            "splits-inputs-in-a-byte",
            "splits",
            "splits",
            ("SPLIT-3",),
            "a number of 8 bits",
            "Steps on input 256 affect input 0.",
            functions=(("Combined._part", _numbers_in_a_byte),),
        ),
    ),
    at_scale(
        "over-and-over",
        Mutant(
            "splits-added-255-times",
            "splits",
            "splits",
            ("SPLIT-1",),
            "a counter of 8 bits",
            "Splits that are added after 255 assignments are not combined.",
            functions=(("SplitOutputs.add", _added_255_times),),
        ),
    ),
)
