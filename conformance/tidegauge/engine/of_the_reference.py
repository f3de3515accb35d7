"""Engines with the methods of the reference, which are not in all components named as the steps."""

from ..components.registry import COMPONENTS
from ..wire.vocabulary import Setup
from .adapter import Calls, ComponentAdapter


class OfTheReference(ComponentAdapter):
    """The reference, or a changed copy of it: called as each component's binding says."""

    def method_problems(self, setup: Setup) -> list[str]:
        """None: nothing else is called than what is there."""
        return []

    def _calls(self, name: str) -> Calls:
        return COMPONENTS[name].calls
