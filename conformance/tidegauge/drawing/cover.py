"""State cover: every state of the reference that a small world can reach, followed by every two steps.

Smaller and stronger than all histories up to a length: its size is a statement about states.
"""

from contextlib import suppress
from functools import lru_cache

from tidegauge_reference import Policies

from ..components.component import Component, CoverScope
from ..components.outside import step_outside
from ..components.shared.upstream import breach_of
from ..wire.base_scenario import Origin
from ..wire.scenario import Scenario
from ..wire.vocabulary import Step


class StateCover:
    """The scenarios of one scope: `states` × `steps`²; made one at a time, by index."""

    def __init__(self, component: Component, scope: CoverScope, policies: Policies) -> None:
        self.component = component
        self.scope = scope
        self.prefixes = _shortest_histories(component, scope, policies)
        self.pairs = len(scope.alphabet) ** 2

    def __len__(self) -> int:
        return len(self.prefixes) * self.pairs

    def scenario(self, index: int) -> Scenario:
        """The scenario at `index`: a state's shortest history, then two steps."""
        state, pair = divmod(index, self.pairs)
        first, second = divmod(pair, len(self.scope.alphabet))
        prefix = self.prefixes[state]
        return self.component.scenario(
            id=f"{self.component.name}:cover:{self.scope.name}:{index}",
            setup=self.scope.setup,
            history=(*prefix, self.scope.alphabet[first], self.scope.alphabet[second]),
            origin=Origin("cover", index=index, of=self.scope.name),
            groups=(len(prefix) + 1, 1),
        )


@lru_cache(maxsize=16)
def state_cover(component: Component, scope_name: str, policies: Policies) -> StateCover:
    """The cover of a component's scope, built once a process."""
    scopes = {scope.name: scope for group in component.covers.values() for scope in group}
    return StateCover(component, scopes[scope_name], policies)


def _shortest_histories(
    component: Component, scope: CoverScope, policies: Policies
) -> list[tuple[Step, ...]]:
    """Breadth first over the reference's own states: the shortest history to each."""
    found: dict[object, tuple[Step, ...]] = {component.reference(scope.setup, policies).state(): ()}
    frontier = list(found)
    shape = component.shape
    contract = shape.contract if shape is not None else ()
    while frontier and (scope.longest is None or len(found[frontier[0]]) < scope.longest):
        reached = []
        for state in frontier:
            for step in scope.alphabet:
                if contract and breach_of(contract, (*found[state], step)):
                    continue
                engine = component.reference(scope.setup, policies)
                engine.restore(state)
                if shape is not None and step_outside(component, shape, step, engine):
                    continue
                with suppress(ValueError, RuntimeError):
                    component.calls[type(step)](engine, step)
                after = engine.state()
                if after not in found:
                    found[after] = (*found[state], step)
                    reached.append(after)
        frontier = reached
    return list(found.values())
