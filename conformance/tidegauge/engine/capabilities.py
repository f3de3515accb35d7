"""What an engine can claim: a component, or a capability that scenarios of components need."""

from ..components.registry import COMPONENTS
from ..wire.implementation import Implementation
from ..wire.scenario import BadInput
from ..wire.unknown_names import unknown


def capabilities() -> tuple[str, ...]:
    """All there are: the components, and what each of them has beside its steps (its `extras`)."""
    extras = [extra for component in COMPONENTS.values() for extra in component.extras]
    return tuple(dict.fromkeys([*COMPONENTS, *extras]))


def check_capabilities(adapter: str, implementation: Implementation) -> None:
    """Refuse an engine that claims what is no capability. Raises `BadInput`: nothing would be judged by such
    a claim, and what was meant by it would be left out without a word."""
    known = capabilities()
    for claimed in implementation.capabilities:
        if claimed not in known:
            raise BadInput(f"adapter {adapter!r} claims an {unknown('capability', str(claimed), known)}")
