"""A copy of the reference package under another name, with one module's source changed."""

import importlib
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.resources import files
from types import CodeType, ModuleType

from tidegauge_reference import errors

_REFERENCE = "tidegauge_reference"
_ERRORS = "errors"
_REFUSALS = ("IllegalArgument", "IllegalState", "Unsupported")


def reference_source(module: str) -> str:
    """The source of a module of the reference."""
    return (files(_REFERENCE) / f"{module}.py").read_text(encoding="utf-8")


def load_copy(name: str, sources: Mapping[str, str], module: str) -> ModuleType:
    """Import `module` of a copy of the reference named `name`, in which the modules of `sources` have that
    source instead of their own. The copy shares nothing with the original, its citations neither, but the
    exceptions by which a step is refused: those are the kit's answers. It is whole, since a component is built of
    modules that its own module does not import."""
    finder = _CopyFinder(name, sources)
    sys.meta_path.insert(0, finder)
    try:
        for each in _modules():
            importlib.import_module(f"{name}.{each}")
        return importlib.import_module(f"{name}.{module}")
    finally:
        sys.meta_path.remove(finder)


def forget_copy(name: str) -> None:
    """Release the modules of a copy. Its engines work on, but their snapshots cannot be pickled any more."""
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


class _CopyFinder(MetaPathFinder, Loader):
    """Serves the modules of one copy."""

    def __init__(self, name: str, sources: Mapping[str, str]) -> None:
        self._name = name
        self._sources = sources

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A specification for the copy's package and modules, for nothing else."""
        package, _, module = fullname.partition(".")
        if package != self._name:
            return None
        return ModuleSpec(fullname, self, is_package=not module)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's own or changed source; the package itself is left empty, and `errors` has the
        original's classes."""
        _, _, name = module.__name__.partition(".")
        if name == _ERRORS:
            module.__dict__.update({error: getattr(errors, error) for error in _REFUSALS})
        elif name:
            changed = self._sources.get(name)
            code = _own_code(name) if changed is None else _compiled(changed, module.__name__)
            exec(code, module.__dict__)


@cache
def _modules() -> tuple[str, ...]:
    """The names of the reference's modules, without the package itself."""
    names = (entry.name for entry in files(_REFERENCE).iterdir())
    modules = {name.removesuffix(".py") for name in names if name.endswith(".py")}
    return tuple(sorted(modules - {"__init__"}))


@cache
def _own_code(module: str) -> CodeType:
    """A module as it is, compiled once for all copies."""
    return _compiled(reference_source(module), f"{_REFERENCE}.{module}")


def _compiled(source: str, name: str) -> CodeType:
    code: CodeType = compile(source, f"<{name}>", "exec", dont_inherit=True)
    return code
