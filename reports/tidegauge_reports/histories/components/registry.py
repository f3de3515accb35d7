"""How the histories of each component of the kit are drawn.

A component's drawing is in the module of this folder that has its name, as a constant of that name: `VALVE`
in `valve.py`. A component without such a module is drawn with the names of its steps alone.
"""

from importlib import import_module
from importlib.util import find_spec

from tidegauge.components.registry import COMPONENTS

from .drawing import STEPS_ALONE, Drawing


def _drawing(component: str) -> Drawing:
    module = f"{__package__}.{component}"
    if find_spec(module) is None:
        return STEPS_ALONE
    drawing: Drawing = getattr(import_module(module), component.upper())
    return drawing


DRAWINGS = {name: _drawing(name) for name, component in COMPONENTS.items() if component.drawn}
"""The drawings by component. Whole jobs, which are not drawn at random, have a picture of their own."""
