"""Golden vectors: scenarios under stable ids, each with its title, its reason and its expected outputs."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from tidegauge_reference import Policies
from tidegauge_spec import load_registry, read_policies, vector_versions, vectors_document

from ..components.registry import COMPONENTS
from ..wire.input_file import read_input
from ..wire.scenario import UNREADABLE, BadInput, ComponentScenario, component_of, problems
from ..wire.steps.job import JobScenario
from ..wire.timestamps import in_words
from ..wire.transcript import Outputs
from ..wire.unknown_names import unknown

OWN = "own"
"""In place of a version: the vectors of a user, which are in no version."""

Text = Annotated[str, Meta(min_length=1)]
"""A text that must be there."""


class PublishedTranscript(Struct, frozen=True, forbid_unknown_fields=True):
    """The outputs of each step, right wherever the named policies have these values."""

    policies: dict[str, str]
    outputs: tuple[Outputs, ...]


class Vector(Struct, frozen=True, forbid_unknown_fields=True):
    """A scenario with its expected outputs, under each value of the policies that they depend on.

    `title` says what happens, `reason` why an engine must get it right. `source` names the statements,
    defects or tests that the vector comes from. `rules` are those that it shows.
    """

    id: str
    title: Text
    reason: Text
    source: Text
    rules: tuple[str, ...]
    scenario: ComponentScenario
    expected: tuple[PublishedTranscript, ...]


_DECODER = msgspec.json.Decoder(tuple[Vector, ...])


@cache
def load_vectors(component: str, version: str | None = None) -> tuple[Vector, ...]:
    """The published vectors of a component that a version added (None: of all versions, the oldest first),
    in the order of the document."""
    if version is None:
        return tuple(vector for one in vector_versions() for vector in load_vectors(component, one))
    return _DECODER.decode(vectors_document(component, version))


def every_vector() -> Iterator[Vector]:
    """All published vectors."""
    for component in COMPONENTS:
        yield from load_vectors(component)


@cache
def own_vectors(folders: tuple[str, ...]) -> tuple[Vector, ...]:
    """The vectors in a user's folders, all their `*.json`. Raises `BadInput`."""
    found: dict[str, Vector] = {}
    for folder in map(Path, folders):
        vectors = [vector for file in vector_files(folder) for vector in read_vector_file(file)]
        if not vectors:
            raise no_vectors_in(folder)
        for vector in vectors:
            if found.setdefault(vector.id, vector) is not vector:
                raise BadInput(f"the vector {vector.id!r} in {folder} is there twice: leave one out")
    return tuple(found.values())


def no_vectors_in(folder: Path) -> BadInput:
    """The complaint about a user's folder without any."""
    return BadInput(f"{folder} holds no vectors; `tidegauge promote FILE --into {folder}` makes them")


def vectors_added(component: str, version: str, folders: tuple[str, ...] = ()) -> tuple[Vector, ...]:
    """The vectors of a component that a version added, or the user's (`OWN`) of these folders."""
    if version == OWN:
        return tuple(vector for vector in own_vectors(folders) if component_of(vector.scenario) == component)
    return load_vectors(component, version)


def published_outputs(vector: Vector, policies: Policies) -> list[Outputs] | None:
    """What is right under `policies`; None if the vector says nothing about them."""
    for transcript in vector.expected:
        if all(getattr(policies, name) == value for name, value in transcript.policies.items()):
            return list(transcript.outputs)
    return None


def vector_files(folder: Path) -> list[Path]:
    """The documents of vectors in a folder. Raises `BadInput`."""
    try:
        return sorted(entry for entry in folder.iterdir() if entry.suffix == ".json")
    except OSError as error:
        raise BadInput(f"folder of vectors {folder} cannot be read: {error.strerror}") from None


def read_vector_file(file: Path) -> tuple[Vector, ...]:
    """The vectors of a document. Raises `BadInput` naming the file, the place and what is wrong."""
    vectors = decode_vectors(file)
    for vector in vectors:
        for problem in vector_problems(vector):
            raise BadInput(f"{file}, vector {vector.id!r}: {problem}")
    return vectors


def decode_vectors(file: Path) -> tuple[Vector, ...]:
    """The vectors of a document, whatever their problems (`vector_problems`). Raises `BadInput`."""
    try:
        return _DECODER.decode(read_input(file).removeprefix(BOM_UTF8))
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}") from None
    except UNREADABLE as error:
        raise BadInput(f"{file}: not an array of vectors: {in_words(error)}") from None


def vector_problems(vector: Vector) -> Iterator[str]:
    """What is wrong with a vector beyond the types of its fields."""
    if isinstance(vector.scenario, JobScenario):
        yield "a whole job is no vector: it is judged by its event log - at `$.scenario`"
    if vector.scenario.id != vector.id:
        yield f"the scenario's id {vector.scenario.id!r} is not {vector.id!r} - at `$.scenario.id`"
    for problem in problems(vector.scenario):
        yield f"{problem}, in `$.scenario`"
    for rule in vector.rules:
        if rule not in load_registry().rules:
            listed = "`tidegauge rules` lists them"
            yield f"{unknown('rule', rule, load_registry().rules, listed)} - at `$.rules`"
    for transcript in vector.expected:
        if len(transcript.outputs) != len(vector.scenario.history):
            steps = len(vector.scenario.history)
            yield f"outputs of {len(transcript.outputs)} steps, not of {steps} - at `$.expected`"
        for policy, value in transcript.policies.items():
            if policy not in read_policies() or value not in read_policies()[policy].values:
                yield f"unknown policy {policy!r} or value {value!r} - at `$.expected`"
