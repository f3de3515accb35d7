"""`tidegauge expect`: what the specification demands in any scenario."""

from typing import Annotated

import typer
from rich.table import Table

from ..components.wording import outputs_text, setup_text, step_text
from ..judging.reference.oracle import expect as expected_of
from ..judging.reference.profiles import profile_of
from ..wire.scenario import BadInput
from ..wire.steps.job import JobScenario
from .console import OUT, complains
from .given_scenarios import Given, given_scenarios
from .terminal_text import inline


@complains
def expect(
    scenarios: Given,
    profile: Annotated[str, typer.Option(metavar="PROFILE", help="What to measure against.")] = "core",
) -> None:
    """Print step by step what the reference outputs in scenarios, your own or those of the kit.

    Exit code 0: the outputs are printed.
    2: bad input.
    """
    policies = profile_of(profile).policies
    for scenario in given_scenarios(scenarios, policies):
        if isinstance(scenario, JobScenario):
            raise BadInput(
                f"{scenario.id} is a whole job, which is judged by its event log: nothing is expected "
                "step by step"
            )
        expectation = expected_of(scenario, policies)
        table = Table(box=None, pad_edge=False)
        for column in ("", "step", "expected"):
            table.add_column(column)
        for number, (step, outputs) in enumerate(zip(scenario.history, expectation.outputs, strict=True), 1):
            table.add_row(str(number), inline(step_text(step)), inline(outputs_text(outputs)))
        OUT.print(f"{inline(scenario.id)}: {inline(setup_text(scenario))}, profile {profile}", soft_wrap=True)
        OUT.print(table)
        OUT.print()
