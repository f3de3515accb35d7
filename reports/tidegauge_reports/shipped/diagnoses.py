"""The diagnoses that come with Tidegauge: what a run says of an engine that behaves like each named mutant.

They are one document, a line for each mutant. `python -m tidegauge_reports.shipped --diagnoses` renews them.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from tidegauge.components.registry import load_mutants
from tidegauge.detection.mutant_diagnosis import can_be_diagnosed, diagnosis_of
from tidegauge.mutants.mutant import Mutant
from tidegauge.wire.results import ComponentResult

from .freshness import diagnosis_digest

FILE_NAME = "diagnoses.json"


class Diagnosis(Struct, frozen=True):
    """What is said of a mutant: the model, and for each of its terms the smallest scenario that shows it, in
    words. `made_from` is the `diagnosis_digest` of its component at that time."""

    made_from: str
    result: ComponentResult
    scenarios: dict[str, str]


def diagnosed_mutants() -> list[Mutant]:
    """The mutants that have a diagnosis, in the order in which the kit lists them."""
    return [mutant for mutant in load_mutants().values() if can_be_diagnosed(mutant)]


def diagnose(mutant: Mutant) -> Diagnosis:
    """The diagnosis of a mutant as it is recorded; takes seconds."""
    return Diagnosis(diagnosis_digest(mutant.component), *diagnosis_of(mutant))


def diagnoses_document() -> bytes:
    """The document that is installed, undecoded."""
    return files(__package__).joinpath(FILE_NAME).read_bytes()


def decode_diagnoses(document: bytes) -> dict[str, Diagnosis]:
    """The diagnoses of a document, by the mutant's name."""
    return msgspec.json.decode(document, type=dict[str, Diagnosis])


def encode_diagnoses(diagnoses: Mapping[str, Diagnosis]) -> bytes:
    """The document of these diagnoses: a line for each mutant, in the order of the names."""
    lines = [
        msgspec.json.encode(name) + b":" + msgspec.json.encode(diagnoses[name], order="deterministic")
        for name in sorted(diagnoses)
    ]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


@cache
def load_diagnoses() -> dict[str, Diagnosis]:
    """The recorded diagnoses by the mutant's name."""
    return decode_diagnoses(diagnoses_document())


def fresh_diagnosis(mutant: Mutant) -> Diagnosis | None:
    """The recorded diagnosis of a mutant; None if there is none, or if it was made from something else than
    what there is."""
    found = load_diagnoses().get(mutant.name)
    return found if is_fresh(mutant, found) else None


def is_fresh(mutant: Mutant, diagnosis: Diagnosis | None) -> bool:
    """Whether there is a diagnosis of a mutant, made from what there is."""
    return diagnosis is not None and diagnosis.made_from == diagnosis_digest(mutant.component)
