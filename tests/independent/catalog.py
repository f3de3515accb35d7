"""The catalog of independent engines: what each breaks, its class, and whether it was kept apart."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent

COLLECTIONS = ("outsider", "inputs", "services", "jobs")
"""The folders of engines, each by another author. Each folder is on the import path of its modules."""


@dataclass(frozen=True)
class IndependentEngine:
    """An engine with a defect.

    :param name: The name in the table `D` of the module.
    :param collection: The folder of the engine.
    :param module: The module of the engine's class, whose name is ``E`` and `name`.
    :param component: The component that is run.
    :param broken: The rules that the engine breaks, according to its author.
    :param defect: The defect, in a sentence.
    :param apart: Whether the engine was kept apart while the constants of the judgement were set.
    """

    name: str
    collection: str
    module: str
    component: str
    broken: frozenset[str]
    defect: str
    apart: bool

    @property
    def adapter(self) -> str:
        """The value of `tidegauge run --adapter` for this engine."""
        return f"{self.module}:E{self.name}"

    @property
    def path(self) -> list[str]:
        """The folders from which the engine's module imports."""
        return import_path(self.collection)


def import_path(collection: str) -> list[str]:
    """Return the folders from which the modules of a collection import."""
    folder = _HERE / collection
    return [str(folder), str(folder / "core")] if collection == "outsider" else [str(folder)]


def load(collection: str) -> list[IndependentEngine]:
    """Return the engines of one collection.

    A process can load one collection only: each has a module `core` of its own.
    """
    sys.path[:0] = import_path(collection)
    engines = []
    for file in sorted((_HERE / collection).glob("*.py")):
        table = getattr(importlib.import_module(file.stem), "D", None)
        for name, (component, broken, defect, *_) in (table or {}).items():
            apart = file.stem.startswith("engines_") and not file.stem.endswith("_t")
            engines.append(
                IndependentEngine(
                    name=name,
                    collection=collection,
                    module=file.stem,
                    component=component,
                    broken=frozenset(broken),
                    defect=defect,
                    apart=apart,
                )
            )
    return engines
