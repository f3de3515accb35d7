"""The other modules of the copy of the reference that a component is built from.

The reference under a known deviation and a mutant are changed copies of the whole reference. A component
composed of several modules takes all of them from one copy: otherwise the change stays outside of it.
"""

import importlib
from typing import Any


def beside(module: Any, name: str) -> Any:
    """The module `name` of the package that `module` is in: the reference, or a copy of it."""
    return importlib.import_module(f"{module.__package__}.{name}")
