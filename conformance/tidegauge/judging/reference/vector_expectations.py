"""The expected outputs of a vector: what the reference outputs under all policies that matter in it."""

from dataclasses import fields, replace
from functools import cache
from typing import Any

from tidegauge_reference import CORE, PROFILES, Policies
from tidegauge_spec import read_policies

from ...vectors.published import PublishedTranscript
from ...wire.scenario import Scenario
from .oracle import expect


def expected_outputs(scenario: Scenario) -> tuple[PublishedTranscript, ...]:
    """The outputs under `core`, then those under each policy value and each profile that change them.

    Each transcript names every policy that matters in this scenario, with the value it is right under.
    """
    outputs = {policies: expect(scenario, policies).outputs for policies in policies_considered()}
    mattering = sorted(
        {
            name
            for profile in PROFILES.values()
            for name, changed in _one_policy_changed(profile)
            if expect(scenario, changed).outputs != outputs[profile]
        }
    )
    transcripts: dict[tuple[str, ...], PublishedTranscript] = {}
    for policies, given in outputs.items():
        values = {name: str(getattr(policies, name)) for name in mattering}
        transcripts.setdefault(tuple(values.values()), PublishedTranscript(values, tuple(given)))
    return tuple(transcripts.values())


@cache
def policies_considered() -> tuple[Policies, ...]:
    """`core`, then `core` with one policy changed, in every way, then the other profiles."""
    changed = [policies for _, policies in _one_policy_changed(CORE)]
    return tuple(dict.fromkeys((CORE, *changed, *PROFILES.values())))


@cache
def _one_policy_changed(base: Policies) -> tuple[tuple[str, Policies], ...]:
    """`base` with one policy changed, in every way, each with the name of that policy."""
    texts = read_policies()
    turned: Any = replace
    return tuple(
        (field.name, turned(base, **{field.name: value}))
        for field in fields(Policies)
        for value in texts[field.name].values
        if value != getattr(base, field.name)
    )
