"""JSON Schemas of the wire types, the same under every version of Python."""

from inspect import cleandoc
from typing import Any

import msgspec


def json_schema(wire_type: Any) -> dict[str, Any]:
    """Return the JSON Schema of a type, with docstrings as descriptions that are not indented.

    Python removes the indentation of docstrings from 3.13 on, and msgspec copies them as they are.
    """
    schema = msgspec.json.schema(wire_type)
    for definition in schema.get("$defs", {}).values():
        if "description" in definition:
            definition["description"] = cleandoc(definition["description"])
    return schema
