"""Whether an engine in this process has the methods that will be called, asked before anything is run."""

from collections.abc import Collection

from tidegauge_reference import Policies

from ..components.registry import COMPONENTS
from ..engine.adapter import Adapter, ComponentAdapter
from ..judging.items.preflight import preflight_scenarios
from ..wire.scenario import BadInput

_MOST_NAMED = 4


def check_shape(name: str, adapter: Adapter, components: Collection[str], policies: Policies) -> None:
    """Raises `BadInput` if an engine of one of the components lacks a method, or has one with other
    arguments."""
    if not isinstance(adapter, ComponentAdapter):
        return
    found: list[str] = []
    for component in sorted(components):
        scenarios = preflight_scenarios(COMPONENTS[component], policies, COMPONENTS[component].extras)
        by_kind = {type(scenario.setup): scenario.setup for scenario in scenarios}
        for setup in by_kind.values():
            found += adapter.shape_problems(setup)
    if found:
        more = f"; {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        raise BadInput(
            f"adapter {name!r}: {'; '.join(found[:_MOST_NAMED])}{more}. `tidegauge init` writes all methods "
            "of a component; what an engine cannot do raises tidegauge.Unsupported"
        )
