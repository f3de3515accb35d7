"""The engine that a command is asked to run scenarios on."""

from collections.abc import Iterable

from msgspec.structs import replace

from tidegauge_reference import Policies

from ..components.within import outside_of_shapes
from ..engine.adapter import Adapter
from ..engine.loading import describe, load_adapter
from ..judging.reference.profiles import chosen_profile, shapes_under
from ..run.request import Request
from ..run.request_check import checked
from ..wire.implementation import Implementation
from ..wire.scenario import BadInput, Scenario, component_of


def chosen_engine(request: Request) -> tuple[Adapter, Implementation, Policies]:
    """The adapter of the request, what it says of itself, and the policies of the profile.

    Raises `BadInput`."""
    request = checked(request)
    engine = load_adapter(request.adapter, request.options)
    implementation = describe(request.adapter, engine)
    profile = chosen_profile(request.profile, implementation)
    shapes = shapes_under(profile, implementation.shapes)
    return engine, replace(implementation, shapes=shapes), profile.policies


def check_claims(scenarios: Iterable[Scenario], engine: Adapter, implementation: Implementation) -> None:
    """Raise `BadInput` if a scenario needs what the engine does not claim, lies outside of its shape, or is
    not expressed by its adapter."""
    for scenario in scenarios:
        missing = {component_of(scenario), *scenario.needs} - set(implementation.capabilities)
        if missing:
            needed = ", ".join(sorted(missing))
            raise BadInput(
                f"scenario {scenario.id!r} needs {needed}, which {implementation.name} does not claim"
            )
        if lacking := outside_of_shapes(scenario, implementation.shapes):
            raise BadInput(
                f"scenario {scenario.id!r} lies outside of the shape of {implementation.name}: {lacking}"
            )
        if (hidden := engine.inexpressible(scenario)) is not None:
            raise BadInput(f"the adapter of {implementation.name} does not express {scenario.id!r}: {hidden}")
