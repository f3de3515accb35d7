"""A vector from a scenario that a run has found: the reference says what is right in it."""

import hashlib
import re
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from tidegauge_reference import CORE
from tidegauge_spec import load_registry

from ..judging.reference.oracle import Expectation, expect
from ..vectors import Vector
from ..wire.base_scenario import Origin
from ..wire.scenario import BadInput, Scenario, component_of
from ..wire.steps.job import JobScenario
from .written import published

_NAME = re.compile(r"[A-Za-z0-9-]+(/[A-Za-z0-9-]+)*")
_DIGITS = 10


def promoted(
    scenario: Scenario,
    broken_rule: str | None = None,
    *,
    id: str | None = None,
    title: str | None = None,
    source: str | None = None,
) -> Vector:
    """The vector of a scenario. It shows `broken_rule` if that decides in it, else the rules that decide in
    its last step. Raises `BadInput` for a scenario that cannot be a vector."""
    if isinstance(scenario, JobScenario):
        raise BadInput(
            f"{scenario.id!r} is a whole job, which is judged by its event log and has no expected outputs: "
            "a job for every run goes into components/job/jobs.py"
        )
    if not scenario.history:
        raise BadInput(f"{scenario.id!r} has no steps: nothing comes out, so it shows nothing")
    name = _checked_id(id, scenario) if id is not None else content_id(scenario)
    origin = source or f"found by a run as {scenario.origin.of or scenario.id}"
    built = replace(scenario, id=name, origin=Origin("vector", of=origin))
    try:
        under_core = expect(built, CORE)
        expected = published(built, under_core.outputs)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise BadInput(f"the reference cannot run {scenario.id!r}: {problem}; correct its setup") from None
    rules = _shown(under_core, broken_rule)
    if not rules:
        raise BadInput(f"no rule decides anything in {scenario.id!r}, so it shows nothing")
    return Vector(name, title or _title(rules), origin, rules, built, expected)


def content_id(scenario: Scenario) -> str:
    """The id that a scenario gets from its setup and history, always the same: `valve/found-3f9a1c20be`."""
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


def _shown(expectation: Expectation, broken_rule: str | None) -> tuple[str, ...]:
    steps = [_in_order(decision.removesuffix("!") for decision in step) for step in expectation.cited]
    if broken_rule is not None and any(broken_rule in step for step in steps):
        return (broken_rule,)
    return next((step for step in reversed(steps) if step), ())


def _in_order(rules: Iterable[str]) -> tuple[str, ...]:
    decided = set(rules)
    return tuple(rule for rule in load_registry().rules if rule in decided)


def _title(rules: Sequence[str]) -> str:
    registry = load_registry()
    return "; ".join(registry.rules[rule].title for rule in rules)
