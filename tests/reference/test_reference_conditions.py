"""No condition of the reference decides nothing: each that is cited, held true or held false, shows.

The judge turns decisions to see what an engine that breaks a rule would do. A condition that is only there to be
turned bends the reference, which has to read like the rules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache, partial

import pytest
from component_scenarios import DRAWN, drawn

from tidegauge.components.registry import COMPONENTS
from tidegauge.engine.in_process import InProcessSession
from tidegauge.judging.changes.syntax_mutants import MODULES, components_showing
from tidegauge.judging.changes.tree import is_citation
from tidegauge.judging.reference.oracle import expect
from tidegauge.judging.reference.vector_expectations import policies_considered
from tidegauge.mutants.loading import forget_copy, load_copy, reference_source
from tidegauge.vectors.published import load_vectors
from tidegauge.wire.scenario import Scenario
from tidegauge.wire.transcript import Outputs
from tidegauge_reference import CORE, PROFILES, Policies

Seen = tuple[Policies, Scenario, list[Outputs]]
"""Policies, a scenario, and what the reference outputs in it."""

READS_BETTER = {
    (
        "coordinator",
        "ALIGN-7",
        False,
    ): "the rule leaves `MAX` out of a minimum, which it would not change either",
    ("low_watermark", "LOW-4", True): "a task that no round awaits could be removed from a closed round, too",
}
"""Conditions without which the outputs would be the same: module, rule, the value it could always have."""


@cache
def seen(component: str) -> tuple[Seen, ...]:
    """Vectors and drawn histories under the profiles; under every other policy value those that it changes."""
    scenarios = [(policies, one) for policies in PROFILES.values() for one in histories(component, policies)]
    outputs = [(policies, one, expect(one, policies).outputs) for policies, one in scenarios]
    plain = [(one, expect(one, CORE).outputs) for one in histories(component, CORE)]
    for policies in policies_considered():
        if policies not in PROFILES.values():
            changed = [(one, given, expect(one, policies).outputs) for one, given in plain]
            outputs += [(policies, one, given) for one, core, given in changed if given != core]
    return tuple(outputs)


def histories(component: str, policies: Policies) -> list[Scenario]:
    return [*(vector.scenario for vector in load_vectors(component)), *drawn(component, 1000, policies)]


def held(module: str) -> Iterator[tuple[str, bool, str]]:
    """For each cited condition of a module and each value: its rule, the value, and the module's text in which
    the condition always has that value."""
    tree = ast.parse(reference_source(module))
    for node in ast.walk(tree):
        if is_citation(node) and len(node.args) == 2 and not isinstance(node.args[1], ast.Constant):
            condition = node.args[1]
            for value in (True, False):
                node.args[1] = ast.Constant(value)
                yield ast.unparse(node.args[0]).strip("'"), value, ast.unparse(tree)
            node.args[1] = condition


def shows(text: str, module: str, components: Sequence[str]) -> bool:
    """Whether the reference with `text` as its `module` outputs something else, or raises, in a scenario."""
    copy = "tidegauge_with_a_condition_held"
    try:
        for component in (COMPONENTS[name] for name in components):
            entry = load_copy(copy, {module: text}, component.module.__name__.rpartition(".")[2])
            for policies, scenario, expected in seen(component.name):
                build = partial(component.build, entry, scenario.setup, policies)
                try:
                    session = InProcessSession(build, component.calls)
                    differs = [session.step(step) for step in scenario.history] != expected
                except Exception:
                    differs = True
                if differs:
                    return True
    finally:
        forget_copy(copy)
    return False


@pytest.mark.slower
@pytest.mark.parametrize("module", [name for name in MODULES if name != "job"])
def test_a_cited_condition_decides_something(module: str) -> None:
    components = [name for name in components_showing(module) if name in DRAWN]
    idle = [
        (module, rule, value) for rule, value, text in held(module) if not shows(text, module, components)
    ]
    assert idle == [known for known in READS_BETTER if known[0] == module]


def test_a_condition_that_decides_nothing_is_found() -> None:
    """The test above can fail: a minimum by a condition that only a turned decision needs."""
    plain = 'self._advance(rule, smallest("VALVE-2", delivered))'
    bent = 'self._advance(rule, min(delivered) if cite("VALVE-2", len(delivered) > 1) else max(delivered))'
    source = reference_source("valve").replace(plain, bent)
    assert plain not in source
    always = source.replace("len(delivered) > 1", "True")
    assert not shows(always, "valve", ["valve"])
