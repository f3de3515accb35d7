"""The valve tests that Apache Flink publishes, as facts: inputs, and the outputs that were checked on it.

Facts state outputs for spans of steps; the outputs of single steps come from the reference, after its spans
have been compared with the facts under the profile they belong to.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tidegauge_reference import CORE, FLINK_2_3, Policies

from ..judging.reference.oracle import expect
from ..vectors import PublishedTranscript, Vector
from ..wire.base_scenario import Origin
from ..wire.steps.valve import ActiveStep, IdleStep, ValveScenario, ValveSetup, ValveStep, WatermarkStep
from ..wire.timestamps import to_wire
from ..wire.transcript import Outputs
from ..wire.vocabulary import Active, Idle, Watermark

_RULES = {
    "SingleInputIncreasingWatermarks": ("VALVE-2",),
    "SingleInputDecreasingWatermarksYieldsNoOutput": ("VALVE-3",),
    "SingleInputWatermarkStatusToggling": ("VALVE-7", "VALVE-13", "VALVE-14"),
    "SingleInputWatermarksIntactDuringIdleness": ("VALVE-5", "VALVE-8"),
    "MultipleInputYieldsWatermarkOnlyWhenAllChannelsReceivesWatermarks": ("VALVE-1", "VALVE-2"),
    "MultipleInputIncreasingWatermarks": ("VALVE-2", "VALVE-4"),
    "MultipleInputDecreasingWatermarksYieldsNoOutput": ("VALVE-3", "VALVE-4"),
    "MultipleInputWatermarkStatusToggling": ("VALVE-7", "VALVE-13", "VALVE-14"),
    "MultipleInputWatermarkAdvancingWithPartiallyIdleChannels": ("VALVE-6",),
    "MultipleInputWatermarkAdvancingAsChannelsIndividuallyBecomeIdle": ("VALVE-6",),
    "MultipleInputFlushMaxWatermarkAndWatermarkStatusOnceAllInputsBecomeIdle": ("VALVE-15", "VALVE-16"),
    "MultipleInputWatermarkRealignmentAfterResumeActive": ("VALVE-9", "VALVE-10"),
    "NoOutputWhenAllActiveChannelsAreUnaligned": ("VALVE-11",),
    "UnalignedActiveChannelBecomesIdle": ("VALVE-6", "VALVE-11"),
    "MultipleInputFlushMaxWatermarkOnceAllInputsBecomeIdleWithUnalignedLastChannel": ("VALVE-15",),
    "WatermarkAdvancesWhenReactivatedChannelBecomesOnlyAlignedChannel": ("VALVE-12",),
    "RealignmentAfterResumeActiveEmitsNewMinWatermark": ("VALVE-12", "VALVE-15"),
}
_PROFILES = {"2.3.0": FLINK_2_3, "post-2.3.0:FLINK-40475": CORE}
_POLICIES = ("valve_flush_when_all_idle", "valve_minimum_when_active", "valve_minimum_when_idle")


class FactContradicted(ValueError):
    """The reference does not output what Flink's test says."""


def flink_vectors(lines: Iterable[str]) -> list[Vector]:
    """The vectors of Flink's valve tests, from the lines of `scenarios.jsonl`."""
    vectors: dict[str, Vector] = {}
    for line in lines:
        fact = json.loads(line)
        if fact["component"] != "status_watermark_valve":
            continue
        name = fact["source_test"].partition("#test")[2].partition(" ")[0]
        scenario = _scenario(name, fact)
        policies = _PROFILES[fact["applies_to"]]
        _check(scenario, fact, policies)
        vectors[name] = _vector(name, scenario)
    return list(vectors.values())


def _scenario(name: str, fact: dict[str, Any]) -> ValveScenario:
    history = tuple(_step(entry["do"], entry["args"]) for entry in fact["steps"] if "do" in entry)
    return ValveScenario(
        id=f"valve/flink-{name}",
        setup=ValveSetup(fact["setup"]["channels"]),
        history=history,
        origin=Origin("vector", of=f"StatusWatermarkValveTest#test{name}"),
        groups=(len(history) - 1, 1),
    )


def _step(name: str, arguments: dict[str, Any]) -> ValveStep:
    if name == "watermark":
        return WatermarkStep(arguments["channel"], to_wire(arguments["ts"]))
    channel = arguments["channel"]
    return IdleStep(channel) if arguments["status"] == "IDLE" else ActiveStep(channel)


def _check(scenario: ValveScenario, fact: dict[str, Any], policies: Policies) -> None:
    """Compare the reference with the fact's outputs, span by span."""
    produced = iter(expect(scenario, policies).outputs)
    since: list[Any] = []
    for entry in fact["steps"]:
        if "do" in entry:
            since += next(produced)
        elif "outputs" in entry["expect"]:
            wanted = [_output(output) for output in entry["expect"]["outputs"]]
            if since != wanted:
                raise FactContradicted(f"{fact['id']}: the reference outputs {since}, the fact is {wanted}")
            since = []


def _output(output: list[Any]) -> Watermark | Idle | Active:
    if output[0] == "watermark":
        return Watermark(to_wire(output[1]))
    return Idle() if output[1] == "IDLE" else Active()


def _vector(name: str, scenario: ValveScenario) -> Vector:
    """One expected transcript for each value of the policies that matter in this history."""
    under = {policies: expect(scenario, policies).outputs for policies in (CORE, _unfinished(FLINK_2_3))}
    title = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()
    return Vector(
        id=scenario.id,
        title=f"Flink's own test: {title}",
        source=f"StatusWatermarkValveTest#test{name}",
        rules=_RULES[name],
        scenario=scenario,
        expected=tuple(
            PublishedTranscript(values, tuple(outputs)) for values, outputs in _distinct(scenario, under)
        ),
    )


def _unfinished(policies: Policies) -> Policies:
    """No history here has a finished channel, so that policy stays as in `core`."""
    return replace(policies, valve_finished_channel=CORE.valve_finished_channel)


def _distinct(
    scenario: ValveScenario, under: dict[Policies, list[Outputs]]
) -> list[tuple[dict[str, str], list[Outputs]]]:
    core, other = under
    if under[core] == under[other]:
        return [({}, under[core])]
    mattering = []
    for name in _POLICIES:
        turned = replace(core, **{name: getattr(other, name)})
        if expect(scenario, turned).outputs != under[core]:
            mattering.append(name)
    return [
        ({name: getattr(policies, name) for name in mattering or _POLICIES}, outputs)
        for policies, outputs in under.items()
    ]
