"""A digest of all that decides which scenarios are drawn and what the reference outputs in them."""

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
"""The modules that draw scenarios and know what is expected in them."""


@cache
def source_digest() -> str | None:
    """Return a digest of each file of the kit, the reference and the specification, as they are installed;
    None if the packages are no folders."""
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
    """Return whether the functions that draw, and those of the reference, are the ones in the files.

    A test may replace them in memory, or an engine under test; then the digest does not describe what this
    process does. Mutants do not count: each is a copy of the reference under another name.
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
    """Each module that draws, with the code of its functions in its file, by their qualified names."""
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
                if one.co_flags & inspect.CO_OPTIMIZED:  # the body of a class is no function
                    found.setdefault(one.co_qualname, []).append(one)
    return found


def _code_in_memory(module: ModuleType, qualified: str) -> CodeType | None:
    """The code of what has that name now, behind its decorators."""
    found: Any = module
    for name in qualified.split("."):
        found = inspect.getattr_static(found, name, None)
    if isinstance(found, staticmethod | classmethod):
        found = found.__func__
    found = getattr(found, "fget", None) or getattr(found, "func", None) or found
    return getattr(inspect.unwrap(found), "__code__", None)


def _is_in(codes: Sequence[CodeType], code: CodeType | None) -> bool:
    """Whether a function has one of these codes. Pytest rewrites functions that assert something: they are
    known by their place."""
    if code is None or code in codes:
        return code is not None
    is_rewritten = any(name.startswith("@py") for name in (*code.co_names, *code.co_varnames))
    return is_rewritten and any(_place(code) == _place(one) for one in codes)


def _place(code: CodeType) -> tuple[object, ...]:
    return code.co_filename, code.co_firstlineno, code.co_qualname


def _has_foreign_functions(module: ModuleType) -> bool:
    """Whether a name of a module stands for a function of a module that it cannot have imported."""
    known = {*_PACKAGES, *sys.stdlib_module_names, "msgspec"}
    owners = (one.__module__ for one in vars(module).values() if isinstance(one, FunctionType))
    return any(str(owner).partition(".")[0] not in known for owner in owners)
