"""Engines that are distributions of Python, for the tests that cannot do without, and single scenarios on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

import pytest

from tidegauge import ComponentAdapter
from tidegauge.components.registry import COMPONENTS
from tidegauge.components.within import outside_of_shapes
from tidegauge.engine.runner import run
from tidegauge.judging.reference.oracle import expect
from tidegauge.wire.base_scenario import Origin
from tidegauge.wire.steps.window import WindowSetup
from tidegauge.wire.transcript import Outputs
from tidegauge.wire.vocabulary import Step
from tidegauge_reference import CORE


def python_engine(name: str, options: Mapping[str, str]) -> ComponentAdapter:
    """The adapter `name`. Without its package the test fails, and says what to do."""
    try:
        module = import_module(f"tidegauge_adapters.{name}.adapter")
    except ImportError as error:
        pytest.fail(f"{error}; tox -e engines installs it", pytrace=False)
    adapter: ComponentAdapter = getattr(module, f"{name.capitalize()}Adapter")(options)
    return adapter


@dataclass(frozen=True)
class Difference:
    """The first step in which an engine differs from the reference under `core`, and the rules that have decided
    until then."""

    step: int
    expected: Outputs
    got: Outputs
    rules: frozenset[str]


def first_difference(
    adapter: ComponentAdapter, setup: WindowSetup, steps: Sequence[Step]
) -> Difference | None:
    """Put a scenario within the shape of the engine through the engine and the reference."""
    scenario = COMPONENTS["window"].scenario(
        id="own", setup=setup, history=tuple(steps), origin=Origin("own")
    )
    assert outside_of_shapes(scenario, adapter.shapes) == ""
    (transcript,) = run(adapter, [scenario])
    assert transcript is not None
    assert transcript.failure is None, transcript.failure
    expectation = expect(scenario, CORE)
    decided: set[str] = set()
    for step, (expected, got) in enumerate(zip(expectation.outputs, transcript.outputs, strict=True)):
        decided |= {decision.removesuffix("!") for decision in expectation.cited[step]}
        if tuple(expected) != tuple(got):
            return Difference(step, tuple(expected), tuple(got), frozenset(decided))
    return None
