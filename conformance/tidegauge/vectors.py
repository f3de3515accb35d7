"""Published vectors: scenarios under stable ids with the transcripts that are right."""

from functools import cache

import msgspec
from msgspec import Struct

from tidegauge_reference import Policies
from tidegauge_spec import vector_lines

from .scenario import Scenario
from .transcript import Outputs


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
    scenario: Scenario
    expected: tuple[PublishedTranscript, ...]


@cache
def load_vectors(component: str) -> tuple[Vector, ...]:
    """The published vectors of a component, in the order of the file."""
    return tuple(msgspec.json.decode(line, type=Vector) for line in vector_lines(component))


def published_outputs(vector: Vector, policies: Policies) -> list[Outputs] | None:
    """What is right under `policies`; None if the vector says nothing about them."""
    for transcript in vector.expected:
        if all(getattr(policies, name) == value for name, value in transcript.policies.items()):
            return list(transcript.outputs)
    return None
