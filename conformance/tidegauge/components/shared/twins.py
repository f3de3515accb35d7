"""Scenarios that must come out alike: with an equal part beside another, with other names."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import asdict, replace

from ...wire.scenario import Scenario
from ...wire.transcript import Transcript, same_outputs
from ...wire.vocabulary import AnyOutput, Error
from ..property import Holds
from .naming import names_in, with_names
from .properties import outputs_of


def said(transcript: Transcript) -> tuple[AnyOutput, ...]:
    """What came out, without refusals."""
    return tuple(output for output in outputs_of(transcript) if not isinstance(output, Error))


def as_with_one(_: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
    """Whether the twin's outputs are the same; refusals may come twice."""
    first, twin = map(said, transcripts)
    return same_outputs(first, twin) if first or twin else None


def reversed_names(scenario: Scenario, fields: tuple[str, ...]) -> dict[str, str]:
    """New names for all in these fields, which sort the other way round."""
    known = sorted({name for one in (scenario.setup, *scenario.history) for name in names_in(one, fields)})
    return {name: f"{len(known) - place:02}-{name}" for place, name in enumerate(known)}


def renamed(fields: tuple[str, ...]) -> Callable[[Scenario], list[Scenario]]:
    """Makes the variant of a scenario with other names."""

    def variants(scenario: Scenario) -> list[Scenario]:
        named = partial(with_names, fields=fields, others=reversed_names(scenario, fields))
        return [replace(scenario, setup=named(scenario.setup), history=tuple(map(named, scenario.history)))]

    return variants


def as_renamed(fields: tuple[str, ...]) -> Callable[[Sequence[Scenario], Sequence[Transcript]], Holds]:
    """Whether outputs are the same but for the names, wherever these stand in them."""

    def holds(scenarios: Sequence[Scenario], transcripts: Sequence[Transcript]) -> Holds:
        others = reversed_names(scenarios[0], fields)
        first = tuple(_told(output, others) for output in outputs_of(transcripts[0]))
        twin = tuple(_told(output, {}) for output in outputs_of(transcripts[1]))
        return same_outputs(first, twin) if first else None

    return holds


def _told(output: AnyOutput, others: Mapping[str, str]) -> AnyOutput:
    """The output with other names: as a whole text, before a slash, and in lists, which are put in order."""
    changed: dict[str, Any] = {}
    for field, value in asdict(output).items():
        if isinstance(value, tuple):
            changed[field] = tuple(sorted(others.get(one, one) for one in value))
        elif field == "to" and "/" in value:
            name, _, number = value.rpartition("/")
            changed[field] = f"{others.get(name, name)}/{number}"
    return replace(output, **changed) if changed else output
