"""A digest of everything that determines the drawn scenarios and their expected outputs."""

import hashlib
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.resources import files
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

_PACKAGES = ("tidegauge", "tidegauge_reference", "tidegauge_spec")

_DRAWING = ("tidegauge_reference", "tidegauge.components", "tidegauge.drawing", "tidegauge.judging.reference")
"""The modules that draw scenarios and determine their expected outputs."""


@cache
def source_digest() -> str | None:
    """Return a digest of every installed file of the kit, the reference and the specification; None if a
    package is not a folder."""
    digest = hashlib.sha256(sys.version.encode())
    for package in _PACKAGES:
        folder = files(package)
        if not isinstance(folder, Path):
            return None
        for file in sorted(_files(folder)):
            digest.update(f"\0{package}/{file.relative_to(folder)}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def does_as_its_source() -> bool:
    """Return whether the functions that draw, and the functions of the reference, are the functions in the
    files.

    A test or an engine under test may replace functions in memory. The digest then does not describe this
    process. Mutants do not matter: each is a copy of the reference under another name.
    """
    return all(
        _is_in(codes, _code_in_memory(module, qualified))
        for module, functions in _functions_of_modules()
        for qualified, codes in functions.items()
    ) and not any(_has_foreign_functions(module) for module, _ in _functions_of_modules())


def _files(folder: Path) -> Iterator[Path]:
    return (file for file in folder.rglob("*") if file.is_file() and file.parent.name != "__pycache__")


@cache
def _functions_of_modules() -> Sequence[tuple[ModuleType, Mapping[str, Sequence[CodeType]]]]:
    """Return each module that draws, with the code of the functions in its file by qualified name."""
    return [
        (module, _functions_in_the_file(name, module))
        for name, module in list(sys.modules.items())
        if any(name == one or name.startswith(f"{one}.") for one in _DRAWING)
    ]


def _functions_in_the_file(name: str, module: ModuleType) -> Mapping[str, Sequence[CodeType]]:
    found: dict[str, list[CodeType]] = {}
    pending = [SourceFileLoader(name, str(module.__file__)).get_code(name)]
    while pending:
        code = pending.pop()
        for one in code.co_consts if code is not None else ():
            if isinstance(one, CodeType) and "<" not in one.co_qualname:
                pending.append(one)
                if one.co_flags & inspect.CO_OPTIMIZED:  # the body of a class is not a function
                    found.setdefault(one.co_qualname, []).append(one)
    return found


def _code_in_memory(module: ModuleType, qualified: str) -> CodeType | None:
    """Return the code that a qualified name refers to now, without its decorators."""
    found: Any = module
    for name in qualified.split("."):
        found = inspect.getattr_static(found, name, None)
    if isinstance(found, staticmethod | classmethod):
        found = found.__func__
    found = getattr(found, "fget", None) or getattr(found, "func", None) or found
    return getattr(inspect.unwrap(found), "__code__", None)


def _is_in(codes: Sequence[CodeType], code: CodeType | None) -> bool:
    """Return whether the code is one of `codes`. Pytest rewrites functions with assertions; their place
    identifies them."""
    if code is None or code in codes:
        return code is not None
    is_rewritten = any(name.startswith("@py") for name in (*code.co_names, *code.co_varnames))
    return is_rewritten and any(_place(code) == _place(one) for one in codes)


def _place(code: CodeType) -> tuple[object, ...]:
    return code.co_filename, code.co_firstlineno, code.co_qualname


def _has_foreign_functions(module: ModuleType) -> bool:
    """Return whether a module has a function of a package that it cannot have imported."""
    known = {*_PACKAGES, *sys.stdlib_module_names, "msgspec"}
    owners = (one.__module__ for one in vars(module).values() if isinstance(one, FunctionType))
    return any(str(owner).partition(".")[0] not in known for owner in owners)
