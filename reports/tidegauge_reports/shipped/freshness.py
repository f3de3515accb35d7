"""What verdicts and diagnoses were made from, as a digest: while that is the same they are fresh."""

import ast
import json
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from typing import Any

from tidegauge.components.registry import load_mutants
from tidegauge.judging.changes.change import Change, named_changes, policy_changes
from tidegauge.judging.changes.syntax_mutants import MODULES, components_showing
from tidegauge.judging.changes.told import bugs_of, sentence_of
from tidegauge.mutants.loading import reference_source
from tidegauge_reference import CORE
from tidegauge_spec import SPEC_VERSION, Rule, load_registry, vector_versions, vectors_document

_WHERE_IT_STANDS = ("file", "line")
_IN_WORDS = ("title", "reason", "source")


def specification_digest() -> str:
    """The SHA-256 of the version, of the texts of all rules, and of what all golden vectors do and expect.

    The line of a rule in its file and the title of a vector change no verdict: they are not part of it.
    """
    chapters = load_registry().chapters
    judged_by = {
        "version": SPEC_VERSION,
        "rules": [_rule(rule) for rule in load_registry().rules.values()],
        "vectors": [
            _vector(vector)
            for version in vector_versions()
            for component in chapters
            for vector in json.loads(vectors_document(component, version))
        ],
    }
    return _digest(judged_by)


@cache
def diagnosis_digest(component: str) -> str:
    """The SHA-256 of what the diagnosis of a component's engines rests on: the specification; each candidate
    with all that is told of it; and the code of the reference.

    Docstrings and comments change no diagnosis: they are not part of it.
    """
    candidates = [*named_changes(component), *policy_changes(component, CORE)]
    modules = [module for module in MODULES if component in components_showing(module)]
    return _digest(
        {
            "specification": specification_digest(),
            "candidates": [_candidate(one) for one in candidates],
            "reference": {module: _code(reference_source(module)) for module in modules},
        }
    )


def _digest(what: Any) -> str:
    return sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def _code(source: str) -> list[str]:
    """The lines that are neither blank, nor comment, nor docstring."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, documented)]
    docstrings = [node.body[0] for node in nodes if ast.get_docstring(node) is not None]
    said = {line for one in docstrings for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)}
    lines = enumerate(source.splitlines(), start=1)
    return [line for number, line in lines if number not in said and line.strip() and line.strip()[0] != "#"]


def _candidate(change: Change) -> dict[str, Any]:
    """What a change does and what is told of it; where in its file is no part of it, nor which scenarios of
    scale show it."""
    return {
        "change": asdict(change) | {"segments": None, "scale": bool(change.scale)},
        "replacements": load_mutants()[change.name].changed_texts if change.kind == "mutant" else (),
        "sentence": sentence_of(change),
        "bugs": [bug.id for bug in bugs_of(change)],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {name: value for name, value in asdict(rule).items() if name not in _WHERE_IT_STANDS}


def _vector(vector: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in vector.items() if name not in _IN_WORDS}
