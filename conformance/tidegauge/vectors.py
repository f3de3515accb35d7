"""Published vectors: scenarios under stable ids with the transcripts that are right."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from tidegauge_reference import Policies
from tidegauge_spec import load_registry, read_policies, vector_lines, vector_versions

from .components.registry import COMPONENTS
from .wire.scenario import BadInput, ComponentScenario, component_of, problems
from .wire.steps.job import JobScenario
from .wire.transcript import Outputs
from .wire.unknown_names import unknown

OWN = "own"
"""In place of a version: the vectors of a user, which are in no version."""


class PublishedTranscript(Struct, frozen=True, forbid_unknown_fields=True):
    """The outputs of each step, right wherever the named policies have these values."""

    policies: dict[str, str]
    outputs: tuple[Outputs, ...]


class Vector(Struct, frozen=True, forbid_unknown_fields=True):
    """A scenario, where it comes from, the rules it shows, and what is right under which policies."""

    id: str
    title: str
    source: str
    rules: tuple[str, ...]
    scenario: ComponentScenario
    expected: tuple[PublishedTranscript, ...]


_DECODER = msgspec.json.Decoder(Vector)


@cache
def load_vectors(component: str, version: str | None = None) -> tuple[Vector, ...]:
    """The published vectors of a component that a version added (None: of all versions, the oldest first),
    in the order of the file."""
    if version is None:
        return tuple(vector for one in vector_versions() for vector in load_vectors(component, one))
    return tuple(_DECODER.decode(line) for line in vector_lines(component, version))


def every_vector() -> Iterator[Vector]:
    """All published vectors."""
    for component in COMPONENTS:
        yield from load_vectors(component)


@cache
def own_vectors(folders: tuple[str, ...]) -> tuple[Vector, ...]:
    """The vectors in a user's folders, all their `*.jsonl`. Raises `BadInput`."""
    found: dict[str, Vector] = {}
    for folder in map(Path, folders):
        try:
            files = sorted(entry for entry in folder.iterdir() if entry.suffix == ".jsonl")
        except OSError as error:
            raise BadInput(f"folder of vectors {folder} cannot be read: {error.strerror}") from None
        vectors = [vector for file in files for vector in read_vector_file(file)]
        if not vectors:
            raise BadInput(f"{folder} holds no vectors; `tidegauge promote FILE --into {folder}` makes them")
        for vector in vectors:
            if found.setdefault(vector.id, vector) is not vector:
                raise BadInput(f"the vector {vector.id!r} in {folder} is there twice: leave one out")
    return tuple(found.values())


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


def vector_schema() -> bytes:
    """The JSON Schema of a line."""
    schema = msgspec.json.format(msgspec.json.encode(msgspec.json.schema(Vector)), indent=1)
    return schema + b"\n"


def read_vector_file(file: Path) -> list[Vector]:
    """Read the vectors of a file. Raises `BadInput` naming file, line and what is wrong."""
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}") from None
    vectors = []
    for number, line in enumerate(lines, start=1):
        try:
            vector = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadInput(f"{file}, line {number}: not a vector: {error}") from None
        for problem in vector_problems(vector):
            raise BadInput(f"{file}, line {number}: {problem}")
        vectors.append(vector)
    return vectors


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
