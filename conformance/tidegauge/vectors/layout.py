"""How documents of golden vectors are laid out: one step a line, and the outputs of one step a line.

The layout is the same whoever writes a document, so that a change of a vector is a change of few lines.
"""

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from tidegauge.wire.json_schema import json_schema

from .published import Vector

_MEMBERS = {"document": "vector", "expected": "transcript"}
"""Arrays whose members take several lines each, and what a member is."""

_SEVERAL_LINES = {
    *("document", "vector", "scenario", "history", "expected", "transcript", "outputs"),
    *("schema", "$defs"),
}
"""What takes a line for each of its members; everything else is on one line."""


def vectors_laid_out(vectors: Iterable[Vector]) -> bytes:
    """The document of these vectors, in their order."""
    return f"{_laid_out(msgspec.to_builtins(list(vectors)), 'document')}\n".encode()


def vector_schema() -> bytes:
    """The JSON Schema of a document, a definition a line."""
    return f"{_laid_out(json_schema(tuple[Vector, ...]), 'schema')}\n".encode()


def _laid_out(value: Any, name: str, indent: str = "") -> str:
    """The JSON of a value that is called `name` where it stands, with `indent` before its further lines."""
    if name not in _SEVERAL_LINES or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = f"{indent} "
    if isinstance(value, dict):
        members = [f'"{key}": {_laid_out(member, key, inner)}' for key, member in value.items()]
        return _bracketed("{", members, "}", indent)
    members = [_laid_out(member, _MEMBERS.get(name, "line"), inner) for member in value]
    return _bracketed("[", members, "]", indent)


def _bracketed(start: str, members: list[str], end: str, indent: str) -> str:
    lines = f",\n{indent} ".join(members)
    return f"{start}\n{indent} {lines}\n{indent}{end}"
