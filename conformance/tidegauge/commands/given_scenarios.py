"""The scenarios that a command is given: a file, the name of a scenario, or a rule."""

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from tidegauge_reference import Policies
from tidegauge_spec import load_registry

from ..run.named_scenarios import named_scenarios, scenario_named
from ..vectors.published import every_vector
from ..wire.scenario import BadInput, Scenario, read_scenario_file
from ..wire.shapes import AnyShape
from ..wire.unknown_names import closest

_MARK = re.compile(r"\+[0-9a-f]{8}(?=:)")
"""The mark of a shape in the id of a scenario."""

Given = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIOS",
        help="A file of scenarios as JSON lines, such as a counterexample; or the name of a golden vector, "
        "a job or a drawn scenario (valve:seed:1:17: seed 1, index 17); or a rule, for its golden vectors.",
    ),
]


def is_file_name(written: str) -> bool:
    """Return whether a file gives the scenarios."""
    return os.path.exists(written)  # `Path.exists` raises if a name is too long for a file


def given_scenarios(written: str, policies: Policies, shapes: tuple[AnyShape, ...] = ()) -> list[Scenario]:
    """The scenarios of a file, the one of a name, drawn under `policies` within `shapes`, or the golden
    vectors of a rule. Raises `BadInput`."""
    if is_file_name(written):
        return read_scenario_file(Path(written))
    named = scenario_named(written, policies, shapes=shapes)
    if named is not None:
        return [named]
    if scenario_named(_MARK.sub("", written), policies) is not None:
        another = "was drawn within another shape than that of this engine"
        raise BadInput(f"{written!r} {another}; give the file of the scenario")
    rule = load_registry().rules.get(written.upper())
    if rule is not None:
        shown: list[Scenario] = [one.scenario for one in every_vector() if rule.id in one.rules]
        if not shown:
            raise BadInput(f"no golden vector shows {rule.id}; `tidegauge explain {rule.id}` says what does")
        return shown
    close = closest(written, [*(one.id for one in named_scenarios()), *load_registry().rules])
    question = f"; did you mean {close!r}?" if close is not None else ": give one of these"
    raise BadInput(f"{written!r} is no file, and neither the name of a scenario nor a rule{question}")
