"""A copy of the reference package under another name, with one module's source changed."""

import importlib
import sys
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.resources import files
from types import CodeType, ModuleType

from tidegauge_reference import errors, outputs, policies

_REFERENCE = "tidegauge_reference"
_SHARED: Mapping[str, ModuleType] = {"errors": errors, "outputs": outputs, "policies": policies}
"""Modules of names alone, which nothing changes: a refusal of a copy is the kit's own."""


@cache
def reference_source(module: str) -> str:
    """The source of a module of the reference."""
    return (files(_REFERENCE) / f"{module}.py").read_text(encoding="utf-8")


def load_copy(name: str, sources: Mapping[str, str], module: str) -> ModuleType:
    """Import `module` of a copy of the reference named `name`, in which the modules of `sources` have that
    source instead of their own. The copy shares nothing with the original, its citations neither, but modules
    that are names alone: exceptions, outputs, policies. Its other modules are imported when
    somebody asks for them (`components.shared.beside`), until it is forgotten."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    _FINDER.sources[name] = sources
    return importlib.import_module(f"{name}.{module}")


def forget_copy(name: str) -> None:
    """Release the modules of a copy. Its engines work on, but their snapshots cannot be pickled any more."""
    _FINDER.sources.pop(name, None)
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


class _CopyFinder(MetaPathFinder, Loader):
    """Serves the modules of copies: `sources` are the changed ones of each, by its name."""

    def __init__(self) -> None:
        self.sources: dict[str, Mapping[str, str]] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A specification for the packages and modules of copies, for nothing else."""
        package, _, module = fullname.partition(".")
        if package not in self.sources:
            return None
        return ModuleSpec(fullname, self, is_package=not module)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's own or changed source; the package itself is left empty, and what is shared has
        the original's names."""
        package, _, name = module.__name__.partition(".")
        if name in _SHARED and name not in self.sources[package]:
            names = vars(_SHARED[name])
            module.__dict__.update({one: names[one] for one in names if not one.startswith("__")})
        elif name:
            changed = self.sources[package].get(name)
            source = reference_source(name) if changed is None else changed
            exec(_compiled(source, f"<{_REFERENCE}.{name}>"), module.__dict__)


@lru_cache(1_000)
def _compiled(source: str, name: str) -> CodeType:
    """The code of a module. Many copies have the same text, the unchanged one or that of one small change."""
    code: CodeType = compile(source, name, "exec", dont_inherit=True)
    return code


_FINDER = _CopyFinder()
