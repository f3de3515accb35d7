"""The reference is small pure Python: the standard library and itself, by relative imports."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import grimp

import tidegauge_reference

PACKAGE = Path(tidegauge_reference.__file__).parent


def imported_from_elsewhere(source: str) -> set[str]:
    """The top-level names that absolute imports of a module name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(str(node.module).partition(".")[0])
    return found


def test_the_reference_needs_the_standard_library_only() -> None:
    graph = grimp.build_graph("tidegauge_reference", include_external_packages=True, cache_dir=None)
    top_levels = {module.split(".")[0] for module in graph.modules}
    assert "tidegauge_reference" in top_levels
    assert top_levels - {"tidegauge_reference"} <= set(sys.stdlib_module_names)


def test_the_reference_names_itself_by_relative_imports_only() -> None:
    modules = sorted(PACKAGE.rglob("*.py"))
    assert len(modules) >= 7
    for module in modules:
        assert imported_from_elsewhere(module.read_text(encoding="utf-8")) <= set(sys.stdlib_module_names)


def test_an_absolute_import_of_the_reference_would_be_noticed() -> None:
    source = "import os.path\nfrom typing import Any\nfrom tidegauge_reference.valve import Valve\nfrom . import x\n"
    assert imported_from_elsewhere(source) == {"os", "typing", "tidegauge_reference"}
