"""What the page of the playground asks, JSON in and JSON out. This runs in the browser; the answers are those
of the kit's own code, as for `tidegauge expect`."""

import json
from typing import Any

import msgspec

from tidegauge.components.registry import COMPONENTS
from tidegauge.components.wording import outputs_text, setup_text
from tidegauge.judging.reference.oracle import Expectation, expect
from tidegauge.vectors.published import Vector, every_vector
from tidegauge.wire.scenario import BadInput, Scenario, component_of, encode_scenario, read_scenarios
from tidegauge.wire.steps.job import JobScenario
from tidegauge.wire.steps.window import Sliding
from tidegauge.wire.timestamps import needs_int64
from tidegauge.wire.vocabulary import Restore, Snapshot
from tidegauge_reference import PROFILES
from tidegauge_spec import load_registry, read_policies

from ..histories.timeline import scenario_svg
from ..site.addresses import rule_address
from ..wording import outputs_words, step_words
from . import catalogue

ID = "playground"
"""The id of a scenario that is no golden vector."""

_MOST_WINDOWS = 1_000
"""So many windows may a record be in: the page waits for the answer."""

Wire = dict[str, Any]


def offered() -> str:
    """Components, setups, steps and profiles that can be chosen."""
    return json.dumps(catalogue.catalogue())


def golden_vector(name: str) -> str:
    """The scenario of a golden vector, or `problem`."""
    found = next((vector for vector in every_vector() if vector.id == name), None)
    if found is None:
        return json.dumps({"problem": f"{name!r} is no golden vector"})
    return encode_scenario(found.scenario).decode()


def pasted(text: str, component: str, setup: str) -> str:
    """Lines of JSON as `{"component", "setup", "history"}`: scenarios, of which the last counts, or steps on
    the component and `setup` that are given; or `problem`."""
    try:
        return json.dumps(_read(text, component, json.loads(setup)))
    except RecursionError:
        return json.dumps({"problem": "nested too deeply: scenarios and steps have few levels"})
    except (BadInput, ValueError, TypeError) as error:
        return json.dumps({"problem": str(error)})


def play(scenario: str, profile: str, beside: str = "") -> str:
    """What the reference outputs in a scenario, `{"component", "setup", "history"}`, under a profile, and
    where the profile `beside` differs (empty: none); or `problem`, one line that names the place."""
    try:
        return json.dumps(_played(_scenario(json.loads(scenario)), profile, beside))
    except (BadInput, ValueError) as error:
        return json.dumps({"problem": str(error).removeprefix(f"{ID}, line 1: ")})


def _read(text: str, component: str, setup: Any) -> Wire:
    read: Wire = {"component": component, "setup": setup, "history": []}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError as error:
            raise BadInput(f"line {number} is not JSON: {error}") from None
        if not isinstance(found, dict) or not found.keys() & {"component", "step"}:
            raise BadInput(f"line {number} is neither a scenario (with component) nor a step (with step)")
        if "component" in found:
            read = {name: found.get(name) for name in ("component", "setup", "history")}
            if not isinstance(read["history"], list):
                raise BadInput(f"line {number}: a scenario has a history, a list of steps")
        else:
            read["history"].append(found)
    _scenario(read)
    return read


def _scenario(given: Wire) -> Scenario:
    """The scenario that is given, with the capabilities that its steps need; the golden vector's own if it
    does the same. Raises `BadInput`."""
    if not isinstance(given, dict):
        raise BadInput("not a scenario: an object with component, setup and history")
    wire = {"id": ID, **{name: given.get(name) for name in ("component", "setup", "history")}}
    scenario = _decoded({**wire, "needs": ["snapshot", "int64"]})
    needs = [
        *(["snapshot"] if any(isinstance(step, Snapshot | Restore) for step in scenario.history) else ()),
        *(["int64"] if any(map(needs_int64, scenario.history)) else ()),
    ]
    scenario = _decoded({**wire, **({"needs": needs} if needs else {})})
    if isinstance(scenario, JobScenario):
        raise BadInput("whole jobs are judged by their event logs: nothing is expected step by step")
    _check_kinds(scenario)
    _check_windows(scenario)
    same = _same(scenario)
    return scenario if same is None else same.scenario


def _check_kinds(scenario: Scenario) -> None:
    """Rejects steps of another kind of setup with `BadInput`."""
    kinds = COMPONENTS[component_of(scenario)].kinds
    possible = kinds.get(type(scenario.setup))
    for number, step in enumerate(scenario.history):
        if possible is not None and not isinstance(step, (*possible, Snapshot, Restore)):
            names = ", ".join(str(kind.__struct_config__.tag) for kind in possible)
            raise BadInput(f"this setup has no such step, but {names} - at `$.history[{number}].step`")


def _check_windows(scenario: Scenario) -> None:
    """Rejects with `BadInput` what would keep the page busy for long."""
    assigner = getattr(scenario.setup, "assigner", None)
    if isinstance(assigner, Sliding) and assigner.size // assigner.slide > _MOST_WINDOWS:
        raise BadInput(f"more than {_MOST_WINDOWS:,} windows for each record - at `$.setup.assigner`")


def _decoded(wire: Wire) -> Scenario:
    return next(iter(read_scenarios([json.dumps(wire).encode()], ID)))


def _same(scenario: Scenario) -> Vector | None:
    """The golden vector with this setup and these steps."""
    return next(
        (
            vector
            for vector in every_vector()
            if component_of(vector.scenario) == component_of(scenario)
            and vector.scenario.setup == scenario.setup
            and vector.scenario.history == scenario.history
        ),
        None,
    )


def _played(scenario: Scenario, profile: str, beside: str) -> Wire:
    here = expect(scenario, PROFILES[profile])
    there = expect(scenario, PROFILES[beside]) if beside else here
    wire = json.loads(encode_scenario(scenario))
    outputs = json.loads(msgspec.json.encode(here.outputs))
    others = json.loads(msgspec.json.encode(there.outputs))
    steps = json.loads(msgspec.json.encode(scenario.history))
    return {
        "line": json.dumps(wire, separators=(",", ":")),  # ASCII: it is pasted into terminals
        "id": scenario.id,
        "setup": setup_text(scenario),
        "picture": scenario_svg(wire, outputs) if steps else "",
        "steps": [
            {
                "words": step_words(steps[number]),
                "outputs": outputs[number],
                "expected": outputs_words(outputs[number]),
                "beside": "" if others[number] == outputs[number] else outputs_words(others[number]),
                "text": outputs_text(here.outputs[number]),
                "rules": _rules(here.cited[number]),
            }
            for number in range(len(steps))
        ],
        "policies": _differences(profile, beside, here, there) if beside else [],
    }


def _rules(cited: tuple[str, ...]) -> list[Wire]:
    """The rules that decide a step, each with its place on the site."""
    known = load_registry().rules
    rules = [known[name] for name in dict.fromkeys(cited) if name in known]
    return [{"id": rule.id, "title": rule.title, "address": rule_address(rule.id)} for rule in rules]


def _differences(profile: str, beside: str, here: Expectation, there: Expectation) -> list[Wire]:
    """The policies in which two profiles differ, of the rules that decide in the scenario."""
    rules = load_registry().rules
    decided = {name for one in (here, there) for cited in one.cited for name in cited}
    relevant = {policy for name in decided & rules.keys() for policy in rules[name].policies}
    return [
        {
            "name": name,
            "meaning": policy.meaning,
            "here": policy.profiles[profile],
            "there": policy.profiles[beside],
        }
        for name, policy in read_policies().items()
        if name in relevant and policy.profiles[profile] != policy.profiles[beside]
    ]
