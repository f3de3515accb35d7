"""Published vectors in words: the setup, each step, and the expected outputs under which policies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from tidegauge.components.wording import setup_text
from tidegauge.vectors.published import PublishedTranscript, Vector
from tidegauge_spec import read_policies, read_profiles

from ..wording import outputs_words, step_words
from .addresses import vector_anchor


@dataclass(frozen=True)
class Expectation:
    """A column: the profiles where it is right, the policies it depends on, the outputs of each step."""

    profiles: tuple[str, ...]
    policies: Mapping[str, str]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class VectorTable:
    """A vector: its setup and steps in words, and a column for each published transcript."""

    vector: Vector
    anchor: str
    setup: str
    steps: tuple[str, ...]
    expected: tuple[Expectation, ...]


def as_wire(value: Any) -> Any:
    """Structs as JSON has them: objects, and lists where structs have tuples."""
    return msgspec.json.decode(msgspec.json.encode(value))


def vector_table(vector: Vector) -> VectorTable:
    """A vector in words."""
    return VectorTable(
        vector=vector,
        anchor=vector_anchor(vector.id),
        setup=setup_text(vector.scenario),
        steps=tuple(step_words(as_wire(step)) for step in vector.scenario.history),
        expected=tuple(map(_expectation, vector.expected)),
    )


def _expectation(transcript: PublishedTranscript) -> Expectation:
    policies = read_policies()
    profiles = tuple(
        profile
        for profile in read_profiles()
        if all(policies[name].profiles[profile] == value for name, value in transcript.policies.items())
    )
    outputs = tuple(outputs_words(as_wire(outputs)) for outputs in transcript.outputs)
    return Expectation(profiles, transcript.policies, outputs)
