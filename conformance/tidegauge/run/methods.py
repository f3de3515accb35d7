"""Whether an engine in this process has the methods that will be called, asked before anything is run."""

from collections.abc import Collection

from tidegauge_reference import Policies

from ..components.within import component_within
from ..engine.adapter import Adapter, ComponentAdapter
from ..engine.contained import own_adapter
from ..judging.items.preflight import preflight_scenarios
from ..wire.scenario import BadInput
from ..wire.shapes import AnyShape

_MOST_NAMED = 4


def check_methods(
    name: str,
    adapter: Adapter,
    components: Collection[str],
    policies: Policies,
    shapes: tuple[AnyShape, ...],
) -> None:
    """Raises `BadInput` if an engine of one of the components lacks a method that scenarios within its shapes
    call, or has one with other arguments."""
    own = own_adapter(adapter)
    if not isinstance(own, ComponentAdapter):
        return
    found: list[str] = []
    for component in sorted(components):
        narrowed = component_within(component, shapes)
        scenarios = preflight_scenarios(narrowed, policies, narrowed.extras)
        by_kind = {type(scenario.setup): scenario.setup for scenario in scenarios}
        for setup in by_kind.values():
            found += own.method_problems(setup)
    if found:
        more = f"; {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        raise BadInput(
            f"adapter {name!r}: {'; '.join(found[:_MOST_NAMED])}{more}. `tidegauge init` writes all methods "
            "of a component; an engine without a feature declares that in `shapes`, and what it cannot do "
            "raises tidegauge.Unsupported"
        )
