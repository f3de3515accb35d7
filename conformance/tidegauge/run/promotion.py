"""How a scenario becomes a golden vector: the reference says which outputs are expected in it."""

import hashlib
import re
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from tidegauge_reference import CORE
from tidegauge_spec import load_registry

from ..judging.reference.oracle import expect
from ..judging.reference.vector_expectations import expected_outputs
from ..vectors.published import Vector
from ..wire.base_scenario import Origin
from ..wire.scenario import BadInput, Scenario, component_of
from ..wire.steps.job import JobScenario
from ..wire.unknown_names import unknown

_NAME = re.compile(r"[A-Za-z0-9-]+(/[A-Za-z0-9-]+)*")
_DIGITS = 10


def promoted(
    scenario: Scenario,
    broken_rule: str | None = None,
    *,
    id: str | None = None,
    title: str | None = None,
    reason: str | None = None,
    source: str | None = None,
    rules: Sequence[str] = (),
) -> Vector:
    """The vector of a scenario, with a text of its own for each text that is not given.

    Without `rules` it shows `broken_rule`, which some engine broke in it, if that decides in it, else the
    rules that act in its last step, or if none does those that decide there. Raises `BadInput` for a scenario
    that cannot be a vector.
    """
    if isinstance(scenario, JobScenario):
        raise BadInput(
            f"{scenario.id!r} is a whole job, which is judged by its event log and has no expected outputs: "
            "a job for every run goes into components/job/jobs.py"
        )
    if not scenario.history:
        raise BadInput(f"{scenario.id!r} has no steps and therefore no outputs to compare")
    shown = tuple(rules) or _shown(_decided(scenario), broken_rule)
    if not shown:
        raise BadInput(f"no rule decides anything in {scenario.id!r}, so it tests nothing")
    registry = load_registry().rules
    broken = broken_rule if broken_rule in shown else None
    for rule in shown:
        if rule not in registry:
            raise BadInput(unknown("rule", rule, registry, "`tidegauge rules` lists them"))
    return computed(
        Vector(
            id=_checked_id(id, scenario) if id is not None else content_id(scenario),
            title=title or "; ".join(registry[rule].title for rule in shown),
            reason=reason or _reason([registry[rule].intent for rule in shown], broken),
            source=source or f"found by a run as {scenario.origin.of or scenario.id}",
            rules=shown,
            scenario=scenario,
            expected=(),
        )
    )


def computed(vector: Vector) -> Vector:
    """The vector with everything in it that follows from the rest: the id and the origin of its scenario, and
    its expected outputs. Raises `BadInput` if the scenario or the rules cannot be."""
    origin = Origin("vector", of=vector.source)
    scenario = replace(vector.scenario, id=vector.id, origin=origin)
    decided = {decision.removesuffix("!") for step in _decided(scenario) for decision in step}
    for rule in vector.rules:
        if rule not in decided:
            raise BadInput(f"{rule} decides nothing in {vector.id!r}, which therefore does not show it")
    return replace(vector, scenario=scenario, expected=expected_outputs(scenario))


def content_id(scenario: Scenario) -> str:
    """The id that a scenario gets from its setup and steps, always the same: `valve/found-3f9a1c20be`."""
    return f"{_prefix(scenario)}found-{hashlib.sha256(content(scenario)).hexdigest()[:_DIGITS]}"


def content(scenario: Scenario) -> bytes:
    """What a scenario does, apart from its id and where it comes from."""
    done = (component_of(scenario), scenario.setup, scenario.history)
    return msgspec.json.encode(done, order="deterministic")


def same_content(scenario: Scenario, vectors: Iterable[Vector]) -> Vector | None:
    """The vector that does the same as `scenario`."""
    wanted = content(scenario)
    return next((vector for vector in vectors if content(vector.scenario) == wanted), None)


def _prefix(scenario: Scenario) -> str:
    return f"{component_of(scenario).replace('_', '-')}/"


def _checked_id(id: str, scenario: Scenario) -> str:
    prefix = _prefix(scenario)
    if not id.startswith(prefix) or not _NAME.fullmatch(id):
        raise BadInput(f"id {id!r}: the id of this vector is {prefix}NAME, of letters, digits and hyphens")
    return id


def _decided(scenario: Scenario) -> list[tuple[str, ...]]:
    """The decisions of each step under `core`."""
    try:
        return expect(scenario, CORE).cited
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise BadInput(f"the reference cannot run {scenario.id!r}: {problem}; correct its setup") from None


def _shown(decided: Sequence[tuple[str, ...]], broken_rule: str | None) -> tuple[str, ...]:
    """In the order of the registry. In most steps it is decided for many rules that they do not apply."""
    if broken_rule is not None and any({broken_rule, f"{broken_rule}!"} & {*step} for step in decided):
        return (broken_rule,)
    last = next((step for step in reversed(decided) if step), ())
    acting = {decision for decision in last if not decision.endswith("!")}
    shown = acting or {decision.removesuffix("!") for decision in last}
    return tuple(rule for rule in load_registry().rules if rule in shown)


def _reason(intents: Iterable[str], broken_rule: str | None) -> str:
    why = " ".join(intents)
    return f"An engine broke {broken_rule} here. {why}" if broken_rule is not None else why
